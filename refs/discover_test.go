package refs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func TestDiscoveryFindsWhatGitFinds(t *testing.T) {
	for name, build := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := tempDir(t)
			for _, dir := range build(t, top) {
				compareWithGit(t, filepath.Join(top, filepath.FromSlash(dir)))
			}
		})
	}
}

func compareWithGit(t *testing.T, dir string) {
	t.Helper()
	r, err := Discover(dir)
	out, gitErr := tryGit(dir, "rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir")
	if (err == nil) != (gitErr == nil) {
		t.Fatalf("%s: we say %v, git says %v", dir, err, gitErr)
	}
	if err != nil {
		if !errors.Is(err, ErrNotRepo) && !errors.Is(err, ErrUnsupported) {
			t.Fatalf("%s: %v is neither of the two errors", dir, err)
		}
		return
	}
	says := strings.Split(out, "\n")
	same := func(what string, ours, gits string) {
		t.Helper()
		if ours != gits {
			t.Errorf("%s: %s is %q, git says %q", dir, what, ours, gits)
		}
	}
	same("bare", map[bool]string{true: "true", false: "false"}[r.Bare], says[0])
	same("object format", r.ObjectFormat, says[1])
	same("git dir", r.GitDir, resolved(says[2]))
	same("common dir", r.CommonDir, resolved(says[3]))
	top, err := tryGit(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		top = ""
	}
	same("work tree", r.WorkTree, filepath.FromSlash(top))
	compareHead(t, r, dir, same)
}

func compareHead(t *testing.T, r *Repo, dir string, same func(what, ours, gits string)) {
	t.Helper()
	branch, attached := tryGit(dir, "symbolic-ref", "-q", "HEAD")
	commit, born := tryGit(dir, "rev-parse", "--verify", "-q", "HEAD")
	h, err := r.Head()
	must(t, err)
	same("branch", h.Branch, shortName(branch))
	same("commit", h.Commit, commit)
	if h.Detached != (attached != nil) || h.Unborn != (born != nil) {
		t.Errorf("%s: HEAD is %+v", dir, h)
	}
}

func TestAskedGitGivesTheSameHeadAsOurOwnReading(t *testing.T) {
	dir := newRepo(t)
	for _, step := range [][]string{
		{"status"}, {"checkout", "-q", "--detach"}, {"symbolic-ref", "HEAD", "refs/heads/un/born"}, {"symbolic-ref", "HEAD", "refs/other/x"},
	} {
		git(t, dir, step...)
		ours, err := stored(t, dir, "files").Head()
		must(t, err)
		gits, err := stored(t, dir, "asked").Head()
		must(t, err)
		if ours != gits {
			t.Errorf("after git %v: %+v and %+v", step, ours, gits)
		}
	}
}

func TestGitVariablesCountOnlyWhenAskedFor(t *testing.T) {
	top := tempDir(t)
	plain(t, top+"/r")
	plain(t, top+"/other")
	git(t, top+"/r", "worktree", "add", "-q", "../wt")
	must(t, os.MkdirAll(top+"/r/a/b", 0o777))
	must(t, os.MkdirAll(top+"/tree", 0o777))
	link(t, "r", top+"/via")
	git(t, top+"/other", "config", "core.worktree", "../../tree")
	for name, c := range map[string]struct {
		dir string
		env map[string]string
	}{
		"GIT_DIR":                     {"tree", map[string]string{"GIT_DIR": "../r/.git"}},
		"GIT_DIR is a file":           {"tree", map[string]string{"GIT_DIR": "../wt/.git"}},
		"GIT_DIR leads nowhere":       {"r", map[string]string{"GIT_DIR": "nowhere"}},
		"GIT_DIR and GIT_WORK_TREE":   {"r/a", map[string]string{"GIT_DIR": "../../other/.git", "GIT_WORK_TREE": ".."}},
		"GIT_DIR and core.worktree":   {"r", map[string]string{"GIT_DIR": top + "/other/.git"}},
		"GIT_WORK_TREE alone":         {"r/a", map[string]string{"GIT_WORK_TREE": top + "/tree"}},
		"GIT_IMPLICIT_WORK_TREE":      {"tree", map[string]string{"GIT_DIR": "../r/.git", "GIT_IMPLICIT_WORK_TREE": "0"}},
		"GIT_COMMON_DIR":              {"r", map[string]string{"GIT_DIR": ".git", "GIT_COMMON_DIR": "../other/.git"}},
		"ceiling above":               {"r/a/b", map[string]string{"GIT_CEILING_DIRECTORIES": top}},
		"ceiling at the top":          {"r/a/b", map[string]string{"GIT_CEILING_DIRECTORIES": "/nowhere" + string(os.PathListSeparator) + top + "/r"}},
		"ceiling where one stands":    {"r", map[string]string{"GIT_CEILING_DIRECTORIES": top + "/r"}},
		"ceiling behind a link":       {"r/a/b", map[string]string{"GIT_CEILING_DIRECTORIES": top + "/via"}},
		"ceiling link not followed":   {"r/a/b", map[string]string{"GIT_CEILING_DIRECTORIES": string(os.PathListSeparator) + top + "/via"}},
		"relative ceiling is ignored": {"r/a/b", map[string]string{"GIT_CEILING_DIRECTORIES": "r"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(top, filepath.FromSlash(c.dir))
			without := found(t, top+"/r")
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			r, err := DiscoverEnv(dir, os.Getenv)
			out, gitErr := tryGit(dir, "rev-parse", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir")
			if (err == nil) != (gitErr == nil) {
				t.Fatalf("we say %v, git says %v", err, gitErr)
			}
			if err == nil {
				tree, _ := tryGit(dir, "rev-parse", "--show-toplevel")
				says := strings.Split(out, "\n")
				if r.GitDir != resolved(says[0]) || r.CommonDir != resolved(says[1]) || r.WorkTree != filepath.FromSlash(tree) {
					t.Errorf("found %+v, git says %q and %q", r, out, tree)
				}
			}
			if again := found(t, top+"/r"); again.GitDir != without.GitDir || again.WorkTree != without.WorkTree || again.CommonDir != without.CommonDir {
				t.Errorf("Discover listened to the environment: %+v", again)
			}
		})
	}
}

func TestAtDoesNotLookUpward(t *testing.T) {
	top := tempDir(t)
	plain(t, top+"/r")
	git(t, top, "init", "-q", "--bare", "b.git")
	must(t, os.MkdirAll(top+"/r/a", 0o777))
	if _, err := At(top + "/r/a"); !errors.Is(err, ErrNotRepo) {
		t.Errorf("below the top: %v", err)
	}
	if r, err := At(top + "/r"); err != nil || r.WorkTree != filepath.Join(top, "r") {
		t.Errorf("at the top: %+v, %v", r, err)
	}
	if r, err := At(top + "/b.git"); err != nil || !r.Bare {
		t.Errorf("bare: %+v, %v", r, err)
	}
}

func TestABrokenGitfileIsNotMistakenForNoRepository(t *testing.T) {
	top := tempDir(t)
	plain(t, top)
	write(t, top+"/a/.git", "gitdir: ../gone\n")
	must(t, os.MkdirAll(top+"/a/b", 0o777))
	if _, err := Discover(top + "/a/b"); !errors.Is(err, ErrBrokenGitfile) || !errors.Is(err, ErrNotRepo) {
		t.Errorf("below it: %v", err)
	}
	if _, err := At(top + "/a"); !errors.Is(err, ErrBrokenGitfile) {
		t.Errorf("beside it: %v", err)
	}
	if _, err := At(top + "/a/b"); errors.Is(err, ErrBrokenGitfile) || !errors.Is(err, ErrNotRepo) {
		t.Errorf("a folder without one: %v", err)
	}
}

func TestUnsupportedFormatIsNamed(t *testing.T) {
	dir := newRepo(t)
	for setting, config := range map[string]string{
		"frobnicate":    "[core]\nrepositoryformatversion=1\n[extensions]\nfrobnicate\n",
		"\"7\"":         "[core]\nrepositoryformatversion=7\n",
		"refstorage":    "[core]\nrepositoryformatversion=0\n[extensions]\nrefstorage=reftable\n",
		"\"sha3\"":      "[core]\nrepositoryformatversion=1\n[extensions]\nobjectformat=sha3\n",
		"\"undefined\"": "[core]\nrepositoryformatversion=undefined\n",
	} {
		write(t, dir+"/.git/config", config)
		if _, err := Discover(dir); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	write(t, dir+"/.git/config", "[core]\nrepositoryformatversion=1\n[extensions]\nrefstorage=reftable\nrelativeWorktrees\n")
	if r, err := Discover(dir); err != nil || r.RefStorage != "reftable" {
		t.Errorf("reftable: %+v, %v", r, err)
	}
}

func TestDeletedWorkingDirectoryIsAnError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder in use cannot be removed there")
	}
	gone := filepath.Join(tempDir(t), "gone")
	must(t, os.Mkdir(gone, 0o777))
	t.Chdir(gone)
	must(t, os.Remove(gone))
	for _, dir := range []string{"", ".", gone} {
		if _, err := Discover(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Discover(%q): %v", dir, err)
		}
		if _, err := At(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("At(%q): %v", dir, err)
		}
	}
}

func TestRelIsTheSlashPathBelowTheTop(t *testing.T) {
	top := tempDir(t)
	plain(t, top+"/r")
	must(t, os.MkdirAll(top+"/r/a/b", 0o777))
	must(t, os.MkdirAll(top+"/rest", 0o777))
	link(t, "r/a/b", top+"/in")
	link(t, "../rest", top+"/r/out")
	r := found(t, top+"/r")
	for dir, want := range map[string]string{"/r": "", "/r/a/b": "a/b", "/r/a/../a": "a", "/in": "a/b"} {
		if got, err := r.Rel(top + dir); err != nil || got != want {
			t.Errorf("Rel(%s) = %q, %v", dir, got, err)
		}
	}
	for _, dir := range []string{"", "/rest", "/r/out"} {
		if _, err := r.Rel(top + dir); !errors.Is(err, ErrOutside) {
			t.Errorf("Rel(%s): %v", dir, err)
		}
	}
}
