package memory

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// git runs git in a folder, away from the configuration of this machine.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Each case is one that Claude Code 2.1.332 was started in.
func TestTopIsWhereClaudeCodeSeesTheProject(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, dir := range []string{"plain/sub", "repo/sub/deep", "broken/sub"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	git(t, root, "init", "-q", "repo")
	git(t, at("repo"), "commit", "-q", "--allow-empty", "-m", "x")
	git(t, at("repo"), "worktree", "add", "-q", "../linked")
	git(t, root, "init", "-q", "outer")
	git(t, at("outer"), "submodule", "--quiet", "add", at("repo"), "mod")
	git(t, root, "clone", "-q", "--bare", "repo", "bare.git")
	git(t, at("bare.git"), "worktree", "add", "-q", "../ofbare")
	git(t, root, "init", "-q", "--separate-git-dir", at("apart"), "separate")
	git(t, at("separate"), "commit", "-q", "--allow-empty", "-m", "x")
	git(t, at("separate"), "worktree", "add", "-q", "../ofapart")
	write(t, at("broken/.git"), "gitdir: /nowhere\n")
	// Whose .git leads to a work tree that does not lead back.
	write(t, at("liar/.git"), "gitdir: "+at("repo/.git/worktrees/linked")+"\n")
	if err := os.Symlink("repo", at("link")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		"plain/sub":     "plain/sub",
		"repo":          "repo",
		"repo/sub/deep": "repo",
		"linked":        "repo",
		"link/sub":      "repo",
		"outer/mod":     "outer/mod",
		"bare.git":      "bare.git",
		"ofbare":        "bare.git",
		"separate":      "separate",
		"ofapart":       "apart",
		"broken/sub":    "broken",
		"liar":          "liar",
	} {
		if got := Top(at(dir)); got != at(want) {
			t.Errorf("%s: %s, not %s", dir, got, at(want))
		}
	}
	for _, c := range []struct{ workTree, common, want string }{
		{"repo", "repo/.git", "repo"},
		{"linked", "repo/.git", "repo"},
		{"gone", "repo/.git", "repo"}, // a linked work tree that was removed
		{"", "repo/.git", "repo"},
		{"bare.git", "bare.git", "bare.git"},
		{"gone", "bare.git", "bare.git"},
		{"separate", "apart", "separate"},
		{"outer/mod", "outer/.git/modules/mod", "outer/mod"},
	} {
		workTree := c.workTree
		if workTree != "" {
			workTree = at(workTree)
		}
		if got := TopOfRepo(workTree, at(c.common)); got != at(c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
