package task

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/refs"
)

// pinned is a place in a repository, pinned with the root revision "root", and
// the tip it had.
func pinned(t *testing.T, w *world) (Place, string) {
	t.Helper()
	newRepo(t, w.project)
	tip := putRef(t, w.project, refs.Project())
	p, err := w.discover(w.project)
	must(t, err)
	p.Root = "root"
	must(t, w.state.SaveView(p, View{Tip: tip, Root: "root"}))
	return p, tip
}

func TestAHealthyReferenceIsStillTheSameBundle(t *testing.T) {
	w := newWorld(t)
	p, tip := pinned(t, w)
	s, err := w.state.Check(p)
	must(t, err)
	if s.Frozen != "" || s.Tip != tip || s.Repo == nil || s.Place != p {
		t.Errorf("%+v", s)
	}
}

func TestAPinWithoutIdentityIsCompleted(t *testing.T) {
	w := newWorld(t)
	p, _ := pinned(t, w)
	bare := Place{Kind: p.Kind, Path: p.Path, Ref: p.Ref, WorkTree: p.WorkTree, Frozen: "was broken when it was found"}
	s, err := w.state.Check(bare)
	must(t, err)
	if s.Frozen != "" || s.Place != p {
		t.Errorf("%+v\nwant %+v", s.Place, p)
	}
}

func TestWhatStandsAtAPinInsteadIsNeverTakenForIt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, w *world, p Place)
		cause  string
		ask    bool
	}{
		"the repository is gone": {func(t *testing.T, w *world, p Place) {
			must(t, os.RemoveAll(w.project))
		}, "repository of the bundle is gone", false},
		"only the git folder is gone": {func(t *testing.T, w *world, p Place) {
			must(t, os.RemoveAll(p.Path))
		}, "repository of the bundle is gone", false},
		"another repository without a bundle": {func(t *testing.T, w *world, p Place) {
			must(t, os.RemoveAll(p.Path))
			newRepo(t, w.project)
		}, "another repository", false},
		"another repository with a bundle": {func(t *testing.T, w *world, p Place) {
			must(t, os.RemoveAll(p.Path))
			newRepo(t, w.project)
			git(t, w.project, "commit", "-q", "--allow-empty", "-m", "makes the tip another one")
			putRef(t, w.project, refs.Project())
		}, "another repository", true},
		"another bundle on the reference": {func(t *testing.T, w *world, p Place) {
			git(t, w.project, "commit", "-q", "--allow-empty", "-m", "second")
			tip := putRef(t, w.project, refs.Project())
			must(t, w.state.SaveView(p, View{Tip: tip, Root: "other"}))
		}, "another bundle", true},
		"the reference is gone": {func(t *testing.T, w *world, p Place) {
			git(t, w.project, "update-ref", "-d", p.Ref)
		}, "is gone; it was at ", false},
		"the reference is gone and so is the cache": {func(t *testing.T, w *world, p Place) {
			git(t, w.project, "update-ref", "-d", p.Ref)
			must(t, os.RemoveAll(w.state.Dir))
		}, "is gone", false},
		"the reference is garbage": {func(t *testing.T, w *world, p Place) {
			write(t, filepath.Join(p.Path, "refs", "chatrail", "project"), "")
		}, "cannot be read", false},
	} {
		w := newWorld(t)
		p, _ := pinned(t, w)
		c.change(t, w, p)
		s, err := w.state.Check(p)
		if err != nil || !strings.Contains(s.Frozen, c.cause) || s.AskRoot != c.ask {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if again, _ := w.state.Check(p); again.Frozen != s.Frozen {
			t.Errorf("%s: the cause is worded %q and %q", name, s.Frozen, again.Frozen)
		}
	}
}

func TestARepositoryClonedAnewWithTheSameBundleIsTheSame(t *testing.T) {
	w := newWorld(t)
	p, tip := pinned(t, w)
	copied := filepath.Join(w.root, "copy")
	git(t, w.root, "clone", "-q", "--mirror", w.project, copied)
	must(t, os.RemoveAll(p.Path))
	must(t, os.Rename(copied, p.Path))
	git(t, p.Path, "config", "core.bare", "false")
	s, err := w.state.Check(p)
	must(t, err)
	if s.Frozen != "" || s.Tip != tip || s.Place.Root != "root" {
		t.Errorf("%+v", s)
	}
}

func TestAFolderAtAPinIsTheSameBundleOrFrozen(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		cause  string
	}{
		"untouched":  {func(string) error { return nil }, ""},
		"gone":       {os.RemoveAll, "gone"},
		"incomplete": {func(dir string) error { return os.Remove(filepath.Join(dir, railFile)) }, "missing"},
		"another identity": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, eventsFile), []byte(`{"event_id":"x"}`+"\n"), 0o644)
		}, "another bundle"},
	} {
		w := newWorld(t)
		dir := newBundleDir(t, w.at(bundleDir))
		p, err := w.discover(w.project)
		must(t, err)
		must(t, c.change(dir))
		s, err := w.state.Check(p)
		if err != nil || (s.Frozen == "") != (c.cause == "") || !strings.Contains(s.Frozen, c.cause) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestARepairedFolderIsNoLongerFrozen(t *testing.T) {
	w := newWorld(t)
	dir := newBundleDir(t, w.at(bundleDir))
	must(t, os.Remove(filepath.Join(dir, compassFile)))
	p, err := w.discover(w.project)
	must(t, err)
	if s, _ := w.state.Check(p); s.Frozen == "" || p.Frozen == "" {
		t.Errorf("%+v", s)
	}
	newBundleDir(t, dir)
	if s, err := w.state.Check(p); err != nil || s.Frozen != "" || s.Place.Root != firstEvent || s.Place.Frozen != "" {
		t.Errorf("%+v, %v", s, err)
	}
}
