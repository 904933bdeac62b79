package refs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// refLock is git's lock on one reference, <ref>.lock, made as a second name of a
// temporary file of our own. Whoever finds both names on one file knows that
// the lock is an orphan of ours: temporary files have one name for each
// reference, and only the holder of the operating system's lock uses it.
type refLock struct {
	repo *Repo
	name string
	temp string // <commondir>/chatrail/<encoded name>.tmp
	path string // <ref>.lock
	text string
	held bool
}

// clean removes what a process of ours left that died: its lock first, because
// the temporary file is what proves whose the lock is.
func (l *refLock) clean() error {
	temp, err := os.Lstat(l.temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if lock, err := os.Lstat(l.path); err == nil && os.SameFile(temp, lock) {
		if err := removeIfThere(l.path); err != nil {
			return err
		}
	}
	return removeIfThere(l.temp)
}

// prepare writes what the lock will hold. The file is always a new one: the last
// one may be the reference itself by now.
func (l *refLock) prepare(text string) error {
	l.text = text
	f, err := l.repo.shared.create(l.temp)
	if err != nil {
		return err
	}
	l.repo.at(pointTemp)
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	err = also(err, f.Close())
	l.repo.at(pointWritten)
	return err
}

// take waits for git's lock.
func (l *refLock) take(ctx context.Context) error {
	for w := newWait(gitLimit, 100*time.Millisecond); ; {
		err := os.Link(l.temp, l.path)
		if err != nil && cannotLink(err) {
			err = l.createUnlinked()
		}
		switch {
		case err == nil:
			l.held = true
			return nil
		case errors.Is(err, fs.ErrExist):
		case errors.Is(err, fs.ErrNotExist):
			// pack-refs removes folders that it has emptied.
			if err := l.makeFolder(); err != nil {
				return err
			}
		case isNotDir(err):
			return l.repo.conflictAbove(l.name)
		default:
			return err
		}
		if again, err := w.next(ctx); !again {
			return &LockedError{Path: l.path, Err: err}
		}
	}
}

func (l *refLock) makeFolder() error {
	if _, err := os.Lstat(l.temp); err != nil {
		return err // it is the temporary file that is gone
	}
	err := l.repo.shared.mkdirs(filepath.Dir(l.path))
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case isNotDir(err), errors.Is(err, fs.ErrExist):
		return l.repo.conflictAbove(l.name)
	}
	return err
}

// createUnlinked makes the lock where a file cannot have two names. A process
// that dies while it holds such a lock leaves one that looks like git's.
func (l *refLock) createUnlinked() error {
	f, err := l.repo.shared.create(l.path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(l.text)
	if err == nil {
		err = f.Sync()
	}
	if err = also(err, f.Close()); err != nil {
		return also(err, os.Remove(l.path))
	}
	return nil
}

// release gives up without a change. The temporary file stays when the lock
// cannot be removed, so that the next swap knows it.
func (l *refLock) release() error {
	if l.held {
		if err := removeIfThere(l.path); err != nil {
			return err
		}
		l.held = false
	}
	return removeIfThere(l.temp)
}
