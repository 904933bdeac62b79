package install

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// HalfDone begins the name of a file that is not yet what it is going to be.
const HalfDone = ".chatrail-new-"

// HalfDoneName is a new such name. It tells which process makes the file.
func HalfDoneName() string {
	return HalfDone + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(rand.Uint64(), 36)
}

// replace makes a file under another name and moves it to its place, so that
// whoever looks finds the old one or the new one, whole.
func replace(path string, create func(name string) error) error {
	dir := filepath.Dir(path)
	name := filepath.Join(dir, HalfDoneName())
	err := create(name)
	if err == nil {
		err = os.Rename(name, path)
	}
	// Two names of one file are not renamed over each other: one stays behind.
	_ = os.Remove(name)
	if err != nil {
		return err
	}
	return SyncFolder(dir)
}

// Sweep removes what a killed installation left half done in a folder.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir) // none, or nothing that could be done
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), HalfDone)
		if !ours {
			continue
		}
		info, err := e.Info()
		if err == nil && (time.Since(info.ModTime()) > time.Minute || dead(rest)) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// dead tells whether the process that a half-done file is named after runs no
// more.
func dead(rest string) bool {
	number, _, named := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	if !named || err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // nothing is held where there is none
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// SyncFolder makes the names in a folder last.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // there a folder cannot be synced
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
