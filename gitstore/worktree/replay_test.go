package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/refs"
)

// replayedInHook is what the test binary does as a post-commit hook: it adds a
// line to a file.
func replayedInHook(file string) int {
	repo, err := refs.DiscoverEnv("", os.Getenv)
	if err != nil {
		return 1
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 1
	}
	fmt.Fprintln(f, Replayed(context.Background(), repo))
	f.Close()
	return 0
}

// runWords runs a git command with some editors on the search path.
func runWords(t *testing.T, dir, bin, words string) {
	t.Helper()
	words, fails := strings.CutPrefix(words, "!")
	cmd := gitCommand(dir, strings.Fields(words)...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); (err != nil) != fails {
		t.Fatalf("git %s: %v: %s", words, err, out)
	}
}

// Each way to make a commit is judged from inside the post-commit hook that
// follows it, as ChatRail is.
func TestReplayedIsWhatARebaseMade(t *testing.T) {
	needs(t, "sh", "sed")
	t.Parallel()
	replay := []string{"false", "true"}
	for name, c := range map[string]struct {
		do   []string // git commands; "!" in front: it stops
		want []string // one answer for each commit that a hook followed
	}{
		"commit":      {[]string{"commit --allow-empty -q -m x"}, replay[:1]},
		"amend":       {[]string{"commit --allow-empty --amend -q -m x"}, replay[:1]},
		"cherry-pick": {[]string{"cherry-pick side~1 side"}, []string{"false", "false"}},
		"revert":      {[]string{"revert --no-edit HEAD"}, replay[:1]},
		"rebase":      {[]string{"checkout -q side", "rebase -q main"}, []string{"true", "true"}},
		"a conflict in a rebase": {[]string{"checkout -q clash", "!rebase main", "add -A", "-c core.editor=true rebase --continue"},
			[]string{"true"}},
		"a conflict in a rebase, committed": {[]string{"checkout -q clash", "!rebase main", "add -A", "commit -q -m x", "rebase --continue"},
			[]string{"false"}}, // git writes what it writes of any commit
		"by hand at a stop of a rebase": {[]string{"checkout -q side", "-c sequence.editor=break rebase -q -i main",
			"commit -q --allow-empty -m hand", "rebase --continue"}, []string{"false", "true", "true"}},
		"squash":                      {[]string{"checkout -q side", "-c sequence.editor=squash -c core.editor=true rebase -q -i main"}, []string{"true", "true"}},
		"reword":                      {[]string{"checkout -q side", "-c sequence.editor=reword -c core.editor=true rebase -q -i main~1"}, []string{"true", "true", "true"}},
		"a conflict in a cherry-pick": {[]string{"!cherry-pick clash", "add -A", "commit -q -m x"}, replay[:1]},
		"without a log": {[]string{"config core.logAllRefUpdates false", "rm-log", "commit --allow-empty -q -m x",
			"checkout -q side", "rebase -q main"}, []string{"false", "true", "true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			commit(t, dir, "a", "1\n", "a")
			git(t, dir, "checkout", "-q", "-b", "side", "main~1")
			commit(t, dir, "b", "1\n", "b")
			commit(t, dir, "c", "1\n", "c")
			git(t, dir, "checkout", "-q", "-b", "clash", "main~1")
			commit(t, dir, "a", "2\n", "clash")
			git(t, dir, "checkout", "-q", "main")
			commit(t, dir, "d", "1\n", "d")
			hooks := filepath.Join(dir, ".git", "hooks")
			must(t, os.MkdirAll(hooks, 0o777))
			self, err := os.Executable()
			must(t, err)
			answers := filepath.Join(tempDir(t), "answers")
			must(t, os.WriteFile(filepath.Join(hooks, "post-commit"),
				[]byte("#!/bin/sh\nWORKTREE_TEST_REPLAY='"+answers+"' exec '"+self+"'\n"), 0o777))
			bin := tempDir(t)
			for editor, line := range map[string]string{"break": "1ibreak", "squash": "2s/^pick/squash/", "reword": "1s/^pick/reword/"} {
				must(t, os.WriteFile(filepath.Join(bin, editor), []byte("#!/bin/sh\nsed '"+line+"' \"$1\" >\"$1.new\" && mv \"$1.new\" \"$1\"\n"), 0o777))
			}
			for _, words := range c.do {
				if words == "rm-log" {
					must(t, os.RemoveAll(filepath.Join(dir, ".git", "logs")))
					continue
				}
				runWords(t, dir, bin, words)
			}
			data, err := os.ReadFile(answers)
			must(t, err)
			want := ""
			for _, w := range c.want {
				want += w + "\n"
			}
			if string(data) != want {
				t.Errorf("the hook judged %q, not %q", data, want)
			}
		})
	}
}
