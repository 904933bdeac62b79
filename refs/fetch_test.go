package refs

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/refs/remotetest"
)

func TestFetchFollowsTheRemoteAndKeepsWhatIsGoneThere(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	task := p.grow(t, Task("x y"), "task")
	_, err := p.push(t, "")
	must(t, err)
	listed, err := p.repo.Advertised(t.Context(), p.remote(t, "file://"+p.hub), Transfer{})
	must(t, err)
	if want := []Ref{{Project(), p.tip}, {Task("x y"), task}}; !slices.Equal(listed, want) {
		t.Errorf("listed %v", listed)
	}
	q := p.another(t, "there")
	got, err := q.fetch(t, "")
	must(t, err)
	if names(got) != "origin/project, origin/task/x=20y" || got[0].ID != p.tip || got[1].ID != task {
		t.Fatalf("%v", got)
	}
	if len(q.mine(t)) != 0 {
		t.Errorf("a fetch wrote %v", q.mine(t))
	}
	if log := git(t, q.dir, "reflog", "show", "--format=%gs", got[0].Name); log != "fetch "+p.hub {
		t.Errorf("the reflog says %q", log)
	}
	// Rewound and removed there.
	other, err := commitObject(p.hub, "", "other")
	must(t, err)
	git(t, p.hub, "update-ref", Project(), other)
	git(t, p.hub, "update-ref", "-d", Task("x y"))
	got, err = q.fetch(t, "origin")
	must(t, err)
	if names(got) != "origin/project, origin/task/x=20y" || got[0].ID != other || got[1].ID != task {
		t.Errorf("%v", got)
	}
	noLeftovers(t, q.repo)
	if left, _ := filepath.Glob(q.dir + "/.git/chatrail/fetch-*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestFetchTakesTheNamedOnly(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, name := range []string{"a", "b", "c"} {
		p.grow(t, Task(name), name)
	}
	_, err := p.push(t, "")
	must(t, err)
	q := p.another(t, "there")
	m := q.remote(t, "")
	got, err := q.repo.Fetch(t.Context(), m, []string{Task("b"), Task("missing")}, Transfer{})
	must(t, err)
	if names(got) != "origin/task/b" {
		t.Errorf("%v", got)
	}
	if got, err = q.repo.Fetch(t.Context(), m, []string{}, Transfer{}); err != nil || len(got) != 0 {
		t.Errorf("nothing was named, and came %v, %v", got, err)
	}
	if got, err = q.repo.Fetch(t.Context(), m, []string{Task("missing")}, Transfer{}); err != nil || len(got) != 0 {
		t.Errorf("what is not there came: %v, %v", got, err)
	}
	for _, bad := range []string{"refs/heads/main", Namespace, Namespace + "*", "refs/chatrail/a:refs/heads/main", "^refs/chatrail/x", "refs/chatrail/../heads/main"} {
		if _, err := q.repo.Fetch(t.Context(), m, []string{bad}, Transfer{}); err == nil {
			t.Errorf("%s was fetched", bad)
		}
	}
	got, err = q.repo.Fetch(t.Context(), m, nil, Transfer{DryRun: true})
	must(t, err)
	if len(got) != 4 {
		t.Errorf("the dry run lists %v", got)
	}
	if list, _ := q.repo.List(RemoteNamespace); names(list) != "origin/task/b" {
		t.Errorf("the dry run wrote %v", list)
	}
}

// One damaged reference must not keep the others from arriving.
func TestABadReferenceKeepsNoOtherAway(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		p.grow(t, Task(name), name)
	}
	_, err := p.push(t, "")
	must(t, err)
	// Against git's rules, a parent that is missing, and one that is no commit.
	empty, err := looseObject(p.hub, "tree", "")
	must(t, err)
	raw, err := hex.DecodeString(empty)
	must(t, err)
	tree, err := looseObject(p.hub, "tree", "40000 .git\x00"+string(raw))
	must(t, err)
	who := " A <a@example.com> 1700000000 +0000\n"
	bad, err := looseObject(p.hub, "commit", "tree "+tree+"\nauthor"+who+"committer"+who+"\nbad\n")
	must(t, err)
	write(t, p.hub+"/"+Task("bad"), bad+"\n")
	hole, err := commitObject(p.hub, id(7), "its parent is missing")
	must(t, err)
	write(t, p.hub+"/"+Task("hole"), hole+"\n")
	blob, err := looseObject(p.hub, "blob", "text")
	must(t, err)
	write(t, p.hub+"/"+Task("blob"), blob+"\n")
	q := p.another(t, "there")
	got, err := q.fetch(t, "")
	if names(got) != "origin/project, origin/task/a, origin/task/b, origin/task/blob, origin/task/c, origin/task/d, origin/task/e" {
		t.Errorf("%s", names(got))
	}
	if kind(t, err) != BadObjects || !strings.Contains(err.Error(), Task("bad")) || !strings.Contains(err.Error(), "1 more") {
		t.Errorf("%v", err)
	}
	git(t, q.dir, "fsck", "--strict")
}

func TestNamesThatCannotStandTogetherKeepNoOtherAway(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	_, err := p.push(t, "")
	must(t, err)
	git(t, p.hub, "update-ref", Namespace+"task", p.tip)
	q := p.another(t, "there")
	_, err = q.fetch(t, "")
	must(t, err)
	// By now the remote has a folder where it had a reference, which is kept here.
	git(t, p.hub, "update-ref", "-d", Namespace+"task")
	git(t, p.hub, "update-ref", Task("x"), p.tip)
	git(t, p.hub, "update-ref", Namespace+"zzz", p.tip)
	odd := Namespace + "ünï/cödé'\"$(x)&;|<>%!`{}"
	git(t, p.hub, "update-ref", odd, p.tip)
	got, err := q.fetch(t, "")
	if names(got) != "origin/project, origin/task, origin/zzz, origin/"+strings.TrimPrefix(odd, Namespace) {
		t.Errorf("%s", names(got))
	}
	if err == nil || !strings.Contains(err.Error(), "task") {
		t.Errorf("%v", err)
	}
	q.another(t, "third")
	if done, err := q.repo.Push(t.Context(), q.remote(t, ""), []Ref{{Namespace + "zzz/deep", p.tip}, {odd, p.tip}}, Transfer{}); err != nil || states(done[:1]) != "zzz/deep refused" || done[1].State != StateEven {
		t.Errorf("%v, %v", done, err)
	}
}

// Git would follow one to wherever it leads.
func TestASymbolicTrackingReferenceLeadsNowhere(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.grow(t, Task("x"), "x")
	_, err := p.push(t, "")
	must(t, err)
	for _, storage := range []string{"files", "by git"} {
		q := p.another(t, strings.ReplaceAll(storage, " ", ""))
		q.repo.RefStorage = storage
		git(t, q.dir, "symbolic-ref", RemoteNamespace+"origin/project", "refs/heads/main")
		main := git(t, q.dir, "rev-parse", "main")
		got, err := q.fetch(t, "")
		if err == nil || !strings.Contains(err.Error(), "symbolic") {
			t.Errorf("%s: %v", storage, err)
		}
		if storage == "files" && names(got) != "origin/task/x" {
			t.Errorf("%s: %s", storage, names(got))
		}
		if now := git(t, q.dir, "rev-parse", "main"); now != main {
			t.Errorf("%s: main moved to %s", storage, now)
		}
	}
}

func TestAnotherReferenceStorageIsLeftToGit(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	_, err := p.push(t, "")
	must(t, err)
	q := p.another(t, "there")
	q.repo.RefStorage = "another"
	got, err := q.fetch(t, "")
	must(t, err)
	if names(got) != "origin/project" || got[0].ID != p.tip {
		t.Errorf("%v", got)
	}
}

// A server may list without end.
func TestAnEndlessListIsCutOff(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	_, err := exchange{repo: p.repo, op: "list", limit: 1000, args: []string{"-c", "alias.flood=!yes refs/chatrail/x", "flood"}}.run(t.Context())
	if got := kind(t, err); got != TooMuch {
		t.Errorf("%s: %v", got, err)
	}
	_, err = exchange{repo: p.repo, op: "list", limit: 1000, args: []string{"-c", "alias.shout=!yes $(printf '%09999d' 7) | head -c 30000000 >&2; exit 1", "shout"}}.run(t.Context())
	if got := kind(t, err); got != OtherFailure {
		t.Errorf("%s: %v", got, err)
	}
}

func TestABundleComesWholeIntoAPartialOrShallowClone(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	git(t, p.hub, "config", "uploadpack.allowFilter", "true")
	git(t, p.dir, "commit", "-q", "--allow-empty", "-m", "second")
	git(t, p.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
	write(t, p.dir+"/note", "text of ours")
	git(t, p.dir, "add", "note")
	with := git(t, p.dir, "commit-tree", "-m", "with a file", git(t, p.dir, "write-tree"))
	git(t, p.dir, "update-ref", Task("file"), with)
	_, err := p.push(t, "")
	must(t, err)
	top := filepath.Dir(p.hub)
	for name, args := range map[string][]string{"partial": {"--filter=blob:none"}, "shallow": {"--depth=1"}, "treeless": {"--filter=tree:0", "--depth=1"}} {
		dir := top + "/" + name
		git(t, top, append(append([]string{"clone", "-q"}, args...), "file://"+p.hub, dir)...)
		before, _ := os.ReadFile(dir + "/.git/shallow")
		q := pair{hub: p.hub, dir: dir, repo: found(t, dir)}
		got, err := q.fetch(t, "")
		must(t, err)
		if names(got) != "origin/project, origin/task/file" {
			t.Errorf("%s: %v", name, got)
		}
		// Nothing may be left to be fetched lazily.
		git(t, dir, "remote", "set-url", "origin", "/nowhere")
		if text := git(t, dir, "show", RemoteNamespace+"origin/task/file:note"); text != "text of ours" {
			t.Errorf("%s: %q", name, text)
		}
		git(t, dir, "remote", "set-url", "origin", "file://"+p.hub)
		if after, _ := os.ReadFile(dir + "/.git/shallow"); string(after) != string(before) {
			t.Errorf("%s: the shallow file was %q and is %q", name, before, after)
		}
		q.grow(t, Task("sent"), name)
		if done, err := q.push(t, ""); err != nil || done[0].State != StatePushed {
			t.Errorf("%s: %v, %v", name, done, err)
		}
		git(t, p.hub, "update-ref", "-d", Task("sent"))
	}
}

func TestASHA256RepositoryIsServedToo(t *testing.T) {
	t.Parallel()
	top := tempDir(t)
	for _, name := range []string{"a", "b"} {
		git(t, top, "init", "-q", "--object-format=sha256", name)
	}
	git(t, top, "init", "-q", "--bare", "--object-format=sha256", "hub.git")
	git(t, top+"/a", "commit", "-q", "--allow-empty", "-m", "first")
	tip := git(t, top+"/a", "rev-parse", "HEAD")
	git(t, top+"/a", "update-ref", Project(), tip)
	for _, name := range []string{"a", "b"} {
		git(t, top+"/"+name, "remote", "add", "origin", top+"/hub.git")
	}
	a, b := pair{dir: top + "/a", repo: found(t, top+"/a")}, pair{dir: top + "/b", repo: found(t, top+"/b")}
	done, err := a.push(t, "")
	must(t, err)
	got, err := b.fetch(t, "")
	must(t, err)
	if states(done) != "project pushed" || len(got) != 1 || got[0].ID != tip || len(tip) != 64 {
		t.Errorf("%v, %v", done, got)
	}
	// The other format is another world, and git says so.
	c := newPair(t)
	_, err = c.fetch(t, top+"/hub.git")
	if kind(t, err) != OtherFailure {
		t.Error(err)
	}
}

func TestEveryLayoutShares(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	_, err := p.push(t, "")
	must(t, err)
	top := filepath.Dir(p.hub)
	git(t, top, "clone", "-q", "--bare", p.dir, "bare.git")
	git(t, top+"/bare.git", "remote", "set-url", "origin", "../hub.git") // from where git stands
	git(t, p.dir, "worktree", "add", "-q", "../linked")
	git(t, p.dir, "remote", "set-url", "origin", "../hub.git")
	for _, dir := range []string{"bare.git", "linked"} {
		r := found(t, filepath.Join(top, dir))
		m, err := r.Remote(t.Context(), "")
		must(t, err)
		got, err := r.Fetch(t.Context(), m, nil, Transfer{})
		must(t, err)
		if names(got) != "origin/project" || got[0].ID != p.tip {
			t.Errorf("%s: %v", dir, got)
		}
	}
	if list := git(t, p.dir, "worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("work trees: %s", list)
	}
}

// What a configuration says for one's own fetches is not about ours.
func TestSettingsDoNotTurnAFetchIntoAnother(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	must(t, remotetest.Hook(p.dir+"/.git", "reference-transaction", "touch \"$GIT_DIR/hook-ran\" "+p.dir+"/../hook-ran\n"))
	git(t, p.dir, "push", "-q", "--no-verify", "origin", "HEAD:refs/heads/main", "HEAD:refs/tags/v1")
	_, err := p.push(t, "")
	must(t, err)
	q := p.another(t, "there")
	must(t, remotetest.Hook(q.dir+"/.git", "reference-transaction", "touch "+q.dir+"/../hook-ran\n"))
	for key, value := range map[string]string{
		"remote.origin.tagOpt": "--tags", "remote.origin.prune": "true", "fetch.prune": "true", "fetch.pruneTags": "true",
		"remote.origin.fetch": "+refs/*:refs/*", "remote.origin.mirror": "true", "fetch.writeCommitGraph": "true", "fetch.all": "true",
		"fetch.parallel": "4", "submodule.recurse": "true", "fetch.recurseSubmodules": "on-demand", "fetch.negotiationAlgorithm": "noop",
		"fetch.output": "compact", "color.ui": "always", "core.logAllRefUpdates": "always", "fetch.bundleURI": "file:///nowhere",
		"fetch.fsckObjects": "false", "transfer.fsckObjects": "false", "remote.origin.skipDefaultUpdate": "true", "fetch.showForcedUpdates": "true",
		"gc.auto": "1", "gc.autoDetach": "false",
	} {
		git(t, q.dir, "config", key, value)
	}
	must(t, os.RemoveAll(filepath.Dir(p.dir)+"/hook-ran"))
	q.grow(t, Task("of here"), "local")
	before := allBut(t, q.dir)
	got, err := q.fetch(t, "origin")
	must(t, err)
	if names(got) != "origin/project" {
		t.Errorf("%v", got)
	}
	same(t, before, allBut(t, q.dir))
	if exists(filepath.Dir(p.dir) + "/hook-ran") {
		t.Error("a hook of the user ran")
	}
	if exists(q.dir + "/.git/objects/info/commit-graphs") {
		t.Error("a commit graph was written")
	}
}
