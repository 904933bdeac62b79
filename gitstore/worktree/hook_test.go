package worktree

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// insideHook is what the test binary does as a git hook: it writes what it sees to two
// files.
func insideHook(file string) int {
	for name, o := range map[string]Options{"honoured": {HonourEnv: true}, "dropped": {}} {
		l, err := Changed(context.Background(), "", o)
		text := lines(l.Changed) + l.Refused
		if err != nil {
			text += err.Error()
		}
		if err := os.WriteFile(file+"."+name, []byte(text), 0o666); err != nil {
			return 1
		}
	}
	return 0
}

// TestInsideAPreCommitHookTheIndexThatIsCommittedCounts covers the three ways in
// which a commit brings an index of its own, or none.
func TestInsideAPreCommitHookTheIndexThatIsCommittedCounts(t *testing.T) {
	needs(t, "sh")
	for name, c := range map[string]struct {
		args []string
		want string // with the variables of git honoured
	}{
		"all":   {[]string{"-a"}, "M  \"a\"\nM  \"b\"\n?? \"new\"\n"},
		"path":  {[]string{"a"}, "M  \"a\"\n M \"b\"\n?? \"new\"\n"},
		"plain": {nil, " M \"a\"\nM  \"b\"\n?? \"new\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			commit(t, dir, "a", "1", "a")
			commit(t, dir, "b", "1", "b")
			write(t, dir+"/a", "22")
			write(t, dir+"/b", "22")
			write(t, dir+"/new", "n")
			if name == "plain" {
				git(t, dir, "add", "b")
			}
			file := filepath.Join(tempDir(t), "seen")
			write(t, dir+"/.git/hooks/pre-commit", "#!/bin/sh\nWORKTREE_TEST_HOOK='"+file+"' exec '"+os.Args[0]+"'\n")
			must(t, os.Chmod(dir+"/.git/hooks/pre-commit", 0o777))
			git(t, dir, append([]string{"commit", "-q", "-m", "x"}, c.args...)...)
			seen, err := os.ReadFile(file + ".honoured")
			must(t, err)
			if string(seen) != c.want {
				t.Errorf("in the hook\n%swant\n%s", seen, c.want)
			}
			dropped, err := os.ReadFile(file + ".dropped")
			must(t, err)
			if name != "plain" && string(dropped) == string(seen) {
				t.Errorf("without git's variables the same: %s", dropped)
			}
		})
	}
}
