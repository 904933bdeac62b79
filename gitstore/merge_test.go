package gitstore

import (
	"maps"
	"slices"
	"testing"
	"time"

	"chatrail/bundle"
)

// mergeOf puts a merge of two revisions at the tip: the Compass of the first,
// the Rail of the second, the notes of the first.
func mergeOf(t *testing.T, s *Store, dir, one, two string, parents []string) string {
	t.Helper()
	ctx := t.Context()
	l := s.loader()
	defer l.Close()
	left, err := l.load(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	right, err := l.load(ctx, two)
	if err != nil {
		t.Fatal(err)
	}
	after := bundle.State{Compass: left.state.Compass, Rail: right.state.Rail}
	event, err := bundle.NewMergeEvent(bundle.EventMeta{
		EventID: "00000000-0000-4000-8000-000000000001", ReviewID: bundle.ReviewMerge, Reason: "merge", Time: time.Now(),
	}, left.state, after, nil, parents, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := s.writer(l, fixedIdentity)
	merge, err := w.revision(maps.Clone(left.tree), []string{one, two}, event, &left.state, after, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(ctx, w.objs); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, merge.id)
	return merge.id
}

// sides makes two revisions with one parent.
func sides(t *testing.T, s *Store, dir string) (base, one, two string) {
	t.Helper()
	base = create(t, s, genesisDraft()).ID
	one = apply(t, s, drift("one", bundle.Note{Path: "tasks/a.md", Data: []byte("a")})).ID
	git(t, dir, "update-ref", testRef, base)
	two = apply(t, s, question("two")).ID
	return base, one, two
}

func TestMergedHistoryIsReadAndContinued(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	base, one, two := sides(t, s, dir)
	merge := mergeOf(t, s, dir, one, two, []string{one, two})
	tip, err := s.Tip(t.Context())
	if err != nil || !slices.Equal(tip.Parents, []string{one, two}) {
		t.Fatalf("tip %v, %v", tip, err)
	}
	next := apply(t, s, drift("after")).ID
	var ids []string
	for _, r := range walked(t, s, "") {
		ids = append(ids, r.ID)
	}
	if len(ids) != 5 || ids[0] != next || ids[1] != merge || ids[4] != base {
		t.Errorf("walked %q", ids)
	}
	report, err := s.Verify(t.Context())
	if err != nil || !report.Valid || report.Events != 5 || len(report.Warnings) != 0 {
		t.Errorf("report %+v, %v", report, err)
	}
	for _, id := range []string{one, two[:12]} {
		if _, err := s.Read(t.Context(), id); err != nil {
			t.Errorf("read %s: %v", id, err)
		}
	}
	if root, err := s.Root(t.Context()); err != nil || root != base {
		t.Errorf("root %s, %v", root, err)
	}
	wantValid(t, s, dir, 5)
	wantEventsOfAMerge(t, s, dir)
}

// wantEventsOfAMerge compares as sets: git and the store may list the sides of
// a merge in another order.
func wantEventsOfAMerge(t *testing.T, s *Store, dir string) {
	t.Helper()
	var want []string
	for _, r := range walked(t, s, "") {
		want = append(want, string(r.Event.Line))
	}
	logged := loggedEvents(t, dir)
	slices.Sort(want)
	slices.Sort(logged)
	if !slices.Equal(logged, want) {
		t.Errorf("git log shows %d events, the store %d, or other ones", len(logged), len(want))
	}
}

func TestMergeOfOtherParentsThanItsEventNamesIsFrozen(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	_, one, two := sides(t, s, dir)
	mergeOf(t, s, dir, one, two, []string{two, one})
	if _, err := s.Tip(t.Context()); asFrozen(err) == nil {
		t.Errorf("tip: %v", err)
	}
}
