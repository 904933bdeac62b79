package gitstore

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/merge"
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
	merged, err := w.revision(maps.Clone(left.tree), []string{one, two}, event, &left.state, after, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(ctx, w.objs); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, merged.id)
	return merged.id
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
	merged, err := s.Merge(t.Context(), one, two)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, merged)
	tip, err := s.Tip(t.Context())
	if err != nil || !slices.Equal(tip.Parents, slices.Sorted(slices.Values([]string{one, two}))) {
		t.Fatalf("tip %v, %v", tip, err)
	}
	next := apply(t, s, drift("after")).ID
	var ids []string
	for _, r := range walked(t, s, "") {
		ids = append(ids, r.ID)
	}
	if len(ids) != 5 || ids[0] != next || ids[1] != merged || ids[4] != base {
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

func TestForgedMergeIsNamed(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	_, one, two := sides(t, s, dir)
	forged := mergeOf(t, s, dir, one, two, []string{one, two})
	report, err := s.Verify(t.Context())
	if err != nil || report.Valid || report.Frozen != "merge "+short(forged)+" is not what its parents make: it was forged or damaged" {
		t.Errorf("report %+v, %v", report, err)
	}
}

// forged is the commit that the rule would make of parents that it never merges.
func forged(t *testing.T, s *Store, dir string, parents ...string) string {
	t.Helper()
	l := s.loader()
	defer l.Close()
	slices.Sort(parents)
	first, err := l.load(t.Context(), parents[0])
	if err != nil {
		t.Fatal(err)
	}
	event, err := bundle.NewMergeEvent(bundle.EventMeta{
		EventID: "00000000-0000-4000-8000-000000000001", ReviewID: bundle.ReviewMerge, Reason: "Merge 0 and 1 revisions", Time: time.Now(),
	}, first.state, first.state, nil, parents, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := s.writer(l, fixedIdentity)
	made, err := w.revision(maps.Clone(first.tree), parents, event, &first.state, first.state, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(t.Context(), w.objs); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, made.id)
	return made.id
}

func TestMergeOfARevisionWithOneBelowItIsNamed(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	base, one, _ := sides(t, s, dir)
	git(t, dir, "update-ref", testRef, one)
	id := forged(t, s, dir, base, one)
	report, err := s.Verify(t.Context())
	if err != nil || report.Valid || report.Frozen != "merge "+short(id)+" brings nothing together: it was forged" {
		t.Errorf("report %+v, %v", report, err)
	}
	_, err = s.Inspect(t.Context(), Inspection{Tip: id, Known: []string{one}, Merge: s.Remake})
	var broken *BrokenRuleError
	if !errors.As(err, &broken) {
		t.Errorf("incoming: %v", err)
	}
	if _, err := s.Merge(t.Context(), base, one); !errors.Is(err, merge.ErrNoCause) {
		t.Errorf("merged: %v", err)
	}
}

// Three heads merged in two orders hold the same revisions: to merge those again
// has no cause.
func TestMergeOfTheSameRevisionsIsNamed(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	base, one, two := sides(t, s, dir)
	git(t, dir, "update-ref", testRef, base)
	three := apply(t, s, drift("three")).ID
	both := func(a, b string) string {
		id, err := s.Merge(t.Context(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	left, right := both(both(one, two), three), both(one, both(two, three))
	if left == right {
		t.Fatal("the same commit")
	}
	for _, path := range []string{bundle.CompassFile, bundle.RailFile} {
		if git(t, dir, "rev-parse", left+":"+path) != git(t, dir, "rev-parse", right+":"+path) {
			t.Errorf("%s differs", path)
		}
	}
	if _, err := s.Merge(t.Context(), left, right); !errors.Is(err, merge.ErrNoCause) {
		t.Errorf("merged: %v", err)
	}
	id := forged(t, s, dir, left, right)
	report, err := s.Verify(t.Context())
	if err != nil || report.Valid || report.Frozen != "merge "+short(id)+" brings nothing together: it was forged" {
		t.Errorf("report %+v, %v", report, err)
	}
}

// Version 1 makes merges of two, and reads those of more that say the same.
func TestMergeOfThreeIsHeldToTheRule(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	base, one, two := sides(t, s, dir)
	git(t, dir, "update-ref", testRef, base)
	three := apply(t, s, drift("three")).ID
	l := s.loader()
	defer l.Close()
	w := s.writer(l, fixedIdentity)
	made, err := w.merge(t.Context(), s.past(l), []string{one, two, three})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(t.Context(), w.objs); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "update-ref", testRef, made.id)
	wantValid(t, openAt(t, dir), dir, 5)
	id := forged(t, s, dir, one, two, three)
	report, err := s.Verify(t.Context())
	if err != nil || report.Valid || report.Frozen != "merge "+short(id)+" is not what its parents make: it was forged or damaged" {
		t.Errorf("report %+v, %v", report, err)
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
