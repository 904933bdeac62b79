package refs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/refs/remotetest"
)

func TestAPushMovesForwardOrNotAtAll(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.grow(t, Task("new"), "new")
	git(t, p.dir, "push", "-q", "origin", "main")
	if done, err := p.push(t, ""); err != nil || states(done) != "project pushed, task/new pushed" {
		t.Fatalf("%v, %v", done, err)
	}
	q := p.another(t, "there")
	_, err := q.fetch(t, "")
	must(t, err)
	git(t, q.dir, "update-ref", Project(), p.tip)
	theirs := q.grow(t, Project(), "theirs")
	if done, err := q.push(t, ""); err != nil || states(done) != "project pushed" {
		t.Fatalf("%v, %v", done, err)
	}
	if id, _ := q.repo.Read(RemoteNamespace + "origin/project"); id != theirs {
		t.Errorf("after the push the tracking reference is at %s", id)
	}
	// Behind with the object unknown here, and behind with it known.
	p.grow(t, Project(), "ours")
	for range 2 {
		done, err := p.push(t, "")
		must(t, err)
		if states(done) != "project behind, task/new even" || done[0].Why == "" || done[0].Kind != "" {
			t.Errorf("%+v", done)
		}
		_, err = p.fetch(t, "")
		must(t, err)
	}
	if got := git(t, p.hub, "rev-parse", Project()); got != theirs {
		t.Errorf("the hub is at %s", got)
	}
	// A history without a common root.
	other, err := commitObject(p.repo.CommonDir, "", "other root")
	must(t, err)
	done, err := p.repo.Push(t.Context(), p.remote(t, ""), []Ref{{Project(), other}}, Transfer{})
	must(t, err)
	if states(done) != "project behind" {
		t.Errorf("%+v", done)
	}
}

// The remote says non-fast-forward itself where a client would not look.
func TestALostRaceIsBehind(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	git(t, p.dir, "push", "-q", "origin", "main")
	main := git(t, p.dir, "rev-parse", "main")
	// While the push is on its way, somebody creates the reference.
	must(t, remotetest.Hook(p.hub, "pre-receive", "env -u GIT_QUARANTINE_PATH git update-ref "+Project()+" "+main+"\n"))
	done, err := p.push(t, "")
	must(t, err)
	if states(done) != "project behind" {
		t.Errorf("created meanwhile: %+v", done)
	}
	third := git(t, p.dir, "commit-tree", "-p", main, "-m", "x", emptyTree)
	git(t, p.dir, "push", "-q", "--no-verify", "origin", third+":refs/heads/x")
	must(t, remotetest.Hook(p.hub, "pre-receive", "env -u GIT_QUARANTINE_PATH git update-ref "+Project()+" "+third+"\n"))
	ours := git(t, p.dir, "commit-tree", "-p", main, "-m", "ours", emptyTree)
	done, err = p.repo.Push(t.Context(), p.remote(t, ""), []Ref{{Project(), ours}}, Transfer{})
	must(t, err)
	if states(done) != "project behind" {
		t.Errorf("moved meanwhile: %+v", done)
	}
	must(t, remotetest.Hook(p.hub, "pre-receive", "exit 0\n"))
	write(t, p.hub+"/"+Project()+".lock", "")
	done, err = p.repo.Push(t.Context(), p.remote(t, ""), []Ref{{Project(), git(t, p.dir, "commit-tree", "-p", third, "-m", "y", emptyTree)}}, Transfer{})
	must(t, err)
	if states(done) != "project behind" {
		t.Errorf("locked meanwhile: %+v", done)
	}
}

func TestEachReferenceIsJudgedByItself(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, name := range []string{"a", "b", "c"} {
		p.grow(t, Task(name), name)
	}
	push := func(list []Ref, want string) []Pushed {
		t.Helper()
		done, err := p.repo.Push(t.Context(), p.remote(t, ""), list, Transfer{})
		must(t, err)
		if states(done) != want {
			t.Errorf("%s, want %s", states(done), want)
		}
		return done
	}
	hole, err := commitObject(p.repo.CommonDir, id(3), "its parent is missing")
	must(t, err)
	list := append(p.mine(t), Ref{Task("hole"), hole}, Ref{Task("missing"), id(1)})
	must(t, remotetest.Hook(p.hub, "update", `[ "$1" != `+Task("b")+` ] || { echo "b is not welcome"; exit 1; }`+"\n"))
	done := push(list, "project pushed, task/a pushed, task/b refused, task/c pushed, task/hole refused, task/missing refused")
	if !strings.Contains(done[2].Why, "b is not welcome") || done[4].Kind != BadObjects || done[5].Kind != BadObjects {
		t.Errorf("%+v", done)
	}
	git(t, p.hub, "fsck")
	// A host that declines all for the sake of one.
	must(t, remotetest.Hook(p.hub, "update", "exit 0\n"))
	must(t, remotetest.Hook(p.hub, "pre-receive", `while read old new name; do [ "$name" != `+Task("y")+` ] || { echo "no y"; exit 1; }; done`+"\n"))
	for _, name := range []string{"x", "y", "z"} {
		p.grow(t, Task(name), name)
	}
	done = push(p.mine(t), "project even, task/a even, task/b pushed, task/c even, task/x pushed, task/y refused, task/z pushed")
	if done[5].Kind != HookDeclined || !strings.Contains(done[5].Why, "no y") {
		t.Errorf("%+v", done[5])
	}
}

func TestOnlyOursIsPushedAndNothingIsDeleted(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, bad := range []Ref{
		{"refs/heads/main", p.tip}, {Namespace, p.tip}, {Project() + ":refs/heads/x", p.tip}, {"+" + Project(), p.tip},
		{Project(), ""}, {Project(), strings.Repeat("0", 40)}, {Project(), "+" + p.tip[1:]}, {Project(), p.tip[:12]}, {Project(), "HEAD"},
	} {
		if _, err := p.repo.Push(t.Context(), p.remote(t, ""), []Ref{bad}, Transfer{}); err == nil {
			t.Errorf("%v was pushed", bad)
		}
	}
	if _, err := p.repo.Push(t.Context(), p.remote(t, ""), []Ref{{Project(), p.tip}, {Project(), p.tip}}, Transfer{}); err == nil {
		t.Error("a reference was pushed twice")
	}
	if done, err := p.repo.Push(t.Context(), p.remote(t, ""), nil, Transfer{}); err != nil || len(done) != 0 {
		t.Errorf("nothing became %v, %v", done, err)
	}
	if got := git(t, p.hub, "for-each-ref"); got != "" {
		t.Errorf("the hub has %s", got)
	}
	done, err := p.repo.Push(t.Context(), p.remote(t, ""), p.mine(t), Transfer{DryRun: true})
	must(t, err)
	if got := git(t, p.hub, "for-each-ref"); got != "" || states(done) != "project pushed" {
		t.Errorf("the dry run left %s: %s", got, states(done))
	}
}

// What a configuration says for one's own pushes is not about ours.
func TestSettingsDoNotTurnAPushIntoAnother(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	top := filepath.Dir(p.hub)
	git(t, p.dir, "tag", "-a", "-m", "v1", "v1", p.tip)
	git(t, p.dir, "branch", "extra")
	must(t, remotetest.Hook(p.dir+"/.git", "pre-push", "touch "+top+"/hook-ran; exit 1\n"))
	must(t, remotetest.Hook(p.dir+"/.git", "reference-transaction", "touch "+top+"/hook-ran\n"))
	for key, value := range map[string]string{
		"remote.origin.mirror": "true", "remote.origin.push": "+refs/heads/*:refs/heads/*", "push.default": "matching", "push.followTags": "true",
		"push.gpgSign": "true", "push.recurseSubmodules": "check", "push.pushOption": "ci.skip", "push.autoSetupRemote": "true",
		"push.useForceIfIncludes": "true", "remote.origin.fetch": "+refs/*:refs/*", "color.ui": "always", "color.push": "always",
		"push.negotiate": "true", "submodule.recurse": "true", "core.logAllRefUpdates": "always",
	} {
		git(t, p.dir, "config", key, value)
	}
	sent := p.tip
	newer := p.grow(t, Project(), "newer") // here already, while the older one is sent
	before := allBut(t, p.dir)
	done, err := p.repo.Push(t.Context(), p.remote(t, "origin"), []Ref{{Project(), sent}}, Transfer{})
	must(t, err)
	if states(done) != "project pushed" {
		t.Errorf("%+v", done)
	}
	same(t, before, allBut(t, p.dir))
	if now, _ := p.repo.Read(Project()); now != newer {
		t.Errorf("the push moved our own reference to %s", now)
	}
	if got := git(t, p.hub, "for-each-ref", "--format=%(refname)"); got != Project() {
		t.Errorf("the hub got %s", got)
	}
	if exists(top + "/hook-ran") {
		t.Error("a hook of the user ran")
	}
	// Nor is a mirror forced.
	other, err := commitObject(p.hub, "", "other")
	must(t, err)
	git(t, p.hub, "update-ref", Project(), other)
	if done, err := p.push(t, "origin"); err != nil || states(done) != "project behind" || git(t, p.hub, "rev-parse", Project()) != other {
		t.Errorf("%v, %v", done, err)
	}
}

func TestARemoteWithAnOddNameIsLikeAnother(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, name := range []string{"a=b.c", "team/ünï", "sp ace"} {
		write(t, p.dir+"/.git/config", "[core]\n\trepositoryformatversion = 0\n[remote \""+name+"\"]\n\turl = "+p.hub+"\n\tmirror = true\n\tfetch = +refs/*:refs/*\n")
		done, err := p.push(t, "")
		must(t, err)
		got, err := p.fetch(t, name)
		must(t, err)
		if len(done) != 1 || done[0].State == StateRefused || names(got) != Encode(name)+"/project" {
			t.Errorf("%s: %+v, %v", name, done, got)
		}
	}
}

func TestWhatIsSaidMeanwhileIsHarmless(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	must(t, remotetest.Hook(p.hub, "update", `printf 'hello \033[31m https://ann:hunter2@example.com/\n'`+"\n"))
	var told strings.Builder
	done, err := p.repo.Push(t.Context(), p.remote(t, ""), p.mine(t), Transfer{Progress: &told})
	must(t, err)
	if states(done) != "project pushed" || !strings.Contains(told.String(), "hello ") || strings.Contains(told.String(), "hunter2") || strings.Contains(told.String(), "\x1b") {
		t.Errorf("%q", told.String())
	}
	q := p.another(t, "there")
	told.Reset()
	_, err = q.repo.Fetch(t.Context(), q.remote(t, ""), nil, Transfer{Progress: &told})
	must(t, err)
	if !strings.Contains(told.String(), "objects") || strings.Contains(told.String(), "refs/worktree") {
		t.Errorf("%q", told.String())
	}
}

func TestAPushReportIsRead(t *testing.T) {
	out := "To /tmp/hub\n*\tabc:refs/chatrail/a\t[new reference]\n!\tabc:refs/chatrail/b\t[remote rejected] (hook (x) declined)\nDone\nnonsense\n" +
		"To https://u:p@host/x\n=\tabc:refs/chatrail/a\t[up to date]\n \tabc:refs/chatrail/c\t1..2\n"
	want := []report{
		{'*', "refs/chatrail/a", "[new reference]", "", "/tmp/hub"},
		{'!', "refs/chatrail/b", "[remote rejected]", "hook (x) declined", "/tmp/hub"},
		{'=', "refs/chatrail/a", "[up to date]", "", "https://host/x"},
		{' ', "refs/chatrail/c", "1..2", "", "https://host/x"},
	}
	if got := parsePush(out); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
