package gitstore

import (
	"fmt"
	"os"
	"testing"
	"time"

	"chatrail/bundle"
)

// aPlainDay is aDay with a Rail that does not fill up.
func aPlainDay(who string) func(int) bundle.Change {
	return func(i int) bundle.Change {
		if i%10 != 0 {
			return drift(fmt.Sprint(who, i))
		}
		return func(present *bundle.Revision) (bundle.Draft, error) {
			state := present.State
			state.Rail.Parked = []bundle.Item{{ID: who, Summary: fmt.Sprint("question ", i)}}
			return bundle.Draft{State: state, Meta: bundle.EventMeta{ReviewID: "review", Reason: "a question"}}, nil
		}
	}
}

// What a merge takes far from the usual: CHATRAIL_APART revisions on each side,
// something set aside for a quarter as many more, and CHATRAIL_SIDES that never
// met.
func TestMergesFarFromTheUsual(t *testing.T) {
	if os.Getenv("CHATRAIL_LONG") == "" {
		t.Skip("CHATRAIL_LONG is not set")
	}
	apart, sides := number("CHATRAIL_APART", 2000), number("CHATRAIL_SIDES", 100)
	dir := newRepo(t)
	s := openAt(t, dir)
	base := create(t, s, genesisDraft()).ID
	merge := func(what, one, two string) string {
		begun := time.Now()
		id, err := s.Merge(t.Context(), one, two)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v", what, time.Since(begun))
		return id
	}
	m := merge(fmt.Sprint("2 times ", apart), line(t, s, base, apart, aPlainDay("one")), line(t, s, base, apart, aPlainDay("two")))
	begun := time.Now()
	if err := s.Remake(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	t.Logf("made again: %v", time.Since(begun))
	above := line(t, s, m, apart/4, aPlainDay("above"))
	merge(fmt.Sprint("one revision each, unsettled for ", apart/4),
		line(t, s, above, 1, aPlainDay("left")), line(t, s, above, 1, aPlainDay("right")))

	tip := line(t, s, base, 10, aPlainDay("side 0"))
	took := time.Duration(0)
	for i := 1; i < sides; i++ {
		side := line(t, s, base, 10, aPlainDay(fmt.Sprint("side ", i)))
		begun := time.Now()
		id, err := s.Merge(t.Context(), tip, side)
		if err != nil {
			t.Fatal(err)
		}
		tip = id
		took += time.Since(begun)
	}
	t.Logf("%d sides one after another: %v", sides, took)
	git(t, dir, "update-ref", testRef, tip)
	begun = time.Now()
	wantValid(t, s, dir, 1+sides*10+sides-1)
	t.Logf("their merges made again: %v", time.Since(begun))
}
