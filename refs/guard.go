package refs

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// How long a call waits for a lock where its context does not end earlier. Ours
// is held while a store reads, writes objects and swaps; git holds its own for
// a moment.
const (
	ourLimit = 10 * time.Second
	gitLimit = 3 * time.Second
)

// Guard holds the operating system's lock on one reference of ours. Between
// processes of ChatRail it makes read, write and swap one step; git knows
// nothing of it, which is why Swap compares under git's lock as well. The system
// frees it when the process ends, however it ends.
type Guard struct {
	repo *Repo
	name string
	lock *flock.Flock
}

// Exclusive takes the lock on a reference, which need not exist. It waits until
// the context ends, and at most ten seconds; then it returns a *LockedError.
// The lock is a file in the folder chatrail of the common directory; folder,
// file and marker are made where they are missing, so on read-only media this
// fails with an error that Unwritable knows.
func (r *Repo) Exclusive(ctx context.Context, name string) (*Guard, error) {
	if !validName(name) || perWorktree(name) {
		return nil, fmt.Errorf("%q is no name of a reference that work trees share", name)
	}
	if err := r.shared.mkdirs(r.stateDir()); err != nil {
		return nil, err
	}
	if err := r.ensureMarker(ctx); err != nil {
		return nil, err
	}
	lock, err := r.flock(ctx, r.stateFile(name, "flock"))
	if err != nil {
		return nil, err
	}
	return &Guard{repo: r, name: name, lock: lock}, nil
}

// Unlock frees the lock. A second call does nothing.
func (g *Guard) Unlock() error { return g.lock.Unlock() }

// stateDir is the folder for what we keep beside git's own files.
func (r *Repo) stateDir() string { return filepath.Join(r.CommonDir, "chatrail") }

// stateFile is our own file for one reference, always the same one.
func (r *Repo) stateFile(name, ending string) string {
	return filepath.Join(r.stateDir(), Encode(name)+"."+ending)
}

func (r *Repo) flock(ctx context.Context, path string) (*flock.Flock, error) {
	// The file is made first and by itself, for its mode. It is never removed: a
	// lock on a file that has lost its name would exclude nobody.
	if f, err := r.shared.create(path); err == nil {
		f.Close()
	}
	lock := flock.New(path)
	for w := newWait(ourLimit, 20*time.Millisecond); ; {
		ok, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if ok {
			return lock, nil
		}
		if again, err := w.next(ctx); !again {
			return nil, also(&LockedError{Path: path, Err: err}, lock.Close())
		}
	}
}
