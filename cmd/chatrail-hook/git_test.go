package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// besideFake is the hook program beside a chatrail that is a shell script.
func besideFake(t *testing.T, script string) (program, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as a program")
	}
	dir = t.TempDir()
	program = filepath.Join(dir, "chatrail-hook")
	if err := os.Link(filepath.Join(bin, "chatrail-hook"), program); err != nil {
		data, err := os.ReadFile(filepath.Join(bin, "chatrail-hook"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "chatrail"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, dir
}

func TestGitHooksArePassedOnAsGitGaveThem(t *testing.T) {
	program, dir := besideFake(t, `{ echo "$1 $2 $4 $5 $GIT_INDEX_FILE"; cat; } >"$0.seen"; echo unheard; echo heard >&2; exit 1`)
	cmd := exec.Command(program, "git", "post-rewrite", "a b")
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE=some index")
	cmd.Stdin = strings.NewReader("old new\n")
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil || out.String() != "" || errOut.String() != "heard\n" {
		t.Errorf("%v, %q, %q", err, out.String(), errOut.String())
	}
	seen, err := os.ReadFile(filepath.Join(dir, "chatrail.seen"))
	if err != nil || string(seen) != "githook --within post-rewrite a b some index\nold new\n" {
		t.Errorf("%q, %v", seen, err)
	}
}

// What carries the orientation is marked, so that a push of its own starts nothing
// again, and nobody hears of what is not for a person.
func TestAPushIsPassedOnOnce(t *testing.T) {
	program, dir := besideFake(t, `{ echo "$1 $2 $4 $5 $6 $CHATRAIL_CARRYING"; cat; } >>"$0.seen"; echo unheard; echo unheard >&2; echo "chatrail: heard" >&2`)
	for _, mark := range []string{"", "1"} {
		cmd := exec.Command(program, "git", "pre-push", "origin", "a b")
		cmd.Env = append(os.Environ(), "CHATRAIL_CARRYING="+mark)
		cmd.Stdin = strings.NewReader("local 1 remote 2\n")
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		want := "chatrail: heard\n"
		if mark != "" {
			want = ""
		}
		if err := cmd.Run(); err != nil || out.String() != "" || errOut.String() != want {
			t.Errorf("%v, %q, %q", err, out.String(), errOut.String())
		}
	}
	seen, err := os.ReadFile(filepath.Join(dir, "chatrail.seen"))
	if err != nil || string(seen) != "githook --within pre-push origin a b 1\nlocal 1 remote 2\n" {
		t.Errorf("%q, %v", seen, err)
	}
}

// Only a gate that blocks is an exit code.
func TestGitHooksFailForTheGateAlone(t *testing.T) {
	program, dir := besideFake(t, `exit "$(cat "${0%/*}/code")"`)
	for _, c := range []struct{ hook, code, want string }{
		{"pre-commit", "0", ""}, {"pre-commit", "41", "exit status 41"}, {"pre-commit", "1", ""}, {"pre-commit", "2", ""}, {"pre-commit", "139", ""},
		{"post-commit", "41", ""}, {"post-rewrite", "41", ""}, {"pre-push", "41", ""}, {"no-such-hook", "41", ""},
	} {
		if err := os.WriteFile(filepath.Join(dir, "code"), []byte(c.code), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := exec.Command(program, "git", c.hook).Run(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s with %s: %q, not %q", c.hook, c.code, got, c.want)
		}
	}
	off := exec.Command(program, "git", "pre-commit")
	off.Env = append(os.Environ(), "CHATRAIL=off")
	if err := os.WriteFile(filepath.Join(dir, "code"), []byte("41"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := off.Run(); err != nil {
		t.Error("blocked while off")
	}
	// Without the full program.
	if err := os.Remove(filepath.Join(dir, "chatrail")); err != nil {
		t.Fatal(err)
	}
	alone := exec.Command(program, "git", "pre-commit")
	alone.Env = []string{"PATH=" + dir}
	if out, err := alone.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v, %q", err, out)
	}
}

// Something that hangs, be it ours, lets the commit go on; the test ends only if
// it does.
func TestGitHooksLetGoOfWhatHangs(t *testing.T) {
	t.Parallel()
	program, _ := besideFake(t, "exec sleep 600")
	cmd := exec.Command(program, "git", "pre-commit")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v, %q", err, out)
	}
}

// The real programs, in a repository without an orientation and in a frozen one.
func TestGitHooksAreSilentAboutWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, with := range []bool{false, true} {
		w := newWorld(t, with)
		w.run("git", "init", "-q", "-b", "main", ".")
		if with {
			w.run("git", "update-ref", "-d", "refs/chatrail/project")
		}
		for _, args := range [][]string{{"post-commit"}, {"pre-commit"}, {"post-rewrite", "amend"}, {"post-rewrite"}, {"pre-push", "origin", "../nowhere"}, {"pre-push"}, {"other"}} {
			cmd := exec.Command(filepath.Join(bin, "chatrail-hook"), append([]string{"git"}, args...)...)
			cmd.Dir, cmd.Env = w.project, w.env
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v: %v, %q", args, err, out)
			}
		}
	}
}
