package refs

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// sharing is core.sharedRepository: the permission bits that files get beside
// what the umask left, or, when exact, in place of it.
type sharing struct {
	bits  fs.FileMode // 0: the umask alone decides
	exact bool
}

func parseSharing(s setting) sharing {
	group, everybody := sharing{bits: 0o660}, sharing{bits: 0o664}
	switch s.value {
	case "umask":
		return sharing{}
	case "group":
		return group
	case "all", "world", "everybody":
		return everybody
	}
	n, err := strconv.ParseUint(s.value, 8, 32)
	switch {
	case err != nil && s.boolean():
		return group
	case err != nil || n == 0:
		return sharing{}
	case n == 1:
		return group
	case n == 2:
		return everybody
	case n&0o600 != 0o600: // git refuses to run: the owner must read and write
		return sharing{}
	}
	return sharing{bits: fs.FileMode(n & 0o666), exact: true}
}

// ApplySharing gives a file or folder that was just made the mode that git would
// give it under core.sharedRepository. Without that setting it does nothing.
func (r *Repo) ApplySharing(path string) error { return r.shared.apply(path) }

// apply gives a file or folder that was just made the mode that git would give
// it.
func (s sharing) apply(path string) error {
	if s.bits == 0 || runtime.GOOS == "windows" {
		return nil
	}
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := s.mode(fi.Mode()); mode != fi.Mode() {
		return os.Chmod(path, mode)
	}
	return nil
}

func (s sharing) mode(old fs.FileMode) fs.FileMode {
	bits := s.bits
	if old&0o200 == 0 {
		bits &^= 0o222
	}
	if old&0o100 != 0 {
		bits |= bits & 0o444 >> 2
	}
	mode := old | bits
	if s.exact {
		mode = old&^0o777 | bits
	}
	// The group is handed down only where it may do something, and on the systems
	// of BSD descent it is anyway.
	if old.IsDir() && mode&0o060 != 0 && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
		mode |= fs.ModeSetgid
	}
	return mode
}

// create makes a new file, and fails where the name is taken.
func (s sharing) create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if err := s.apply(path); err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

// mkdirs makes a folder and those above it, durably.
func (s sharing) mkdirs(dir string) error {
	if isDir(dir) {
		return nil
	}
	up := filepath.Dir(dir)
	if up == dir {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if err := s.mkdirs(up); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		if isDir(dir) { // somebody else was first
			return nil
		}
		return err
	}
	if err := s.apply(dir); err != nil {
		return err
	}
	return syncDir(up)
}
