package dir

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"chatrail/bundle"
)

// held is an OS lock that this process has. The kernel frees it with the
// process.
type held struct {
	info    os.FileInfo // of the locked file
	release func()
}

// waits between two tries for a lock, doubling from the first to the last.
const (
	firstWait = time.Millisecond
	lastWait  = 8 * time.Millisecond
)

// lockEvents takes the lock of a bundle, which is on its events file: that file
// is only appended to. It waits until ctx ends, with bundle.ErrBusy. Somebody
// else, git for one, may put another file in its place, and a lock on a file that
// the path no longer names protects nothing: the holder asks stillAt.
func lockEvents(ctx context.Context, path string) (*held, error) {
	return wait(ctx, func() (*held, error) { return tryLockFile(path) })
}

// stillAt reports whether path names the file that is locked.
func (h *held) stillAt(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, h.info)
}

// wait calls try until it gives a lock or an error, or ctx ends.
func wait(ctx context.Context, try func() (*held, error)) (*held, error) {
	for pause := firstWait; ; pause = min(2*pause, lastWait) {
		if h, err := try(); h != nil || err != nil {
			return h, err
		}
		// Waiters that came at once should not stay in step.
		timer := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w (%w)", bundle.ErrBusy, ctx.Err())
		case <-timer.C:
		}
	}
}
