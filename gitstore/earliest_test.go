package gitstore

import (
	"fmt"
	"strings"
	"testing"

	"chatrail/bundle"
)

func TestEarliestBeginsAtTheRootHoweverLongTheHistory(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := started(t, dir)
	for _, until := range []int{5, nearby + 5} { // in place, and by git
		for i := len(walked(t, s, "")); i < until; i++ {
			apply(t, s, drift(fmt.Sprint("step ", i)))
		}
		all := walked(t, s, "")
		var got []string
		err := s.Earliest(t.Context(), 3, func(r *bundle.Revision) (bool, error) {
			got = append(got, r.ID)
			return true, nil
		})
		if err != nil || len(got) != 3 {
			t.Fatalf("%d revisions: %q, %v", until, got, err)
		}
		for i, id := range got {
			if want := all[len(all)-1-i].ID; id != want {
				t.Errorf("%d revisions: place %d is %s, not %s", until, i, id, want)
			}
		}
		n := 0
		if err := s.Earliest(t.Context(), 3, func(*bundle.Revision) (bool, error) { n++; return false, nil }); err != nil || n != 1 {
			t.Errorf("went on: %d, %v", n, err)
		}
	}
}

func TestWhatBeganIsKnownFromARevisionBelow(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := started(t, dir)
	ids := []string{}
	for i := range 4 {
		ids = append(ids, apply(t, s, drift(fmt.Sprint("step ", i))).ID)
	}
	want := func(known string, all bool) {
		t.Helper()
		if got, err := s.BeganBefore(t.Context(), known); err != nil || got != all {
			t.Errorf("of %.12s: %v, %v", known, got, err)
		}
	}
	want(ids[0], true)
	want(ids[3], true)
	tip := git(t, dir, "rev-parse", testRef)
	git(t, dir, "update-ref", testRef, ids[1])
	want(ids[3], false) // not below
	want(strings.Repeat("ab", 20), false)
	git(t, dir, "update-ref", "-d", testRef)
	other := create(t, openAt(t, dir), genesisDraft()).ID
	git(t, dir, "update-ref", "refs/heads/other", other)
	both, err := s.Merge(t.Context(), tip, other)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, both)
	want(ids[3], false) // another beginning came in
	want(both, true)
}
