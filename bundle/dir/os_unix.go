//go:build unix

package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNoFollow opens a regular file and refuses a link in its place. It does
// not wait for the other end of a pipe.
func openNoFollow(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return regular(f, err)
}

// syncDir makes the entries of a folder survive a power loss.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some file systems have nothing to sync for a folder and say so.
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// fileStamp differs when the bytes of a file do: any write changes the time at
// which its inode changed, which nobody can set back.
func fileStamp(path string) (string, error) {
	var s unix.Stat_t
	if err := unix.Lstat(path, &s); err != nil {
		return "", &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return fmt.Sprintf("%d %d %d", s.Size, s.Ino, s.Ctim.Nano()), nil
}

// replace puts a file in the place of another in one step.
func replace(from, to string) error { return os.Rename(from, to) }

// moveFolder puts a folder at a path where there is nothing or an empty folder.
// It fails with an error that taken recognises where there is something.
func moveFolder(from, to string) error {
	return unix.Rename(from, to)
}

func taken(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.ENOTDIR)
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// unwritable reports that a place cannot be written by this process, or not now.
func unwritable(err error) bool {
	for _, no := range []error{fs.ErrPermission, unix.EROFS, unix.ENOSPC, unix.EDQUOT} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
