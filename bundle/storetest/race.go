package storetest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"chatrail/bundle"
)

func changeRunsAgain(t *testing.T, open Opener) {
	f := open(t, genesis())
	other := f.Reopen(t)
	runs := 0
	rev := mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		if runs++; runs == 1 {
			mustApply(t, other, say("somebody else's"))
		}
		s := present.State
		s.Compass.ReturnPath = "after " + s.Compass.Drift
		return bundle.Draft{State: s, Meta: meta("mine")}, nil
	})
	if runs < 2 {
		t.Errorf("the change ran %d times", runs)
	}
	if got := rev.State.Compass.ReturnPath; got != "after somebody else's" {
		t.Errorf("the change saw an old state: %q", got)
	}
	var reasons []string
	for _, rev := range mustWalk(t, f.Store, "") {
		reasons = append(reasons, rev.Event.Reason)
	}
	if got := fmt.Sprint(reasons); got != "[mine somebody else's Create ChatRail]" {
		t.Errorf("history %s", got)
	}
}

func changeMayReadTheStore(t *testing.T, open Opener) {
	f := open(t, genesis())
	mustApply(t, f.Store, write("one", note("tasks/a.md", "text")))
	mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		data, err := f.Store.Note(t.Context(), present.ID, "tasks/a.md")
		if err != nil {
			return bundle.Draft{}, err
		}
		length := 0
		err = f.Store.Walk(t.Context(), present.ID, func(*bundle.Revision) (bool, error) { length++; return true, nil })
		if err != nil {
			return bundle.Draft{}, err
		}
		return say(fmt.Sprintf("%s %d", data, length))(present)
	})
	if got := mustTip(t, f.Store).State.Compass.Drift; got != "text 2" {
		t.Errorf("the change read %q", got)
	}
}

// twoChangesAtOnce holds two changes on the same present revision before either
// can be recorded.
func twoChangesAtOnce(t *testing.T, open Opener) {
	f := open(t, genesis())
	var both sync.WaitGroup
	both.Add(2)
	var done sync.WaitGroup
	for i := range 2 {
		s := f.Reopen(t)
		done.Go(func() {
			var once sync.Once
			_, changed, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
				once.Do(func() { both.Done(); both.Wait() })
				return count(present, fmt.Sprint("writer ", i))
			})
			if err != nil || !changed {
				t.Errorf("writer %d: %v, %v", i, changed, err)
			}
		})
	}
	done.Wait()
	if n := counted(t, f.Store); n != 2 {
		t.Errorf("%d of 2 changes count", n)
	}
}

func parallelAppends(t *testing.T, open Opener) {
	const writers, each = 8, 25
	f := open(t, genesis())
	var wg sync.WaitGroup
	for w := range writers {
		s := f.Reopen(t)
		wg.Go(func() {
			for i := range each {
				reason := fmt.Sprintf("writer %d change %d", w, i)
				_, changed, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
					return count(present, reason)
				})
				if err != nil || !changed {
					t.Errorf("%s: %v, %v", reason, changed, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := counted(t, f.Reopen(t)); n != writers*each {
		t.Errorf("the state counts %d changes, want %d", n, writers*each)
	}
	times := map[string]int{}
	revs := mustWalk(t, f.Reopen(t), "")
	for i, rev := range revs {
		times[rev.Event.Reason]++
		if i+1 < len(revs) && (len(rev.Parents) != 1 || rev.Parents[0] != revs[i+1].ID) {
			t.Errorf("%s has parents %q, want %s", rev.ID, rev.Parents, revs[i+1].ID)
		}
	}
	for w := range writers {
		for i := range each {
			if reason := fmt.Sprintf("writer %d change %d", w, i); times[reason] != 1 {
				t.Errorf("%s is there %d times", reason, times[reason])
			}
		}
	}
	if len(revs) != writers*each+1 {
		t.Errorf("%d revisions, want %d", len(revs), writers*each+1)
	}
	report, err := f.Reopen(t).Verify(t.Context())
	if err != nil || !report.Valid || report.Events != len(revs) || len(report.Pending)+len(report.Warnings) != 0 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func readersBesideWriters(t *testing.T, open Opener) {
	f := open(t, genesis())
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for w := range 2 {
		s := f.Reopen(t)
		wg.Go(func() {
			defer stop()
			for i := range 30 {
				if _, _, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
					return count(present, fmt.Sprintf("writer %d change %d", w, i))
				}); err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	for range 2 {
		s := f.Reopen(t)
		wg.Go(func() {
			for last := 0; writing.Err() == nil; {
				tip, err := s.Tip(t.Context())
				if err != nil {
					t.Errorf("reader: %v", err)
					return
				}
				n, _ := strconv.Atoi(tip.State.Compass.Drift)
				if n < last {
					t.Errorf("reader: went back from %d to %d", last, n)
				}
				last = n
				if report, err := s.Verify(t.Context()); err != nil || !report.Valid {
					t.Errorf("reader: %+v, %v", report, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// count adds one to the number that the drift holds: a lost update shows.
func count(present *bundle.Revision, reason string) (bundle.Draft, error) {
	n, _ := strconv.Atoi(present.State.Compass.Drift)
	s := present.State
	s.Compass.Drift = strconv.Itoa(n + 1)
	return bundle.Draft{State: s, Meta: meta(reason)}, nil
}

func counted(t *testing.T, s bundle.Store) int {
	t.Helper()
	n, err := strconv.Atoi(mustTip(t, s).State.Compass.Drift)
	if err != nil {
		t.Error(err)
	}
	return n
}
