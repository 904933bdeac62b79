package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// quarrel is a repository whose branches main and other disagree about a file,
// each with three commits.
func quarrel(t *testing.T) string {
	t.Helper()
	quarrelling.Do(func() {
		dir := filepath.Join(os.Getenv("HOME"), "quarrel")
		from, err := template()
		must(t, err)
		must(t, os.CopyFS(dir, os.DirFS(from)))
		fallOut(t, dir)
	})
	dir := filepath.Join(tempDir(t), "repo")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join(os.Getenv("HOME"), "quarrel"))))
	return dir
}

var quarrelling sync.Once

func fallOut(t *testing.T, dir string) {
	commit(t, dir, "a", "base", "base")
	git(t, dir, "checkout", "-q", "-b", "other")
	commit(t, dir, "a", "other", "other 1")
	commit(t, dir, "b", "other", "other 2")
	commit(t, dir, "a", "more", "other 3")
	git(t, dir, "checkout", "-q", "main")
	commit(t, dir, "a", "main", "main 1")
	commit(t, dir, "c", "main", "main 2")
	commit(t, dir, "d", "main", "main 3")
}

// stop runs git commands, of which the last is to stop on its way.
func stop(t *testing.T, dir string, env string, args ...string) {
	t.Helper()
	cmd := gitCommand(dir, args...)
	if env != "" {
		cmd.Env = append(os.Environ(), env)
	}
	cmd.Run()
}

func TestEveryOperationIsNamedWhileGitIsInIt(t *testing.T) {
	needs(t, "sed")
	for name, c := range map[string]struct {
		drive func(t *testing.T, dir string)
		words string
		want  Operation
	}{
		"none":  {func(*testing.T, string) {}, "", Operation{}},
		"merge": {func(t *testing.T, dir string) { stop(t, dir, "", "merge", "other") }, "merge", Operation{Kind: Merge}},
		"merge that only waits for its commit": {func(t *testing.T, dir string) {
			git(t, dir, "merge", "-q", "--no-commit", "-s", "ours", "other")
		}, "merge", Operation{Kind: Merge}},
		"rebase": {func(t *testing.T, dir string) { stop(t, dir, "", "rebase", "other") }, "rebase, step 1 of 3",
			Operation{Kind: Rebase, Step: 1, Steps: 3, Head: "main", Onto: "other"}},
		"rebase on its second stop": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "other")
			stop(t, dir, "", "rebase", "main")
			write(t, dir+"/a", "settled")
			git(t, dir, "add", "a")
			stop(t, dir, "", "rebase", "--continue")
		}, "rebase, step 3 of 3", Operation{Kind: Rebase, Step: 3, Steps: 3, Head: "other", Onto: "main"}},
		"rebase with the other machinery": {func(t *testing.T, dir string) { stop(t, dir, "", "rebase", "--apply", "other") }, "rebase, step 1 of 3",
			Operation{Kind: Rebase, Step: 1, Steps: 3, Head: "main", Onto: "other"}},
		"rebase stopped to edit": {func(t *testing.T, dir string) {
			stop(t, dir, "GIT_SEQUENCE_EDITOR=sed -i.bak 2s/pick/edit/", "rebase", "-i", "HEAD~3")
		}, "rebase, step 2 of 3", Operation{Kind: Rebase, Step: 2, Steps: 3, Head: "main", Onto: "HEAD~2~1"}},
		"rebase of a detached HEAD": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "--detach")
			stop(t, dir, "", "rebase", "other")
		}, "rebase, step 1 of 3", Operation{Kind: Rebase, Step: 1, Steps: 3, Onto: "other"}},
		"cherry-pick": {func(t *testing.T, dir string) { stop(t, dir, "", "cherry-pick", "other~2") }, "cherry-pick", Operation{Kind: CherryPick}},
		"cherry-pick of several": {func(t *testing.T, dir string) {
			stop(t, dir, "", "cherry-pick", "other~3..other")
		}, "cherry-pick, 2 left", Operation{Kind: CherryPick, Left: 2}},
		"cherry-pick between two commits": {func(t *testing.T, dir string) {
			stop(t, dir, "", "cherry-pick", "other~3..other")
			write(t, dir+"/a", "settled")
			git(t, dir, "commit", "-q", "-a", "-m", "by hand")
		}, "cherry-pick, 2 left", Operation{Kind: CherryPick, Left: 2}},
		"revert": {func(t *testing.T, dir string) {
			git(t, dir, "revert", "--no-commit", "HEAD")
			stop(t, dir, "", "revert", "HEAD~5")
		}, "revert", Operation{Kind: Revert}},
		"revert of several": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "other")
			stop(t, dir, "", "revert", "HEAD~2", "HEAD~1")
		}, "revert, 1 left", Operation{Kind: Revert, Left: 1}},
		"revert between two commits": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "other")
			stop(t, dir, "", "revert", "HEAD~2", "HEAD~1")
			write(t, dir+"/a", "settled")
			git(t, dir, "commit", "-q", "-a", "-m", "by hand")
		}, "revert, 1 left", Operation{Kind: Revert, Left: 1}},
		"bisect":                     {func(t *testing.T, dir string) { git(t, dir, "bisect", "start", "HEAD", "HEAD~3") }, "bisect", Operation{Kind: Bisect, Head: "main"}},
		"bisect that has just begun": {func(t *testing.T, dir string) { git(t, dir, "bisect", "start") }, "bisect", Operation{Kind: Bisect, Head: "main"}},
		"bisect of a detached HEAD": {func(t *testing.T, dir string) {
			git(t, dir, "checkout", "-q", "--detach")
			git(t, dir, "bisect", "start", "HEAD", "HEAD~3")
		}, "bisect", Operation{Kind: Bisect}},
		"am": {func(t *testing.T, dir string) {
			mails := filepath.Join(t.TempDir(), "mails")
			must(t, os.WriteFile(mails, []byte(git(t, dir, "format-patch", "--stdout", "other~3..other")+"\n"), 0o666))
			stop(t, dir, "", "am", mails)
		}, "am, step 1 of 3", Operation{Kind: Am, Step: 1, Steps: 3}},
	} {
		for _, linked := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", linked"}[linked], func(t *testing.T) {
				t.Parallel()
				dir := quarrel(t)
				main := dir
				if linked {
					dir = filepath.Join(filepath.Dir(dir), "linked")
					git(t, main, "checkout", "-q", "--detach")
					git(t, main, "worktree", "add", "-q", dir, "main")
				}
				want := c.want
				if want.Onto != "" {
					want.Onto = git(t, dir, "rev-parse", want.Onto)
				}
				c.drive(t, dir)
				before := footprint(t, main)
				s := read(t, dir)
				if footprint(t, main) != before {
					t.Error("asking changed something")
				}
				if s.Operation != want || s.Operation.Words() != c.words {
					t.Errorf("got %+v, %q, want %+v", s.Operation, s.Operation.Words(), want)
				}
				if said := gitSays(t, dir); said != s.Operation.Kind {
					t.Errorf("got %q, git says %q", s.Operation.Kind, said)
				}
				if linked && InProgress(found(t, main)) != (Operation{}) {
					t.Error("the main work tree has the operation of a linked one")
				}
			})
		}
	}
}

// gitSays is the operation that the long form of git status speaks of.
func gitSays(t *testing.T, dir string) string {
	long := git(t, dir, "status")
	for words, kind := range map[string]string{
		"interactive rebase in progress": Rebase, "currently rebasing": Rebase, "currently editing a commit": Rebase,
		"currently cherry-picking": CherryPick, "Cherry-pick currently in progress": CherryPick,
		"currently reverting": Revert, "Revert currently in progress": Revert, "currently bisecting": Bisect,
		"in the middle of an am session": Am, "still merging": Merge, "You have unmerged paths": Merge,
	} {
		if strings.Contains(long, words) && (kind != Merge || !strings.Contains(long, "cherry-pick") && !strings.Contains(long, "revert") && !strings.Contains(long, "reba") && !strings.Contains(long, " am ")) {
			return kind
		}
	}
	return ""
}

func TestGarbageInTheFilesOfAnOperationIsNoStep(t *testing.T) {
	dir := newRepo(t)
	write(t, dir+"/.git/rebase-merge/msgnum", "-3\n")
	write(t, dir+"/.git/rebase-merge/end", strings.Repeat("9", 400))
	write(t, dir+"/.git/rebase-merge/head-name", "")
	if op := InProgress(found(t, dir)); op != (Operation{Kind: Rebase}) || op.Words() != "rebase" {
		t.Errorf("got %+v, %q", op, op.Words())
	}
}
