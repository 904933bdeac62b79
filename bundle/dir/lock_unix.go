//go:build unix

package dir

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// tryLockFile locks an existing file, or returns nil while somebody else has it.
func tryLockFile(path string) (*held, error) {
	return tryFlock(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK)
}

// tryLockFolder locks a folder, or returns nil while somebody else has it. Where
// the file system cannot lock folders the error is errors.ErrUnsupported.
func tryLockFolder(path string) (*held, error) {
	h, err := tryFlock(path, os.O_RDONLY)
	for _, no := range []error{unix.EBADF, unix.EINVAL, unix.ENOTSUP, unix.ENOSYS, unix.ENOLCK, unix.EIO, unix.EISDIR} {
		if errors.Is(err, no) {
			return nil, errors.ErrUnsupported
		}
	}
	return h, err
}

func tryFlock(path string, flag int) (*held, error) {
	f := flock.New(path, flock.SetFlag(flag))
	locked, err := f.TryLock()
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) {
		return nil, errNotRegular
	}
	if err != nil || !locked {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Unlock()
		return nil, err
	}
	return &held{info: info, release: func() { _ = f.Unlock() }}, nil
}
