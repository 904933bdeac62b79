package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func (p *place) refused(o Options, words string) {
	p.t.Helper()
	o.Program = p.program
	r, err := Git(context.Background(), p.repo(), o)
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
		p.t.Errorf("%v, %v; not refused with %q", r, err, words)
	}
}

// calls commits in a folder and says what our hooks were called with.
func (p *place) calls(dir string) string {
	p.t.Helper()
	p.git("-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
	return p.taken(p.called)
}

func TestHooksOfALinkedWorkTreeAreTheCommonOnes(t *testing.T) {
	p := newPlace(t)
	linked := filepath.Join(filepath.Dir(p.dir), "linked")
	p.git("worktree", "add", "-q", linked)
	main := p.dir
	p.dir = linked
	if r := p.install(Options{}); r.Folder != filepath.Join(main, ".git", "hooks") {
		t.Error(r.Folder)
	}
	for _, dir := range []string{main, linked} {
		if got := p.calls(dir); got != "git post-commit\n" {
			t.Errorf("in %s: %q", dir, got)
		}
	}
}

func TestHooksOfASubmoduleAreItsOwn(t *testing.T) {
	p := newPlace(t)
	p.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", p.dir, "sub")
	super := p.dir
	p.dir = filepath.Join(p.dir, "sub")
	if r := p.install(Options{}); r.Folder != filepath.Join(super, ".git", "modules", "sub", "hooks") {
		t.Error(r.Folder)
	}
	if got := p.calls(p.dir) + p.calls(super); got != "git post-commit\n" {
		t.Errorf("%q", got)
	}
}

func TestABareRepositoryHasHooksForItsWorkTrees(t *testing.T) {
	p := newPlace(t)
	bare := filepath.Join(filepath.Dir(p.dir), "bare.git")
	p.git("clone", "-q", "--bare", p.dir, bare)
	p.dir = bare
	p.install(Options{})
	linked := filepath.Join(filepath.Dir(bare), "of bare")
	p.git("worktree", "add", "-q", "-b", "new", linked)
	if got := p.calls(linked); got != "git post-commit\n" {
		t.Errorf("%q", got)
	}
}

// core.hooksPath is honoured. Where others get what is installed there, that has
// to be asked for.
func TestSharedHooksNeedAWord(t *testing.T) {
	p := newPlace(t)
	outside := filepath.Join(filepath.Dir(p.dir), "hooks for all")
	must(t, os.Mkdir(outside, 0o777))
	config := filepath.Join(filepath.Dir(p.dir), "global")
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	p.git("config", "--global", "core.hooksPath", outside)
	p.refused(Options{}, "--shared")
	if got := tree(t, outside); strings.Count(got, "\n") != 1 {
		t.Errorf("something was written: %s", got)
	}
	if r := p.install(Options{Shared: true}); r.Folder != outside {
		t.Error(r.Folder)
	}
	if got := p.calls(p.dir); got != "git post-commit\n" {
		t.Errorf("%q", got)
	}
	if got := outcomes(p.uninstall()); got != "post-commit removed, post-rewrite removed, pre-push removed" {
		t.Error(got)
	}

	// Files of the project, in a folder below the one that one stands in.
	p.git("config", "core.hooksPath", ".githooks")
	p.file(filepath.Join(p.dir, ".githooks", PostCommit), "#!/bin/sh\nexit 0\n", 0o755)
	p.git("add", ".")
	p.refused(Options{}, "files of the project")
	if out := p.git("status", "--porcelain"); out != "A  .githooks/post-commit\n" {
		t.Error(out)
	}
	// A link of the hooks folder into the project is no way around.
	p.git("config", "core.hooksPath", filepath.Join(p.dir, ".git", "hooks"))
	must(t, os.RemoveAll(filepath.Join(p.dir, ".git", "hooks")))
	must(t, os.Symlink("../.githooks", filepath.Join(p.dir, ".git", "hooks")))
	p.refused(Options{}, "files of the project")

	p.git("config", "core.hooksPath", "/dev/null")
	p.refused(Options{Shared: true}, "switches hooks off")
}

// What is installed where git used to look is found again after core.hooksPath
// was set.
func TestUninstallLooksWhereHooksUsedToBe(t *testing.T) {
	p := newPlace(t)
	p.install(Options{})
	p.git("config", "core.hooksPath", "nowhere")
	if got := outcomes(p.uninstall()); got != "post-commit removed, post-rewrite removed, pre-push removed" {
		t.Error(got)
	}
}

// husky fills a folder of ignored files, each of which finds its way by its own
// name and its neighbour's.
func TestHuskyRunsOn(t *testing.T) {
	p := newPlace(t)
	p.git("config", "core.hooksPath", ".husky/_")
	folder := filepath.Join(p.dir, ".husky", "_")
	p.file(filepath.Join(folder, ".gitignore"), "*", 0o644)
	p.file(filepath.Join(folder, "h"), "#!/usr/bin/env sh\n[ \"$HUSKY\" = \"2\" ] && set -x\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\n"+
		"[ ! -f \"$s\" ] && exit 0\n\nexport PATH=\"node_modules/.bin:$PATH\"\nsh -e \"$s\" \"$@\"\nc=$?\n\n"+
		"[ $c != 0 ] && echo \"husky - $n script failed (code $c)\"\nexit $c\n", 0o644)
	for _, hook := range []string{PostCommit, PreCommit} {
		p.file(filepath.Join(folder, hook), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
		p.file(filepath.Join(p.dir, ".husky", hook), "echo \"theirs: "+hook+"\"\n", 0o644)
	}
	p.git("add", ".")
	p.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "with husky")
	before := tree(t, folder)
	r := p.install(Options{Gate: true})
	if len(r.Notes) != 1 || r.Notes[0] != huskyNote {
		t.Errorf("notes: %q", r.Notes)
	}
	if out := p.git("commit", "--allow-empty", "-q", "-m", "x"); out != "theirs: pre-commit\ntheirs: post-commit\n" {
		t.Errorf("git said %q", out)
	}
	if got := p.taken(p.called); got != "git pre-commit\ngit post-commit\n" {
		t.Errorf("ours were called with %q", got)
	}
	if out := p.git("status", "--porcelain"); out != "" {
		t.Errorf("the project sees %q", out)
	}
	// It writes its hooks anew: ours come back, theirs are kept once.
	for _, hook := range []string{PostCommit, PreCommit} {
		p.file(filepath.Join(folder, hook), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
	}
	if got := outcomes(p.install(Options{Gate: true})); got != "post-commit chained, post-rewrite present, pre-push present, pre-commit chained" {
		t.Error(got)
	}
	p.uninstall()
	if after := noTimes(tree(t, folder)); after != noTimes(before) {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
}

// pre-commit keeps what it finds as NAME.legacy and runs it first. Installed
// again over ours it must not run itself through us, which it takes for a bug
// and blocks.
func TestPreCommitInstalledAgainRunsOnce(t *testing.T) {
	p := newPlace(t)
	generated := "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n# version VERSION\nHERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n" +
		"if [ -n \"${PRE_COMMIT_RUNNING_LEGACY-}\" ]; then echo 'bug: installed in migration mode'; exit 1; fi\n" +
		"if [ -x \"$HERE/pre-commit.legacy\" ]; then PRE_COMMIT_RUNNING_LEGACY=1 \"$HERE/pre-commit.legacy\" \"$@\" || exit; fi\necho theirs\n"
	first, second := strings.Replace(generated, "VERSION", "1", 1), strings.Replace(generated, "VERSION", "2", 1)
	p.file(p.hook("pre-commit.legacy"), "#!/bin/sh\necho mine\n", 0o755)
	p.file(p.hook(PreCommit), first, 0o755)
	p.install(Options{Gate: true})
	if out := p.git("commit", "-q", "--allow-empty", "-m", "x"); out != "mine\ntheirs\n" {
		t.Errorf("git said %q", out)
	}
	must(t, os.Rename(p.hook(PreCommit), p.hook("pre-commit.legacy")))
	for _, again := range []string{first, second} {
		p.file(p.hook(PreCommit), again, 0o755)
		p.taken(p.called)
		if out := p.git("commit", "-q", "--allow-empty", "-m", "x"); out != "theirs\n" {
			t.Errorf("git said %q", out)
		}
		if got := p.taken(p.called); !strings.Contains(got, "git pre-commit\n") {
			t.Errorf("ours were called with %q", got)
		}
		if r := p.install(Options{Gate: true}); r.Hooks[3].Outcome != Present {
			t.Error(outcomes(r))
		}
	}
	p.uninstall()
	if out := p.git("commit", "-q", "--allow-empty", "-m", "x") + p.taken(p.called); out != "theirs\n" {
		t.Errorf("after the removal: %q", out)
	}
}

// Where a manager moved ours, a removal finds it, and what was there before is
// back where the manager would have put it.
func TestUninstallFindsWhatAManagerMoved(t *testing.T) {
	for suffix, manager := range map[string]string{".legacy": "# https://pre-commit.com", ".old": "# lefthook"} {
		p := newPlace(t)
		before := "#!/bin/sh\necho mine\n"
		p.file(p.hook(PreCommit), before, 0o755)
		p.install(Options{Gate: true})
		must(t, os.Rename(p.hook(PreCommit), p.hook(PreCommit+suffix)))
		p.file(p.hook(PreCommit), "#!/bin/sh\n"+manager+"\n", 0o755)
		if got := outcomes(p.uninstall()); got != "post-commit removed, post-rewrite removed, pre-push removed, pre-commit restored" {
			t.Errorf("%s: %s", suffix, got)
		}
		if data, err := os.ReadFile(p.hook(PreCommit + suffix)); err != nil || string(data) != before {
			t.Errorf("%s: %q, %v", suffix, data, err)
		}
		if data, err := os.ReadFile(p.hook(PreCommit)); err != nil || !strings.Contains(string(data), manager) {
			t.Errorf("%s: %q, %v", suffix, data, err)
		}
	}
}

// noTimes is a tree without the times of its files.
func noTimes(text string) string { return times.ReplaceAllString(text, "") }

var times = regexp.MustCompile(` \d{4}-\d\d-\d\d .*? [+-]\d{4} \S+`)

func TestHooksOfAnotherUserAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	t.Setenv("SUDO_UID", "")
	p := newPlace(t)
	hooks := filepath.Join(p.dir, ".git", "hooks")
	must(t, os.MkdirAll(hooks, 0o777))
	must(t, os.Chown(hooks, 4711, 4711))
	p.refused(Options{}, "another user")
	must(t, os.Chown(hooks, 0, 0))
	must(t, os.Chown(filepath.Join(p.dir, ".git"), 4711, 4711))
	p.refused(Options{}, "another user")
	if _, err := Ungit(t.Context(), p.repo()); err == nil {
		t.Error("uninstalled")
	}
}

func TestAReadOnlyHooksFolderIsNamed(t *testing.T) {
	err := unwritable(&os.PathError{Op: "open", Path: "/x/.chatrail-new-1", Err: os.ErrPermission}, "/x")
	if err.Error() != "the hooks folder /x cannot be written: permission denied" {
		t.Error(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("no mode binds root")
	}
	p := newPlace(t)
	hooks := filepath.Join(p.dir, ".git", "hooks")
	must(t, os.MkdirAll(hooks, 0o777))
	must(t, os.Chmod(hooks, 0o555))
	defer os.Chmod(hooks, 0o755)
	p.refused(Options{}, "cannot be written")
}

func TestSharedRepositoriesShareTheirHooks(t *testing.T) {
	p := newPlace(t)
	p.git("config", "core.sharedRepository", "group")
	must(t, os.RemoveAll(filepath.Join(p.dir, ".git", "hooks")))
	p.install(Options{})
	fi, err := os.Stat(p.hook(PostCommit))
	must(t, err)
	if fi.Mode().Perm()&0o070 != 0o070 {
		t.Errorf("%v", fi.Mode())
	}
}
