package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"chatrail/refs"
)

func TestTheBranchIsNamedAsAPersonWouldNameIt(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	head := git(t, dir, "rev-parse", "HEAD")
	if s := read(t, dir); s.BranchWords() != "main" || s.Head != head || s.Top != dir || s.Detached || s.Unborn {
		t.Errorf("got %+v", s)
	}
	git(t, dir, "checkout", "-q", "--detach")
	if s := read(t, dir); s.BranchWords() != "detached at "+head[:12] || s.Head != head || !s.Detached || s.Branch != "" {
		t.Errorf("got %+v", s)
	}
	git(t, dir, "checkout", "-q", "--orphan", "feature/new")
	write(t, dir+"/x", "x")
	if s := read(t, dir); s.BranchWords() != "feature/new (no commit yet)" || s.Head != "" || !s.Unborn || lines(s.Changed) != "?? \"x\"\n" {
		t.Errorf("got %+v", s)
	}
	if words := (State{}).BranchWords(); words != "" {
		t.Errorf("got %q", words)
	}
}

func TestWhatCannotAnswerIsAStateWithItsReason(t *testing.T) {
	t.Parallel()
	bare := newRepo(t)
	git(t, bare, "config", "core.bare", "true")
	if s := read(t, bare); s.Branch != "main" || s.Refused != "this operation must be run in a work tree" || s.Changed != nil {
		t.Errorf("got %+v", s)
	}
	broken := newRepo(t)
	write(t, broken+"/.git/index", "DIRCjunk and more of it than that, so that it is no cut file")
	if s := read(t, broken); s.Branch != "main" || s.Refused == "" || strings.Contains(s.Refused, "\n") {
		t.Errorf("got %+v", s)
	}
	future := newRepo(t)
	git(t, future, "config", "core.repositoryformatversion", "1")
	git(t, future, "config", "extensions.notYetInvented", "true")
	if s := read(t, future); s.Refused != "unknown repository extension found: notyetinvented" || s.Branch != "" {
		t.Errorf("got %+v", s)
	}
	config := newRepo(t)
	write(t, config+"/.git/config", "[core\n")
	if s := read(t, config); !strings.HasPrefix(s.Refused, "bad config line 1 in file") {
		t.Errorf("got %+v", s)
	}
	if _, err := Read(t.Context(), tempDir(t), Options{}); !errors.Is(err, refs.ErrNotRepo) {
		t.Errorf("outside a repository: %v", err)
	}
	gone, err := Changed(t.Context(), filepath.Join(tempDir(t), "gone"), Options{})
	if err != nil || !strings.Contains(gone.Refused, "No such file") {
		t.Errorf("got %+v, %v", gone, err)
	}
}

func TestAForeignOwnerIsAReason(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs to be root")
	}
	t.Parallel()
	dir := newRepo(t)
	must(t, os.Chown(dir, 12345, 12345))
	s := read(t, dir)
	if !strings.HasPrefix(s.Refused, "detected dubious ownership") || s.Branch != "main" {
		t.Errorf("got %+v", s)
	}
}

func TestVariablesOfAnotherRepositoryMeanNothingToAnAgentsHook(t *testing.T) {
	dir, other := newRepo(t), newRepo(t)
	write(t, dir+"/mine", "x")
	write(t, other+"/theirs", "x")
	for name, value := range map[string]string{
		"GIT_DIR": other + "/.git", "GIT_WORK_TREE": other, "GIT_INDEX_FILE": other + "/none", "GIT_CEILING_DIRECTORIES": dir,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
	} {
		t.Setenv(name, value)
	}
	if s := read(t, dir); lines(s.Changed) != "?? \"mine\"\n" {
		t.Errorf("got %+v", s)
	}
	os.Unsetenv("GIT_CONFIG_COUNT")
	s, err := Read(t.Context(), dir, Options{HonourEnv: true})
	must(t, err)
	if lines(s.Changed) != "?? \"theirs\"\n" || s.Top != other {
		t.Errorf("got %+v", s)
	}
}

// fakeGit puts a shell script in the place of git.
func fakeGit(t *testing.T, text string) {
	needs(t, "sh")
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts")
	}
	dir := tempDir(t)
	must(t, os.WriteFile(dir+"/git", []byte("#!/bin/sh\n"+text), 0o777))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestPastTheDeadlineWhatWasReadStandsAsPartial(t *testing.T) {
	printed := filepath.Join(tempDir(t), "printed")
	fakeGit(t, `printf '? a\0? b\0? torn'; : >`+printed+`; exec sleep 30`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // the time is up as soon as there is something to read, however slow the machine
		for ctx.Err() == nil {
			if _, err := os.Stat(printed); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	l, err := Changed(ctx, "", Options{})
	must(t, err)
	if !l.Partial || lines(l.Changed) != "?? \"a\"\n?? \"b\"\n" {
		t.Errorf("got %+v", l)
	}
}

// TestAFilterThatHangsHoldsNobody has git itself waiting, with a child that
// outlives it and holds its standard error.
func TestAFilterThatHangsHoldsNobody(t *testing.T) {
	needs(t, "sh")
	t.Parallel()
	dir := newRepo(t)
	commit(t, dir, "a", "1", "a")
	write(t, dir+"/.git/info/attributes", "a filter=slow")
	git(t, dir, "config", "filter.slow.clean", "sleep 30")
	write(t, dir+"/a", "2")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if l, err := Changed(ctx, dir, Options{}); err != nil || !l.Partial {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestMoreThanTheLimitIsPartial(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	for _, name := range []string{"a", "b", "c"} {
		write(t, filepath.Join(dir, name), "x")
	}
	for limit, partial := range map[int]bool{0: false, 1: true, 2: true, 3: false, 4: false} {
		l, err := Changed(t.Context(), dir, Options{Limit: limit})
		must(t, err)
		want := 3
		if partial {
			want = limit
		}
		if l.Partial != partial || len(l.Changed) != want {
			t.Errorf("limit %d: %+v", limit, l)
		}
	}
}

// TestALongAnswerThatIsNotReadToItsEndIsNoFailure has git write more than a pipe
// holds, so that it ends because nobody listens.
func TestALongAnswerThatIsNotReadToItsEndIsNoFailure(t *testing.T) {
	fakeGit(t, `i=0; while :; do printf '? a%s\0' $i; i=$((i+1)); done`)
	l, err := Changed(t.Context(), "", Options{Limit: 5})
	if err != nil || !l.Partial || len(l.Changed) != 5 || l.Refused != "" {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestAnAnswerThatGitNeverGivesIsAnError(t *testing.T) {
	for _, script := range []string{`printf 'what is this\0'`, `while :; do printf 'what is this\0'; done`, `printf '? cut'`, `printf '? a\0'; kill -9 $$`} {
		t.Run(script, func(t *testing.T) {
			fakeGit(t, script)
			if l, err := Changed(t.Context(), "", Options{}); err == nil {
				t.Errorf("got %+v", l)
			}
		})
	}
}

func TestWithoutAGitProgramTheAnswerIsMarked(t *testing.T) {
	dir := newRepo(t)
	t.Setenv("PATH", "")
	if s := read(t, dir); s.Refused != noGit || s.Branch != "main" {
		t.Errorf("got %+v", s)
	}
	fallback := func(changes []Change, err error) Options {
		return Options{Limit: 2, Fallback: func(got string) ([]Change, error) {
			if got != dir {
				t.Errorf("asked about %s", got)
			}
			return changes, err
		}}
	}
	three := []Change{{Path: "c", State: "??"}, {Path: "x/.chatrail/y", State: "??"}, {Path: "b", State: " M"}, {Path: "a", State: " M"}}
	l, err := Changed(t.Context(), dir, fallback(three, nil))
	if err != nil || !l.Approximate || !l.Partial || lines(l.Changed) != " M \"a\"\n M \"b\"\n" {
		t.Errorf("got %+v, %v", l, err)
	}
	l, err = Changed(t.Context(), dir, fallback(nil, errors.New("no\nway")))
	if err != nil || !l.Approximate || l.Refused != "no way" {
		t.Errorf("got %+v, %v", l, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err = Changed(ctx, dir, Options{Fallback: func(string) ([]Change, error) { select {} }})
	if err != nil || !l.Approximate || !l.Partial {
		t.Errorf("got %+v, %v", l, err)
	}
}
