package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Swap is one move of a reference.
type Swap struct {
	Name    string    // "refs/…", shared by all work trees
	Old     string    // the id that it has to have, "" where it must not exist
	New     string    // the id that it gets
	Who     Who       // for the reflog
	When    time.Time // for the reflog; the zero time is now
	Message string    // for the reflog, made one line
}

// point is a place that a test wants to stop at.
type point string

const pointEmpty point = "empty reference read"

// The points between two steps of a swap at which a process may die, in order.
// What each leaves behind is put right by the next swap.
const (
	pointTemp     point = "temporary file made"
	pointWritten  point = "temporary file synced"
	pointLocked   point = "git's lock taken"
	pointCompared point = "value compared"
	pointLogged   point = "reflog written"
	pointRenamed  point = "reference replaced"
	pointSynced   point = "folder synced"
)

// Swap takes the lock of Exclusive for one swap.
func (r *Repo) Swap(ctx context.Context, s Swap) error {
	g, err := r.Exclusive(ctx, s.Name)
	if err != nil {
		return err
	}
	return also(g.Swap(ctx, s), g.Unlock())
}

// Swap moves the guarded reference from s.Old to s.New, durably, and writes its
// reflog, or changes nothing and returns a *MovedError when it is not at s.Old,
// a *LockedError when another process holds git's lock until the context ends or
// three seconds have passed, ErrConflict when another reference is in the way,
// ErrCorrupt when the present value cannot be read.
//
// Only an error after the replacement itself, from making it durable, leaves the
// reference moved: read it again. Whether the object exists is not checked. The
// lock of another process is never removed. One of ours, left by a process that
// died, is, where the file system has hard links.
func (g *Guard) Swap(ctx context.Context, s Swap) error {
	r := g.repo
	if s.Old == r.ZeroID() {
		s.Old = ""
	}
	switch {
	case !g.lock.Locked():
		return errors.New("swap without the lock: it was freed already")
	case s.Name != g.name:
		return fmt.Errorf("swap of %s under the lock of %s", s.Name, g.name)
	case !r.isID(s.New) || s.New == r.ZeroID():
		return fmt.Errorf("%q is no %s object id", s.New, r.ObjectFormat)
	case s.Old != "" && !r.isID(s.Old):
		return fmt.Errorf("%q is no %s object id", s.Old, r.ObjectFormat)
	}
	if s.When.IsZero() {
		s.When = time.Now()
	}
	if !r.hasFiles() {
		return r.swapByGit(ctx, s)
	}
	l := &refLock{repo: r, name: s.Name, temp: r.stateFile(s.Name, "tmp"), path: r.refPath(s.Name) + ".lock"}
	if err := l.clean(); err != nil {
		return err
	}
	if err := l.prepare(s.New + "\n"); err != nil {
		return also(err, l.release())
	}
	if err := l.take(ctx); err != nil {
		return also(err, l.release())
	}
	r.at(pointLocked)
	if err := r.swapLocked(s, l); err != nil {
		return also(err, l.release())
	}
	// The reference is moved. The temporary file is now another name of it and
	// must not be written to again, only removed, here or by the next swap.
	r.at(pointRenamed)
	err := syncDir(filepath.Dir(l.path))
	r.at(pointSynced)
	os.Remove(l.temp)
	return err
}

// swapLocked compares and replaces while git's lock is ours.
func (r *Repo) swapLocked(s Swap, l *refLock) error {
	v, err := r.lookup(s.Name)
	if err != nil {
		return err
	}
	if v.target != "" {
		return fmt.Errorf("%w: %s is a symbolic reference", ErrCorrupt, s.Name)
	}
	if v.id != s.Old {
		return &MovedError{Name: s.Name, Current: v.id}
	}
	if v.absent() {
		if err := r.checkConflict(s.Name); err != nil {
			return err
		}
	}
	r.at(pointCompared)
	undo, err := r.appendLog(s)
	if err != nil {
		return err
	}
	r.at(pointLogged)
	path := r.refPath(s.Name)
	err = replace(l.path, path)
	if err != nil && isDirInTheWay(err) && isDir(path) {
		// A deleted reference may have left an empty folder of its name.
		if err = removeEmptyBelow(path); err == nil {
			err = replace(l.path, path)
		}
	}
	if err != nil {
		return also(err, undo())
	}
	l.held = false
	return nil
}

// at tells a test how far we came.
func (r *Repo) at(p point) {
	if r.reached != nil {
		r.reached(p)
	}
}
