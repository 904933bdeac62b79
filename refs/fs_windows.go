package refs

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func cannotLink(err error) bool {
	for _, no := range []error{windows.ERROR_INVALID_FUNCTION, windows.ERROR_NOT_SUPPORTED, windows.ERROR_NOT_SAME_DEVICE, windows.ERROR_TOO_MANY_LINKS} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

func isNotDir(err error) bool { return errors.Is(err, windows.ERROR_DIRECTORY) }

func isDirInTheWay(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_ALREADY_EXISTS)
}

// replace renames over a file that a reader may have open for a moment, which
// Windows refuses for as long as it is open.
func replace(from, to string) error {
	var err error
	for try := 0; try < 20; try++ {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(time.Duration(try+1) * time.Millisecond)
	}
	return err
}

// syncDir has nothing to do: a rename is journalled with its folder.
func syncDir(string) error { return nil }

// sameDevice is always true: drives are different roots here, and git for
// Windows does not stop at mount points either.
func sameDevice(_, _ os.FileInfo) bool { return true }

// terminate kills: there is no gentler signal that a console program gets.
func terminate(p *os.Process) error { return p.Kill() }
