package gitstore

import (
	"testing"

	"chatrail/bundle"
)

func TestMergeIsTheSameCommitOnEveryMachine(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	ctx := t.Context()
	base := create(t, s, genesisDraft()).ID
	one := apply(t, s, drift("one", bundle.Note{Path: "tasks/a.md", Data: []byte("a")})).ID
	git(t, dir, "update-ref", testRef, base)
	two := apply(t, s, question("two")).ID
	ab, err := s.Merge(ctx, one, two)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "config", "user.name", "Somebody Else")
	ba, err := s.Merge(ctx, two, one)
	if err != nil || ab != ba {
		t.Fatalf("%s and %s, %v", ab, ba, err)
	}
	if err := s.Move(ctx, two, ab, "merge"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remake(ctx, ab); err != nil {
		t.Error(err)
	}
	report, err := s.Verify(ctx)
	if err != nil || !report.Valid || report.Events != 4 {
		t.Errorf("%+v, %v", report, err)
	}
}
