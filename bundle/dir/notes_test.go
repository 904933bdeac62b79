package dir

import (
	"errors"
	"os"
	"slices"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

func TestNoteEditedByHandGetsItsEventWithTheNextApply(t *testing.T) {
	s := newBundle(t, say("one", note("tasks/a.md", "text"), note("tasks/same.md", "same")))
	writeFile(t, s.file("tasks/a.md"), "by hand")
	writeFile(t, s.file("entries/2026/new.md"), "new by hand")
	writeFile(t, s.file("entries/.hidden.md"), "an editor's")
	writeFile(t, s.file("entries/picture.png"), "no note")
	if report := mustVerify(t, s); !report.Valid || len(report.Warnings) != 1 {
		t.Errorf("report %+v", *report)
	}
	present := mustTip(t, s)
	if data, err := s.Note(t.Context(), present.ID, "tasks/a.md"); err != nil || string(data) != "by hand" {
		t.Errorf("the newest revision does not show the edit: %q, %v", data, err)
	}
	next := mustApply(t, s, say("two"))
	repair, err := s.Read(t.Context(), next.Parents[0])
	if err != nil {
		t.Fatal(err)
	}
	want := []bundle.NoteDigest{
		{Path: "entries/2026/new.md", SHA256: draft.Digest([]byte("new by hand"))},
		{Path: "tasks/a.md", SHA256: draft.Digest([]byte("by hand"))},
	}
	if !slices.Equal(repair.Event.Notes, want) || repair.Event.ReviewID != bundle.ReviewRepair {
		t.Errorf("event %+v, notes %v; want %v", repair.Event.EventMeta, repair.Event.Notes, want)
	}
	if len(next.Event.Notes) != 0 || !repair.State.Equal(present.State) {
		t.Error("the edit is mixed with the change")
	}
	paths, err := s.Notes(t.Context(), next.ID)
	if err != nil || !slices.Equal(paths, []string{"entries/2026/new.md", "tasks/a.md", "tasks/same.md"}) {
		t.Errorf("notes %q, %v", paths, err)
	}
	mustBeClean(t, s)
}

func TestApplySeesTheNoteThatAPersonEdited(t *testing.T) {
	s := newBundle(t, say("one", note("tasks/a.md", "text")))
	writeFile(t, s.file("tasks/a.md"), "by hand")
	runs := 0
	mustApply(t, s, func(present *bundle.Revision) (bundle.Draft, error) {
		runs++
		data, err := s.Note(t.Context(), present.ID, "tasks/a.md")
		if err != nil {
			return bundle.Draft{}, err
		}
		return say("two", note("tasks/a.md", string(data)+", and more"))(present)
	})
	if got := readText(t, s.file("tasks/a.md")); got != "by hand, and more" {
		t.Errorf("the note is %q", got)
	}
	if runs != 2 {
		t.Errorf("the change ran %d times: once before and once after the event of the edit is right", runs)
	}
}

func TestEditIsRecordedAlsoWhereTheChangeIsNone(t *testing.T) {
	s := newBundle(t, say("one", note("tasks/a.md", "text")))
	writeFile(t, s.file("tasks/a.md"), "by hand")
	rev, changed, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		return bundle.Draft{State: present.State}, nil
	})
	if err != nil || changed || rev.Event.ReviewID != bundle.ReviewRepair {
		t.Errorf("%+v, %v, %v", rev, changed, err)
	}
	mustBeClean(t, s)
}

func TestOldNoteIsThereWhileThePresentFileHasItsBytes(t *testing.T) {
	s := newBundle(t)
	one := mustApply(t, s, say("one", note("tasks/a.md", "first"), note("tasks/b.md", "kept")))
	two := mustApply(t, s, say("two", note("tasks/a.md", "second")))
	mustApply(t, s, say("three", note("tasks/c.md", "later")))
	if data, err := s.Note(t.Context(), one.ID, "tasks/a.md"); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("overwritten note: %q, %v", data, err)
	}
	for id, path := range map[string]string{one.ID: "tasks/b.md", two.ID: "tasks/a.md"} {
		if _, err := s.Note(t.Context(), id, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if data, err := s.Note(t.Context(), two.ID, "tasks/c.md"); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("a note from the future: %q, %v", data, err)
	}
}

func TestRemovedNoteIsGoneAndBlocksNothing(t *testing.T) {
	s := newBundle(t, say("one", note("tasks/a.md", "text")))
	if err := os.Remove(s.file("tasks/a.md")); err != nil {
		t.Fatal(err)
	}
	tip := mustTip(t, s)
	if paths, err := s.Notes(t.Context(), tip.ID); err != nil || len(paths) != 0 {
		t.Errorf("notes %q, %v", paths, err)
	}
	if _, err := s.Note(t.Context(), tip.ID, "tasks/a.md"); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("note: %v", err)
	}
	next := mustApply(t, s, say("two", note("tasks/a.md", "text"))) // the same bytes again
	if len(next.Event.Notes) != 1 || next.Parents[0] != tip.ID {
		t.Errorf("notes %v on %q", next.Event.Notes, next.Parents)
	}
	mustBeClean(t, s)
}

func TestFileInTheWayOfANoteIsAnErrorAndLeavesNothing(t *testing.T) {
	s := newBundle(t, say("one", note("tasks/a", "text")))
	before := snapshot(t, s.path)
	for _, path := range []string{"tasks/a/b.md", "tasks/c/d.md"} {
		if path == "tasks/c/d.md" { // a folder in the way
			if err := os.MkdirAll(s.file(path), 0o777); err != nil {
				t.Fatal(err)
			}
			before = snapshot(t, s.path)
		}
		if _, changed, err := s.Apply(t.Context(), say("two", note("entries/x/y.md", "text"), note(path, "text"))); err == nil || changed {
			t.Errorf("%s: %v, %v", path, changed, err)
		}
		mustBeSame(t, snapshot(t, s.path), before)
	}
}

func TestForeignNotePathsInTheHistoryAreNeverTouched(t *testing.T) {
	s := newBundle(t, say("one"))
	tip := mustTip(t, s)
	event, err := bundle.NewEvent(bundle.EventMeta{
		EventID: "01990000-0000-4000-8000-000000000001", ReviewID: "r", Reason: "hostile", Time: tip.Event.Time,
	}, &tip.State, tip.State, []bundle.NoteDigest{{Path: "entries/../../outside.md", SHA256: draft.Digest([]byte("x"))}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.path+"/../outside.md", "mine")
	edit(t, s, bundle.EventsFile, func(text string) string { return text + string(event.Line) + "\n" })
	tip = mustTip(t, s)
	if paths, err := s.Notes(t.Context(), tip.ID); err != nil || len(paths) != 0 {
		t.Errorf("notes %q, %v", paths, err)
	}
	if data, err := s.Note(t.Context(), tip.ID, "entries/../../outside.md"); err == nil {
		t.Errorf("read %q", data)
	}
	mustApply(t, s, say("two"))
	mustBeClean(t, s)
}
