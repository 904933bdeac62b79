package dir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"chatrail/bundle"
)

func TestApplyWaitsForTheLockUntilItsContextEnds(t *testing.T) {
	s := newBundle(t)
	lock, err := lockEvents(t.Context(), s.file(bundle.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	before := snapshot(t, s.path)
	_, changed, err := open(s.path, Options{}).Apply(ctx, say("one"))
	if !errors.Is(err, bundle.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) || changed {
		t.Errorf("got %v, %v, want busy", changed, err)
	}
	mustBeSame(t, snapshot(t, s.path), before)
	mustTip(t, s) // readers need no lock
	mustVerify(t, s)

	var wg sync.WaitGroup
	wg.Go(func() { mustApply(t, s, say("two")) })
	lock.release()
	wg.Wait()
	mustBeClean(t, s)
}

func TestLockOnAFileThatWasReplacedIsTakenAgain(t *testing.T) {
	s := newBundle(t, say("one"))
	path := s.file(bundle.EventsFile)
	lock, err := lockEvents(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	// As git does: another file, moved to the same name.
	writeFile(t, path+".new", readText(t, path))
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(t.Context(), lock); !errors.Is(err, errMoved) {
		t.Errorf("a lock on a replaced file counts: %v", err)
	}
	mustApply(t, s, say("two")) // the old lock is in nobody's way
	lock.release()
	mustBeClean(t, s)
}

func TestEventIsNotAppendedToAFileThatWasReplacedUnderTheLock(t *testing.T) {
	s := newBundle(t, say("one"))
	path := s.file(bundle.EventsFile)
	swap := &swapper{osDisk: osDisk{unsynced: true}, path: path}
	s.disk = swap
	mustApply(t, s, say("two", note("tasks/a.md", "text")))
	if swap.calls < 2 {
		t.Fatal("nothing was replaced: this test shows nothing")
	}
	mustBeClean(t, s)
	if report := mustVerify(t, s); report.Events != 3 {
		t.Errorf("report %+v", *report)
	}
}

// swapper replaces the events file in the moment before something is appended.
type swapper struct {
	osDisk
	path  string
	calls int
}

func (d *swapper) extend(path string, size int64, data []byte) error {
	if d.calls++; d.calls > 1 {
		return d.osDisk.extend(path, size, data)
	}
	text, err := os.ReadFile(d.path)
	if err != nil {
		return err
	}
	// The append goes to the file that was locked, and so to nowhere.
	locked, err := os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer locked.Close()
	if err := os.WriteFile(d.path+".new", text, 0o666); err != nil {
		return err
	}
	if err := os.Rename(d.path+".new", d.path); err != nil {
		return err
	}
	_, err = locked.Write(data)
	return err
}

func TestCallersErrorKeepsItsType(t *testing.T) {
	s := newBundle(t)
	mine := &os.PathError{Op: "open", Path: "mine", Err: os.ErrPermission}
	_, _, err := s.Apply(t.Context(), func(*bundle.Revision) (bundle.Draft, error) { return bundle.Draft{}, mine })
	var no *bundle.UnwritableError
	if !errors.Is(err, mine) || errors.As(err, &no) {
		t.Errorf("got %v", err)
	}
}

// loser is a change that somebody else is quicker than, until it runs under the
// lock, where then is called.
func loser(t *testing.T, s *Store, then func()) bundle.Change {
	runs := 0
	return func(present *bundle.Revision) (bundle.Draft, error) {
		if runs++; runs <= optimistic {
			mustApply(t, open(s.path, Options{}), say(fmt.Sprint("quicker ", runs)))
		} else {
			then()
		}
		return say("at last", note("tasks/a.md", "text"))(present)
	}
}

func TestChangeThatKeepsLosingRunsUnderTheLock(t *testing.T) {
	s := newBundle(t)
	locked := false
	rev := mustApply(t, s, loser(t, s, func() {
		h, err := tryLockFile(s.file(bundle.EventsFile))
		locked = h == nil && err == nil
	}))
	if !locked || rev.Event.Reason != "at last" {
		t.Errorf("locked: %v, recorded %q", locked, rev.Event.Reason)
	}
	mustBeClean(t, s)
}

func TestCancelUnderTheLockWritesNothing(t *testing.T) {
	s := newBundle(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, changed, err := s.Apply(ctx, loser(t, s, cancel))
	if !errors.Is(err, context.Canceled) || changed {
		t.Errorf("got %v, %v", changed, err)
	}
	if _, err := os.Lstat(s.file("tasks")); err == nil {
		t.Error("the note is there")
	}
	if report := mustVerify(t, s); report.Events != 1+optimistic {
		t.Errorf("report %+v", *report)
	}
	mustBeClean(t, s)
}
