//go:build unix

package refs

import (
	"errors"
	"os"
	"syscall"
)

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// cannotLink reports whether link(2) failed because this file system, or this
// pair of folders, has no hard links, rather than because of the two names.
func cannotLink(err error) bool {
	for _, no := range []error{syscall.EPERM, syscall.EOPNOTSUPP, syscall.ENOTSUP, syscall.ENOSYS, syscall.EMLINK, syscall.EXDEV} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// isDirInTheWay reports whether a rename failed because a folder has the name.
func isDirInTheWay(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func replace(from, to string) error { return os.Rename(from, to) }

// syncDir makes the names in a folder durable. File systems that cannot sync a
// folder say EINVAL, and there is nothing more to be done on them.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// sameDevice reports whether two folders are on one file system.
func sameDevice(a, b os.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return !ok1 || !ok2 || x.Dev == y.Dev
}

// terminate asks a git process to end, so that it removes its lock files.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
