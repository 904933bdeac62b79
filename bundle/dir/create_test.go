package dir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"chatrail/bundle"
)

func TestCreateWithSyncsGivesAWholeBundle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "parents", ".chatrail")
	s, err := Create(t.Context(), path, genesis(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, say("one", note("entries/2026/a.md", "text")))
	mustBeClean(t, Open(path, Options{}))
}

func TestCreateOverABundleIsRefusedAndChangesNothing(t *testing.T) {
	s := newBundle(t, say("one"))
	before := snapshot(t, filepath.Dir(s.path))
	if _, err := Create(t.Context(), s.path, genesis(), Options{}); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	mustBeSame(t, snapshot(t, filepath.Dir(s.path)), before)
}

func TestCreateTakesOnlyAFreePlace(t *testing.T) {
	parent := t.TempDir()
	place := func(name string) string { return filepath.Join(parent, name) }
	writeFile(t, place("file"), "mine")
	writeFile(t, place("other/notes.txt"), "mine")
	writeFile(t, place("partial/"+bundle.RailFile), "mine")
	if err := os.Mkdir(place("empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	bad := []string{"file", "other", "partial", "file/below"}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(place("empty"), place("link")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(place("nowhere"), place("dead")); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, "link", "dead")
	}
	before := snapshot(t, parent)
	for _, name := range bad {
		if _, err := Create(t.Context(), place(name), genesis(), Options{}); err == nil || errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustBeSame(t, snapshot(t, parent), before)
	s, err := Create(t.Context(), place("empty"), genesis(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustBeClean(t, s)
}

func TestCreateRefusesABrokenGenesisAndACancelledContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".chatrail")
	draft := genesis()
	draft.State.Compass.Heading.X = 33
	var rule *bundle.RuleError
	if _, err := Create(t.Context(), path, draft, Options{}); !errors.As(err, &rule) {
		t.Errorf("broken: %v", err)
	}
	draft = genesis()
	draft.Meta.Reason = ""
	if _, err := Create(t.Context(), path, draft, Options{}); !errors.As(err, &rule) {
		t.Errorf("no reason: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Create(ctx, path, genesis(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestCreateRemovesWhatDeadOnesLeftAndNothingElse(t *testing.T) {
	parent := t.TempDir()
	s := open(filepath.Join(parent, ".chatrail"), Options{})
	left := filepath.Join(parent, s.buildPrefix()+"dead")
	writeFile(t, filepath.Join(left, "entries", "a.md"), "half")
	neighbour := filepath.Join(parent, open(filepath.Join(parent, "other"), Options{}).buildPrefix()+"alive")
	writeFile(t, filepath.Join(neighbour, bundle.RailFile), "another's")
	for range 2 {
		if err := s.create(t.Context(), genesis()); err != nil && !errors.Is(err, ErrExists) {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); !os.IsNotExist(err) {
			t.Errorf("%s is still there", left)
		}
		writeFile(t, filepath.Join(left, bundle.RailFile), "half") // beside a bundle, too
	}
	if _, err := os.Stat(neighbour); err != nil {
		t.Error(err)
	}
}

func TestPrivateBundleIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing there")
	}
	path := filepath.Join(t.TempDir(), "tasks", "0f")
	s := open(path, Options{Private: true})
	draft := genesis()
	draft.Notes = []bundle.Note{note("tasks/b/c.md", "text")}
	if err := s.create(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	edit(t, s, bundle.EventsFile, func(text string) string { return text + "{half" })
	mustApply(t, s, say("one", note("entries/2026/a.md", "text")))
	err := filepath.WalkDir(filepath.Dir(path), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReplacedFileKeepsTheModeItHad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing there")
	}
	s := newBundle(t, say("one", note("tasks/a.md", "text")))
	for _, name := range []string{bundle.CompassFile, bundle.RailFile, "tasks/a.md"} {
		if err := os.Chmod(s.file(name), 0o664); err != nil {
			t.Fatal(err)
		}
	}
	mustApply(t, s, say("two", note("tasks/a.md", "again")))
	for _, name := range []string{bundle.CompassFile, bundle.RailFile, "tasks/a.md"} {
		if info, err := os.Stat(s.file(name)); err != nil || info.Mode().Perm() != 0o664 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestShapeCountsOnlyRegularFiles(t *testing.T) {
	whole := newBundle(t)
	linkedFolder := filepath.Join(t.TempDir(), "link")
	part, links, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "file")
	writeFile(t, filepath.Join(part, bundle.EventsFile), "")
	writeFile(t, file, "")
	cases := map[string]Condition{
		whole.path: Complete, part: Partial, t.TempDir(): Absent, file: Absent, filepath.Join(t.TempDir(), "none"): Absent,
	}
	if runtime.GOOS != "windows" {
		for _, name := range files {
			if err := os.Symlink(whole.file(name), filepath.Join(links, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(whole.path, linkedFolder); err != nil {
			t.Fatal(err)
		}
		cases[links], cases[linkedFolder] = Partial, Complete
	}
	for path, want := range cases {
		if got, err := Shape(path); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", path, got, err, want)
		}
	}
}

func TestMissingBundleIsNotFound(t *testing.T) {
	s := open(filepath.Join(t.TempDir(), "none"), Options{})
	ctx := t.Context()
	_, tip := s.Tip(ctx)
	_, root := s.Root(ctx)
	_, read := s.Read(ctx, "01990000")
	_, notes := s.Notes(ctx, "01990000")
	_, verify := s.Verify(ctx)
	_, _, apply := s.Apply(ctx, say("one"))
	walk := s.Walk(ctx, "", func(*bundle.Revision) (bool, error) { return true, nil })
	for i, err := range []error{tip, root, read, notes, verify, apply, walk} {
		if !errors.Is(err, bundle.ErrNotFound) {
			t.Errorf("method %d: %v", i, err)
		}
	}
}
