package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"chatrail/bundle"
)

const (
	entryPath = "entries/2026/11/30-some-title.md"
	taskPath  = "tasks/some-title.md"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func genesisKeepsItsNotes(t *testing.T, open Opener) {
	d := genesis()
	d.Notes = []bundle.Note{note(taskPath, "first\n")}
	f := open(t, d)
	tip := mustTip(t, f.Store)
	want := []bundle.NoteDigest{{Path: taskPath, SHA256: digest("first\n")}}
	if !slices.Equal(tip.Event.Notes, want) {
		t.Errorf("event notes %v, want %v", tip.Event.Notes, want)
	}
	mustRead(t, f.Reopen(t), tip.ID, taskPath, "first\n")
}

func notesAreWritten(t *testing.T, open Opener) {
	f := open(t, genesis())
	rev := mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		d, err := say("one")(present)
		d.Notes = []bundle.Note{note(taskPath, "task\n"), note(entryPath, "entry, ü\x00\r\n"), note("tasks/empty.md", "")}
		return d, err
	})
	want := []bundle.NoteDigest{
		{Path: entryPath, SHA256: digest("entry, ü\x00\r\n")},
		{Path: "tasks/empty.md", SHA256: digest("")},
		{Path: taskPath, SHA256: digest("task\n")},
	}
	for _, s := range []bundle.Store{f.Store, f.Reopen(t)} {
		tip := mustTip(t, s)
		if tip.ID != rev.ID || tip.State.Compass.Drift != "one" {
			t.Errorf("tip %s, want %s with the state of the same draft", tip.ID, rev.ID)
		}
		if !slices.Equal(tip.Event.Notes, want) {
			t.Errorf("event notes %v, want %v", tip.Event.Notes, want)
		}
		mustRead(t, s, rev.ID, entryPath, "entry, ü\x00\r\n")
		mustRead(t, s, rev.ID, taskPath, "task\n")
		mustRead(t, s, rev.ID, "tasks/empty.md", "")
	}
}

func notesAloneAreAChange(t *testing.T, open Opener) {
	f := open(t, genesis())
	before := mustTip(t, f.Store)
	rev := mustApply(t, f.Store, write("one", note(taskPath, "task\n")))
	if rev.ID == before.ID || !rev.State.Equal(before.State) || len(rev.Event.Transitions) != 0 {
		t.Errorf("revision %s with %d transitions after %s", rev.ID, len(rev.Event.Transitions), before.ID)
	}
	next := mustApply(t, f.Store, write("two", note(taskPath, "task, again\n")))
	mustRead(t, f.Store, next.ID, taskPath, "task, again\n")
}

func unchangedNoteIsNoChange(t *testing.T, open Opener) {
	f := open(t, genesis())
	tip := mustApply(t, f.Store, write("one", note(taskPath, "task\n")))
	check := unchanged(t, f.Store)
	rev, changed, err := f.Reopen(t).Apply(t.Context(), write("two", note(taskPath, "task\n")))
	if err != nil || changed || rev.ID != tip.ID {
		t.Errorf("got %v, %v, %v; want the tip and no change", rev, changed, err)
	}
	check()
}

func onlyChangedNotesAreInTheEvent(t *testing.T, open Opener) {
	f := open(t, genesis())
	mustApply(t, f.Store, write("one", note(taskPath, "task\n"), note(entryPath, "entry\n")))
	rev := mustApply(t, f.Store, write("two", note(taskPath, "task\n"), note(entryPath, "entry, again\n")))
	want := []bundle.NoteDigest{{Path: entryPath, SHA256: digest("entry, again\n")}}
	if !slices.Equal(rev.Event.Notes, want) {
		t.Errorf("event notes %v, want %v", rev.Event.Notes, want)
	}
}

func notesAreListedAtARevision(t *testing.T, open Opener) {
	f := open(t, genesis())
	root := mustTip(t, f.Store)
	one := mustApply(t, f.Store, write("one", note(taskPath, "task\n")))
	mustApply(t, f.Store, say("between"))
	two := mustApply(t, f.Store, write("two", note("tasks/b.md", "b\n"), note(entryPath, "entry\n")))
	tip := mustApply(t, f.Store, say("after"))
	for _, c := range []struct {
		id   string
		want []string
	}{
		{root.ID, nil},
		{one.ID, []string{taskPath}},
		{two.ID, []string{entryPath, "tasks/b.md", taskPath}},
		{tip.ID, []string{entryPath, "tasks/b.md", taskPath}},
	} {
		for _, s := range []bundle.Store{f.Store, f.Reopen(t)} {
			if got, err := s.Notes(t.Context(), c.id); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("notes at %s: %q, %v; want %q", c.id, got, err, c.want)
			}
		}
	}
	mustRead(t, f.Store, one.ID, taskPath, "task\n")
	mustRead(t, f.Store, tip.ID, entryPath, "entry\n")
}

func missingNoteIsNotFound(t *testing.T, open Opener) {
	f := open(t, genesis())
	root := mustTip(t, f.Store)
	tip := mustApply(t, f.Store, write("one", note(entryPath, "entry\n")))
	for _, c := range []struct{ id, path string }{
		{tip.ID, "tasks/none.md"}, {tip.ID, "entries/2026"}, {tip.ID, entryPath + "/x"}, {root.ID, entryPath},
	} {
		if data, err := f.Store.Note(t.Context(), c.id, c.path); !errors.Is(err, bundle.ErrNotFound) {
			t.Errorf("note %s at %s: %q, %v; want not found", c.path, c.id, data, err)
		}
	}
}

func badNotePathsAreRefused(t *testing.T, open Opener) {
	f := open(t, genesis())
	check := unchanged(t, f.Store)
	tip := mustTip(t, f.Store)
	for _, path := range []string{
		"", "a.md", "/entries/a.md", "entries", "entries/", "other/a.md", "entries/../tasks/a.md", "tasks/../../a.md",
		"entries//a.md", "entries/a.md/", "entries/./a.md", `entries\a.md`, `tasks/a\b.md`, "entries/.git/config",
		"entries/.GIT/config", "tasks/a\x00.md", "tasks/a\nb.md", "tasks/a\x1b[0m.md", bundle.EventsFile, bundle.CompassFile,
	} {
		var rule *bundle.RuleError
		if _, changed, err := f.Store.Apply(t.Context(), write("bad", note(path, "text"))); !errors.As(err, &rule) || changed {
			t.Errorf("write %q: %v, %v; want a rule error", path, changed, err)
		}
		if data, err := f.Store.Note(t.Context(), tip.ID, path); err == nil {
			t.Errorf("read %q: %q, want an error", path, data)
		}
	}
	check()
}

func mustRead(t *testing.T, s bundle.Store, id, path, want string) {
	t.Helper()
	if got, err := s.Note(t.Context(), id, path); err != nil || string(got) != want {
		t.Errorf("note %s at %s: %q, %v; want %q", path, id, got, err, want)
	}
}

func notesAreGoneThrough(t *testing.T, open Opener) {
	f := open(t, genesis())
	mustApply(t, f.Store, write("one", note(taskPath, "task\n"), note(entryPath, "entry\n")))
	first := through(t, f.Reopen(t), mustTip(t, f.Store).ID)
	tip := mustApply(t, f.Store, write("two", note(taskPath, "task, longer\n"), note("tasks/new.md", "new\n")))
	second := through(t, f.Reopen(t), tip.ID)
	if got := paths(second); !slices.Equal(got, []string{entryPath, "tasks/new.md", taskPath}) {
		t.Fatalf("went through %v", got)
	}
	for i, want := range []string{"entry\n", "new\n", "task, longer\n"} {
		if string(second[i].Data) != want {
			t.Errorf("%s holds %q, want %q", second[i].Path, second[i].Data, want)
		}
	}
	stamps := func(list []seen, path string) string {
		return list[slices.IndexFunc(list, func(s seen) bool { return s.Path == path })].Stamp
	}
	if stamps(first, taskPath) == stamps(second, taskPath) && stamps(first, taskPath) != "" {
		t.Error("the stamp of a note stays when its bytes change")
	}
	if stamps(first, entryPath) != stamps(second, entryPath) {
		t.Error("the stamp of a note changes when its bytes do not")
	}
	read := 0
	err := f.Store.EachNote(t.Context(), tip.ID, func(r bundle.NoteRef) bool { return r.Path == taskPath },
		func(bundle.NoteRef, []byte) error { read++; return errStop })
	if !errors.Is(err, errStop) || read != 1 {
		t.Errorf("read %d notes and returned %v, want one and the error", read, err)
	}
}

var errStop = errors.New("stop")

// seen is a note that was gone through.
type seen struct {
	bundle.NoteRef
	Data []byte
}

func through(t *testing.T, s bundle.Store, id string) (list []seen) {
	t.Helper()
	err := s.EachNote(t.Context(), id, func(bundle.NoteRef) bool { return true }, func(ref bundle.NoteRef, data []byte) error {
		list = append(list, seen{ref, slices.Clone(data)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func paths(list []seen) (paths []string) {
	for _, s := range list {
		paths = append(paths, s.Path)
	}
	return paths
}
