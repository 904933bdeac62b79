package task

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"chatrail/refs"
)

func TestLinkedWorkTreesShareTheProjectBundle(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	common := filepath.Join(w.project, ".git")
	inside, outside := w.at("trees")+"/in", filepath.Join(w.root, "out")
	git(t, w.project, "worktree", "add", "-q", inside)
	git(t, w.project, "worktree", "add", "-q", outside)
	must(t, os.MkdirAll(filepath.Join(outside, "a", "b"), 0o755))
	putRef(t, w.project, refs.Project())
	main := w.expect(w.project, KindGit, common, refs.Project())
	for _, dir := range []string{inside, outside, filepath.Join(outside, "a", "b")} {
		if p := w.expect(dir, KindGit, common, refs.Project()); p.ID() != main.ID() || p.Marker != main.Marker {
			t.Errorf("%s has a bundle of its own: %+v", dir, p)
		}
	}
	putRef(t, outside, refs.AtFolder("a"))
	w.expect(w.at("a"), KindGit, common, refs.AtFolder("a"))
	w.expect(filepath.Join(outside, "a", "b"), KindGit, common, refs.AtFolder("a"))
}

func TestALinkedWorkTreeSharesABundleFolderOfTheMainOne(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	outside := filepath.Join(w.root, "out")
	git(t, w.project, "worktree", "add", "-q", outside)
	must(t, os.MkdirAll(filepath.Join(outside, "a"), 0o755))
	top, below := newBundleDir(t, w.at(bundleDir)), newBundleDir(t, w.at("a", bundleDir))
	w.expect(outside, KindDir, top, "")
	w.expect(filepath.Join(outside, "a"), KindDir, below, "")
	own := newBundleDir(t, filepath.Join(outside, bundleDir))
	w.expect(outside, KindDir, own, "")
}

func TestALayoutWithABareRepositoryAndWorkTreesBesideItIsOneProject(t *testing.T) {
	w := newWorld(t)
	seed := newRepo(t, filepath.Join(w.root, "seed"))
	bare := filepath.Join(w.project, ".bare")
	git(t, w.root, "clone", "-q", "--bare", seed, bare)
	write(t, filepath.Join(w.project, ".git"), "gitdir: ./.bare\n")
	git(t, w.project, "worktree", "add", "-q", "tree")
	putRef(t, bare, refs.Project())
	for _, dir := range []string{w.project, w.at("tree"), w.at("a", "b"), bare, filepath.Join(bare, "refs")} {
		w.expect(dir, KindGit, bare, refs.Project())
	}
}

func TestABareRepositoryThatIsStoodInIsAProject(t *testing.T) {
	w := newWorld(t)
	bare := filepath.Join(w.user, "src", "x.git")
	git(t, w.root, "init", "-q", "--bare", bare)
	w.expect(filepath.Join(bare, "refs"), "", "", "")
	seed := newRepo(t, filepath.Join(w.root, "seed"))
	git(t, bare, "fetch", "-q", seed, "HEAD:refs/heads/main")
	putRef(t, bare, refs.Project())
	w.expect(bare, KindGit, bare, refs.Project())
	w.expect(filepath.Join(bare, "refs"), KindGit, bare, refs.Project())
}

func TestTheGitFolderOfARepositoryBelongsToIt(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	putRef(t, w.project, refs.Project())
	w.expect(filepath.Join(w.project, ".git", "refs"), KindGit, filepath.Join(w.project, ".git"), refs.Project())
}

func TestASubmoduleHasItsOwnBundleOrNone(t *testing.T) {
	for name, add := range map[string]func(t *testing.T, w *world, seed string){
		"absorbed": func(t *testing.T, w *world, seed string) {
			git(t, w.project, "submodule", "--quiet", "add", seed, "libs/sub")
		},
		"with its own folder .git": func(t *testing.T, w *world, seed string) {
			git(t, w.project, "clone", "-q", seed, "libs/sub")
			git(t, w.project, "submodule", "--quiet", "add", seed, "libs/sub")
		},
	} {
		w := newWorld(t)
		seed := newRepo(t, filepath.Join(w.root, "seed"))
		newRepo(t, w.project)
		add(t, w, seed)
		sub := w.at("libs", "sub", "deep")
		putRef(t, w.project, refs.Project())
		newBundleDir(t, w.at("libs", bundleDir))
		w.expect(sub, "", "", "")
		putRef(t, sub, refs.Project())
		p := w.expect(sub, KindGit, git(t, sub, "rev-parse", "--path-format=absolute", "--git-common-dir"), refs.Project())
		if p.WorkTree != w.at("libs", "sub") {
			t.Errorf("%s: %+v", name, p)
		}
		repo, err := refs.Discover(sub)
		must(t, err)
		if top, inside := Superproject(repo); !inside || top != w.project {
			t.Errorf("%s: the project around it is %q, %v", name, top, inside)
		}
	}
}

func TestASubmoduleOfALinkedWorkTreeIsNoPartOfTheProjectAroundIt(t *testing.T) {
	w := newWorld(t)
	seed := newRepo(t, filepath.Join(w.root, "seed"))
	newRepo(t, w.project)
	git(t, w.project, "submodule", "--quiet", "add", seed, "sub")
	git(t, w.project, "commit", "-q", "-m", "sub")
	outside := filepath.Join(w.root, "out")
	git(t, w.project, "worktree", "add", "-q", outside)
	git(t, outside, "submodule", "--quiet", "update", "--init")
	putRef(t, w.project, refs.Project())
	w.expect(outside, KindGit, filepath.Join(w.project, ".git"), refs.Project())
	w.expect(filepath.Join(outside, "sub"), "", "", "")
}

func TestARepositoryInsideAnotherIsSearchedUpwardLikeAnyFolder(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	nested := newRepo(t, w.at("vendor", "nested"))
	putRef(t, w.project, refs.Project())
	w.expect(nested, KindGit, filepath.Join(w.project, ".git"), refs.Project())
	putRef(t, nested, refs.Project())
	w.expect(nested, KindGit, filepath.Join(nested, ".git"), refs.Project())
	w.expect(w.project, KindGit, filepath.Join(w.project, ".git"), refs.Project())
	repo, err := refs.Discover(nested)
	must(t, err)
	if top, inside := Superproject(repo); inside {
		t.Errorf("a nested repository counts as a submodule of %s", top)
	}
}

func TestTwoRepositoriesOfTheSameNameAreNeverMixed(t *testing.T) {
	w := newWorld(t)
	one, two := newRepo(t, filepath.Join(w.user, "one", "app")), newRepo(t, filepath.Join(w.user, "two", "app"))
	putRef(t, one, refs.Project())
	w.expect(two, "", "", "")
	putRef(t, two, refs.Project())
	p, q := w.expect(one, KindGit, filepath.Join(one, ".git"), refs.Project()), w.expect(two, KindGit, filepath.Join(two, ".git"), refs.Project())
	if p.ID() == q.ID() || p.Marker == q.Marker {
		t.Errorf("%+v and %+v", p, q)
	}
}

func TestAGitFileThatLeadsNowhereIsNoRepository(t *testing.T) {
	w := newWorld(t)
	newRepo(t, filepath.Join(w.user, "src"))
	putRef(t, filepath.Join(w.user, "src"), refs.Project())
	write(t, filepath.Join(w.project, ".git"), "gitdir: /nowhere\n")
	w.expect(w.at("a"), KindGit, filepath.Join(w.user, "src", ".git"), refs.Project())
	dir := newBundleDir(t, w.at(bundleDir))
	w.expect(w.at("a"), KindDir, dir, "")
}

func TestARepositoryOfAnUnknownFormatIsAnErrorAndNotNoBundle(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	git(t, w.project, "config", "core.repositoryFormatVersion", "99")
	if p, err := w.discover(w.at("a")); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("%+v, %v", p, err)
	}
}
