package refs

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitRunsOnTheRepositoryThatWasFound(t *testing.T) {
	top := tempDir(t)
	plain(t, top+"/r")
	git(t, top+"/r", "worktree", "add", "-q", "../wt")
	git(t, top, "clone", "-q", "--bare", "r", "b.git")
	write(t, top+"/r/sub/x", "x")
	plain(t, top+"/s")
	write(t, top+"/there/y", "y")
	git(t, top+"/s", "config", "core.worktree", "../../there")
	for name, value := range map[string]string{
		"GIT_DIR": top + "/nowhere", "GIT_WORK_TREE": top, "GIT_INDEX_FILE": top + "/index", "GIT_CONFIG_COUNT": "x", "LC_ALL": "de_DE.UTF-8",
	} {
		t.Setenv(name, value)
	}
	for dir, want := range map[string]string{
		"r":      top + "/r/.git\nfalse\n" + top + "/r\n?? sub/\n",
		"r/sub":  top + "/r/.git\nfalse\n" + top + "/r\n?? sub/\n",
		"wt":     top + "/r/.git/worktrees/wt\nfalse\n" + top + "/wt\n",
		"b.git":  top + "/b.git\ntrue\n",
		"r/.git": top + "/r/.git\nfalse\n",
		"s":      top + "/s/.git\nfalse\n" + top + "/there\n?? y\n",
	} {
		r := found(t, filepath.Join(top, dir))
		got := output(t, r.Git(t.Context(), "rev-parse", "--absolute-git-dir", "--is-bare-repository"))
		if r.WorkTree != "" {
			got += output(t, r.Git(t.Context(), "rev-parse", "--show-toplevel"))
			got += output(t, r.Git(t.Context(), "status", "--porcelain"))
		}
		if got != want {
			t.Errorf("%s: git says %q, want %q", dir, got, want)
		}
	}
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, &errOut)
	}
	return string(out)
}

func TestAGrandchildThatHoldsTheOutputDoesNotHoldUs(t *testing.T) {
	t.Parallel()
	r := found(t, newRepo(t))
	_, err := r.Git(t.Context(), "-c", "alias.hold=!sleep 20 & echo", "hold").Output()
	if !errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("got %v", err)
	}
}

func TestACommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := found(t, newRepo(t))
	ctx, cancel := context.WithCancel(t.Context())
	cmd := r.Git(ctx, "-c", "alias.wait=!echo ready; exec sleep 20", "wait")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = out.Read(make([]byte, 1))
	must(t, err)
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
}

func TestAGitErrorIsOneLine(t *testing.T) {
	failed := errors.New("exit status 128")
	for stderr, want := range map[string]string{
		"":                                          "git: exit status 128",
		"hint: x\nfatal: bad\tthing\nhint: y\n":     "git: bad thing: exit status 128",
		"error: first\nerror: second\n":             "git: first: exit status 128",
		"error: first\nfatal: second\n":             "git: second: exit status 128",
		"some words\nmore words\n\n":                "git: more words: exit status 128",
		"fatal: " + strings.Repeat("é", 300) + "\n": "git: " + strings.Repeat("é", 200) + "…: exit status 128",
	} {
		err := GitError(failed, []byte(stderr))
		if err.Error() != want || !errors.Is(err, failed) {
			t.Errorf("%q gives %q", stderr, err)
		}
	}
	if err := GitError(context.DeadlineExceeded, nil); !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), "allow more of it") {
		t.Errorf("a deadline: %v", err)
	}
	if err := GitError(nil, []byte("warning: x")); err != nil {
		t.Error(err)
	}
	if err := GitError(&exec.Error{Name: "git", Err: exec.ErrNotFound}, nil); !strings.Contains(err.Error(), "install it") {
		t.Error(err)
	}
}

func TestIdentityIsWhatGitWouldUse(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	set := func(name, value string) { git(t, dir, "config", name, value) }
	want := func(wantName, wantEmail string, wantOK bool) {
		t.Helper()
		if name, email, ok := r.Identity(t.Context()); name != wantName || email != wantEmail || ok != wantOK {
			t.Errorf("got %q, %q, %t", name, email, ok)
		}
	}
	want("", "", false)
	set("user.name", "Ann")
	want("Ann", "", false)
	set("user.email", " <ann@example.com>,")
	want("Ann", "ann@example.com", true)
	git(t, dir, "config", "--add", "user.name", " .Bea \"<x>\nBo:\"")
	want("Bea \"xBo", "ann@example.com", true)
	set("author.name", "Cleo")
	want("Cleo", "ann@example.com", true)
	set("author.email", "<>")
	want("Cleo", "ann@example.com", true)
}
