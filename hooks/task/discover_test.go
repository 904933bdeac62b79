package task

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/refs"
)

// world is a folder with a user's home in it, a project and a state home.
type world struct {
	t                   *testing.T
	root, user, project string
	state               Home
	foreign             map[string]bool
}

func newWorld(t *testing.T) *world {
	root := realTemp(t)
	w := &world{t: t, root: root, user: filepath.Join(root, "home"), foreign: map[string]bool{}}
	w.project = filepath.Join(w.user, "src", "project")
	w.state = Home{Dir: filepath.Join(w.user, ".codex", "chatrail")}
	must(t, os.MkdirAll(filepath.Join(w.project, "a", "b"), 0o755))
	return w
}

func (w *world) discover(cwd string) (Place, error) {
	return Discover(cwd, DiscoverOptions{
		State: w.state, UserHome: w.user,
		Foreign: func(dir string) bool { return w.foreign[dir] },
	})
}

// expect checks what is found from a folder: a reference of the repository
// whose common directory is at, a folder at, or with an empty kind nothing.
func (w *world) expect(cwd string, kind Kind, at, ref string) Place {
	w.t.Helper()
	p, err := w.discover(cwd)
	if kind == "" {
		if !errors.Is(err, ErrNone) {
			w.t.Errorf("from %s: found %+v, %v; want nothing", cwd, p, err)
		}
		return p
	}
	if err != nil || p.Kind != kind || p.Path != at || p.Ref != ref {
		w.t.Errorf("from %s: found %+v, %v; want %s %s %s", cwd, p, err, kind, at, ref)
	}
	return p
}

func (w *world) at(parts ...string) string {
	dir := filepath.Join(append([]string{w.project}, parts...)...)
	must(w.t, os.MkdirAll(dir, 0o755))
	return dir
}

func TestTheProjectBundleIsFoundFromEveryFolderBelow(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	common := filepath.Join(w.project, ".git")
	w.expect(w.at("a", "b"), "", "", "")
	putRef(t, w.project, refs.Project())
	for _, dir := range []string{w.project, w.at("a"), w.at("a", "b")} {
		p := w.expect(dir, KindGit, common, refs.Project())
		if p.WorkTree != w.project || p.Marker == "" || p.Frozen != "" {
			t.Errorf("from %s: %+v", dir, p)
		}
	}
}

func TestTheNearestBundleIsTaken(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	common := filepath.Join(w.project, ".git")
	putRef(t, w.project, refs.Project())
	putRef(t, w.project, refs.AtFolder("a"))
	w.expect(w.at("a", "b"), KindGit, common, refs.AtFolder("a"))
	w.expect(w.at("other"), KindGit, common, refs.Project())
	dir := newBundleDir(t, w.at("a", "b", bundleDir))
	p := w.expect(w.at("a", "b", "deep"), KindDir, dir, "")
	if p.Root != firstEvent || p.WorkTree != w.at("a", "b") {
		t.Errorf("%+v", p)
	}
}

func TestAReferenceCountsBeforeAFolderAtTheSamePlace(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	dir := newBundleDir(t, w.at(bundleDir))
	w.expect(w.at("a"), KindDir, dir, "")
	putRef(t, w.project, refs.Project())
	w.expect(w.at("a"), KindGit, filepath.Join(w.project, ".git"), refs.Project())
}

func TestAFolderOutsideAnyRepositoryIsFound(t *testing.T) {
	w := newWorld(t)
	dir := newBundleDir(t, w.at(bundleDir))
	w.expect(w.at("a", "b"), KindDir, dir, "")
}

func TestTheSearchStopsBelowTheHomeDirectory(t *testing.T) {
	w := newWorld(t)
	newBundleDir(t, filepath.Join(w.user, bundleDir))
	newBundleDir(t, filepath.Join(w.root, bundleDir))
	for _, cwd := range []string{w.at("a"), w.user} {
		w.expect(cwd, "", "", "")
	}
	w.expect(w.root, KindDir, filepath.Join(w.root, bundleDir), "")
	must(t, os.Symlink(w.user, filepath.Join(w.root, "link")))
	p, err := Discover(w.at("a"), DiscoverOptions{UserHome: filepath.Join(w.root, "link"), Foreign: func(string) bool { return false }})
	if !errors.Is(err, ErrNone) {
		t.Errorf("a home directory named by a link: %+v, %v", p, err)
	}
	if p, err := w.discover(filepath.VolumeName(w.root) + string(filepath.Separator)); !errors.Is(err, ErrNone) {
		t.Errorf("at the root of the file system: %+v, %v", p, err)
	}
}

func TestARepositoryAtTheHomeDirectoryLendsOnlyBundlesOfItsFolders(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.user)
	putRef(t, w.user, refs.Project())
	w.expect(w.at("a"), "", "", "")
	w.expect(w.user, "", "", "")
	putRef(t, w.user, refs.AtFolder("src/project"))
	w.expect(w.at("a"), KindGit, filepath.Join(w.user, ".git"), refs.AtFolder("src/project"))
}

func TestABrokenBundleFolderIsPinnedFrozen(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no compass":   func(dir string) error { return os.Remove(filepath.Join(dir, compassFile)) },
		"no rail":      func(dir string) error { return os.Remove(filepath.Join(dir, railFile)) },
		"no events":    func(dir string) error { return os.Remove(filepath.Join(dir, eventsFile)) },
		"events empty": func(dir string) error { return os.Truncate(filepath.Join(dir, eventsFile), 0) },
		"events garbage": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, eventsFile), []byte("<<<<<<< HEAD\n"), 0o644)
		},
		"first event torn": func(dir string) error { return os.Truncate(filepath.Join(dir, eventsFile), 20) },
		"rail is a folder": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, railFile)), os.Mkdir(filepath.Join(dir, railFile), 0o755))
		},
		"rail is a link": func(dir string) error {
			elsewhere := filepath.Join(filepath.Dir(dir), "rail")
			return errors.Join(os.Rename(filepath.Join(dir, railFile), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, railFile)))
		},
		"a file": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644)) },
		"a link": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-real"), os.Symlink(dir+"-real", dir))
		},
	} {
		w := newWorld(t)
		newBundleDir(t, filepath.Join(w.user, "src", bundleDir)) // must not be taken instead
		dir := newBundleDir(t, w.at(bundleDir))
		must(t, damage(dir))
		p, err := w.discover(w.at("a"))
		if err != nil || p.Kind != KindDir || p.Path != dir || p.Frozen == "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		again, err := w.discover(w.at("a"))
		if err != nil || again != p || strings.ContainsAny(p.Frozen, "\n") || strings.Contains(p.Frozen, w.root) {
			t.Errorf("%s: the cause %q is not one stable line", name, p.Frozen)
		}
	}
}

func TestAnEmptyBundleFolderIsNoBundle(t *testing.T) {
	w := newWorld(t)
	w.at(bundleDir)
	w.expect(w.at("a"), "", "", "")
}

func TestAReferenceThatThisUserSawAndThatIsGoneIsFrozen(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	tip := putRef(t, w.project, refs.Project())
	newBundleDir(t, w.at(bundleDir)) // the folder it was made from must not come back
	p := w.expect(w.project, KindGit, filepath.Join(w.project, ".git"), refs.Project())
	must(t, w.state.SaveView(p, View{Tip: tip, Root: "root"}))
	git(t, w.project, "update-ref", "-d", refs.Project())
	for _, cwd := range []string{w.project, w.at("a", "b")} {
		p = w.expect(cwd, KindGit, filepath.Join(w.project, ".git"), refs.Project())
		if !strings.Contains(p.Frozen, tip) || p.Root != "root" {
			t.Errorf("%+v", p)
		}
	}
	must(t, w.state.SaveView(p, View{Frozen: p.Frozen})) // nothing could be read
	if got := w.expect(w.project, KindGit, p.Path, p.Ref); !strings.Contains(got.Frozen, tip) {
		t.Errorf("a failed read made the tip unknown: %+v", got)
	}
}

func TestAnotherRepositoryAtThePathDoesNotMissTheReferenceOfTheFirst(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	tip := putRef(t, w.project, refs.Project())
	p, err := w.discover(w.project)
	must(t, err)
	must(t, w.state.SaveView(p, View{Tip: tip}))
	must(t, os.RemoveAll(filepath.Join(w.project, ".git")))
	newRepo(t, w.project)
	w.expect(w.project, "", "", "")
}

func TestAReferenceThatCannotBeReadIsFrozen(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	putRef(t, w.project, refs.Project())
	write(t, filepath.Join(w.project, ".git", "refs", "chatrail", "project"), "garbage\n")
	p := w.expect(w.at("a"), KindGit, filepath.Join(w.project, ".git"), refs.Project())
	if p.Frozen == "" {
		t.Errorf("%+v", p)
	}
}

func TestTheRootRevisionComesFromAViewOfTheSameTip(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	tip := putRef(t, w.project, refs.Project())
	p, err := w.discover(w.project)
	must(t, err)
	must(t, w.state.SaveView(p, View{Tip: tip, Root: "root"}))
	if p, _ := w.discover(w.project); p.Root != "root" {
		t.Errorf("%+v", p)
	}
	git(t, w.project, "commit", "-q", "--allow-empty", "-m", "second")
	putRef(t, w.project, refs.Project())
	if p, _ := w.discover(w.project); p.Root != "" {
		t.Errorf("the root of another tip: %+v", p)
	}
}

func TestAFolderOfAnotherUserIsPassedOverUnlessItsBundleIsTrusted(t *testing.T) {
	w := newWorld(t)
	outer := newBundleDir(t, filepath.Join(w.user, "src", bundleDir))
	dir := newBundleDir(t, w.at(bundleDir))
	w.foreign[w.project] = true
	w.expect(w.at("a"), KindDir, outer, "")
	newRepo(t, w.project)
	putRef(t, w.project, refs.Project())
	w.expect(w.at("a"), KindDir, outer, "")

	must(t, w.state.Trust(ctx, Place{Kind: KindDir, Path: dir, Root: firstEvent}))
	w.expect(w.at("a"), KindDir, dir, "")
	common := filepath.Join(w.project, ".git")
	must(t, w.state.Trust(ctx, Place{Kind: KindGit, Path: common, Ref: refs.Project(), Root: "r"}))
	w.expect(w.at("a"), KindGit, common, refs.Project())

	w = newWorld(t)
	newRepo(t, w.project)
	putRef(t, w.project, refs.Project())
	w.foreign[filepath.Join(w.project, ".git")] = true
	w.expect(w.at("a"), "", "", "")

	w = newWorld(t)
	w.foreign[newBundleDir(t, w.at(bundleDir))] = true
	w.expect(w.at("a"), "", "", "")
}

func TestAWorkingDirectoryThatIsGoneCountsAsWhatIsLeftOfItsPath(t *testing.T) {
	w := newWorld(t)
	dir := newBundleDir(t, w.at(bundleDir))
	gone := w.at("a", "gone", "deeper")
	must(t, os.RemoveAll(filepath.Dir(gone)))
	w.expect(gone, KindDir, dir, "")
	write(t, filepath.Join(w.project, "a", "file"), "")
	w.expect(filepath.Join(w.project, "a", "file"), KindDir, dir, "")
}

func TestAWorkingDirectoryThatIsALinkCountsAsItsTarget(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	putRef(t, w.project, refs.Project())
	link := filepath.Join(w.root, "link")
	must(t, os.Symlink(w.at("a"), link))
	direct := w.expect(w.at("a"), KindGit, filepath.Join(w.project, ".git"), refs.Project())
	linked := w.expect(filepath.Join(link, "b"), KindGit, filepath.Join(w.project, ".git"), refs.Project())
	if direct.ID() != linked.ID() {
		t.Error("two ids of one bundle")
	}
}

func TestAWorkingDirectoryMustBeAbsolute(t *testing.T) {
	for _, cwd := range []string{"", ".", "a/b", "~"} {
		if p, err := Discover(cwd, DiscoverOptions{}); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("from %q: %+v, %v", cwd, p, err)
		}
	}
}
