package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"chatrail/bundle"
)

// history applies n changes and returns all revisions, oldest first.
func history(t *testing.T, s bundle.Store, n int) []*bundle.Revision {
	t.Helper()
	revs := []*bundle.Revision{mustTip(t, s)}
	for i := range n {
		revs = append(revs, mustApply(t, s, func(present *bundle.Revision) (bundle.Draft, error) {
			d, err := say(fmt.Sprint("step ", i))(present)
			if i%2 == 1 { // a change of the Rail alone, too
				d.State.Compass = present.State.Compass
				d.State.Rail.Open = []bundle.Item{{ID: "q", Summary: fmt.Sprint("question ", i)}}
			}
			return d, err
		}))
	}
	return revs
}

func ids(revs []*bundle.Revision) []string {
	var out []string
	for _, rev := range revs {
		out = append(out, rev.ID)
	}
	return out
}

// same compares what two reads of one revision gave.
func same(t *testing.T, got, want *bundle.Revision) {
	t.Helper()
	if got.ID != want.ID || !slices.Equal(got.Parents, want.Parents) || !got.State.Equal(want.State) ||
		string(got.Event.Line) != string(want.Event.Line) {
		t.Errorf("got %s (parents %q), want %s (parents %q) with the same state and event", got.ID, got.Parents, want.ID, want.Parents)
	}
}

func walkGoesNewestFirst(t *testing.T, open Opener) {
	f := open(t, genesis())
	want := history(t, f.Store, 7)
	slices.Reverse(want)
	for _, s := range []bundle.Store{f.Store, f.Reopen(t)} {
		got := mustWalk(t, s, "")
		if len(got) != len(want) {
			t.Fatalf("%d revisions, want %d", len(got), len(want))
		}
		for i := range want {
			same(t, got[i], want[i])
		}
	}
}

func walkStartsAtARevision(t *testing.T, open Opener) {
	f := open(t, genesis())
	revs := history(t, f.Store, 5)
	got := mustWalk(t, f.Reopen(t), revs[3].ID)
	want := slices.Clone(revs[:4])
	slices.Reverse(want)
	if !slices.Equal(ids(got), ids(want)) {
		t.Fatalf("walked %q, want %q", ids(got), ids(want))
	}
	for i := range want {
		same(t, got[i], want[i])
	}
	err := f.Store.Walk(t.Context(), "ffffffffffffffff", func(*bundle.Revision) (bool, error) { return true, nil })
	if !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("from an unknown revision: got %v", err)
	}
}

func walkStopsEarly(t *testing.T, open Opener) {
	f := open(t, genesis())
	history(t, f.Store, 5)
	seen := 0
	err := f.Store.Walk(t.Context(), "", func(*bundle.Revision) (bool, error) { seen++; return seen < 2, nil })
	if err != nil || seen != 2 {
		t.Errorf("saw %d revisions (%v), want 2", seen, err)
	}
}

func walkPassesAnErrorOn(t *testing.T, open Opener) {
	f := open(t, genesis())
	history(t, f.Store, 2)
	stop, seen := errors.New("stop"), 0
	err := f.Store.Walk(t.Context(), "", func(*bundle.Revision) (bool, error) { seen++; return true, stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("saw %d revisions, error %v", seen, err)
	}
}

func readFindsByPrefix(t *testing.T, open Opener) {
	f := open(t, genesis())
	revs := history(t, f.Store, 4)
	s := f.Reopen(t)
	for i, rev := range revs {
		length := 4
		for j, other := range revs {
			if i != j {
				length = max(length, common(rev.ID, other.ID)+1)
			}
		}
		for _, id := range []string{rev.ID, rev.ID[:length]} {
			got, err := s.Read(t.Context(), id)
			if err != nil {
				t.Errorf("read %s: %v", id, err)
				continue
			}
			same(t, got, rev)
		}
	}
}

// common is the length of the prefix that two ids share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func unknownRevisionIsNotFound(t *testing.T, open Opener) {
	f := open(t, genesis())
	tip := mustTip(t, f.Store)
	unknown := flip(tip.ID)
	for _, id := range []string{unknown, unknown[:8], tip.ID + "0", tip.ID[:8] + "\x00"} {
		if rev, err := f.Store.Read(t.Context(), id); !errors.Is(err, bundle.ErrNotFound) {
			t.Errorf("read %q: got %v, %v; want not found", id, rev, err)
		}
	}
	for _, id := range []string{"", tip.ID[:1], tip.ID[:3]} {
		if rev, err := f.Store.Read(t.Context(), id); err == nil {
			t.Errorf("read %q: got %s, want an error", id, rev.ID)
		}
	}
	if _, err := f.Store.Notes(t.Context(), unknown); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("notes: got %v", err)
	}
	if _, err := f.Store.Note(t.Context(), unknown, "entries/a.md"); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("note: got %v", err)
	}
}

// flip makes an id that differs from id in its first character.
func flip(id string) string {
	if id[0] == '0' {
		return "1" + id[1:]
	}
	return "0" + id[1:]
}

func ambiguousPrefixIsRefused(t *testing.T, open Opener) {
	f := open(t, genesis())
	named := func(id string) *bundle.Revision {
		return mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
			d, err := say(id)(present)
			d.Meta.EventID = id
			return d, err
		})
	}
	one := named("abcdef01-0000-4000-8000-000000000001")
	if one.ID != one.Event.EventID {
		t.Skip("revision ids of this backend are not event ids: none can be made to collide")
	}
	named("abcdef01-0000-4000-8000-000000000002")
	_, err := f.Store.Read(t.Context(), "abcdef01")
	if err == nil || errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("got %v, want a refusal other than not found", err)
	}
	if rev, err := f.Store.Read(t.Context(), one.ID); err != nil || rev.ID != one.ID {
		t.Errorf("the whole id: %v, %v", rev, err)
	}
}

func oldRevisionHasItsOldState(t *testing.T, open Opener) {
	f := open(t, genesis())
	revs := history(t, f.Store, 6)
	s := f.Reopen(t)
	for _, want := range revs {
		got, err := s.Read(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
	if revs[2].State.Equal(revs[6].State) {
		t.Error("the old and the new state are the same: this test shows nothing")
	}
}
