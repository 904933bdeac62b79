package dir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// openNoFollow opens a regular file and refuses a link in its place.
func openNoFollow(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	f, err := os.OpenFile(path, flag, 0)
	return regular(f, err)
}

// syncDir does nothing: Windows has no way to sync a folder and writes its
// entries through its own log.
func syncDir(string) error { return nil }

// fileStamp is none: what Windows tells of a file can stay when its bytes change.
func fileStamp(string) (string, error) { return "", nil }

// replace puts a file in the place of another. A reader that has the old one
// open makes Windows refuse for a moment.
func replace(from, to string) error {
	const tries, pause = 100, 10 * time.Millisecond
	err := os.Rename(from, to)
	for range tries {
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(pause)
		err = os.Rename(from, to)
	}
	return err
}

// moveFolder puts a folder at a path where there is nothing or an empty folder.
// It fails with an error that taken recognises where there is something.
func moveFolder(from, to string) error {
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	// This refuses what is not an empty folder, and then so does the rename.
	_ = windows.RemoveDirectory(name)
	return os.Rename(from, to)
}

func taken(err error) bool {
	return errors.Is(err, fs.ErrExist) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, windows.ERROR_DIRECTORY)
}

// unwritable reports that a place cannot be written by this process, or not now.
func unwritable(err error) bool {
	for _, no := range []error{
		fs.ErrPermission, windows.ERROR_WRITE_PROTECT, windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
	} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
