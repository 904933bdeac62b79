package dir

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLockFile locks an existing file, or returns nil while somebody else has it.
// A lock of Windows keeps others from reading what it covers, so it covers one
// byte far behind any end that the file can have.
func tryLockFile(path string) (*held, error) {
	f, err := openNoFollow(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	const farBehind = 1 << 30 // in units of 4 GiB
	at := &windows.Overlapped{OffsetHigh: farBehind}
	err = windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if err != nil {
		f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			return nil, nil
		}
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &held{info: info, release: func() { f.Close() }}, nil
}

// tryLockFolder always fails with errors.ErrUnsupported: folders have no locks.
func tryLockFolder(string) (*held, error) { return nil, errors.ErrUnsupported }
