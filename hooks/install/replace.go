package install

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// HalfDone begins the name of a file that is not yet what it is going to be.
const HalfDone = ".chatrail-new-"

// replace makes a file under another name and moves it to its place, so that
// whoever looks finds the old one or the new one, whole.
func replace(path string, create func(name string) error) error {
	dir := filepath.Dir(path)
	name := filepath.Join(dir, HalfDone+strconv.FormatUint(rand.Uint64(), 36))
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
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), HalfDone) && time.Since(info.ModTime()) > time.Minute {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
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
