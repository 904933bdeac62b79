package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy says that another process held a lock for longer than the context
// allowed. Nothing was written.
var ErrBusy = errors.New("busy: another process holds the lock")

// lockRetry is the pause between two attempts at a lock: short beside the
// budget of a hook, long beside one receipt.
const lockRetry = 5 * time.Millisecond

// LockTask takes the lock under which the receipt of a task is read, changed
// and saved. The kernel frees it when the process ends, however it ends. It
// fails with ErrBusy when the context ends first.
func (h Home) LockTask(ctx context.Context, key string) (unlock func(), err error) {
	if !IsKey(key) {
		return nil, fmt.Errorf("%q is not a task key", key)
	}
	return h.Lock(ctx, key)
}

// Lock takes the lock of the state home with this name, as LockTask does.
func (h Home) Lock(ctx context.Context, name string) (unlock func(), err error) {
	name += ".lock"
	if err := checkName(name); err != nil {
		return nil, err
	}
	folder, err := h.openFolder(locksDir, true)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	if info, err := folder.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, shapeError(folder, name, "a regular file", info)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder.Name(), name),
		flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
	held, err := lock.TryLockContext(ctx, lockRetry)
	if ctx.Err() != nil && !held {
		return nil, fmt.Errorf("%w (%s)", ErrBusy, lock.Path())
	}
	if err != nil {
		return nil, err
	}
	return func() { lock.Unlock() }, nil
}
