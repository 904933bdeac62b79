package fallback

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"chatrail/bundle/temptest"
	"chatrail/gitstore/worktree"
)

// TestMain keeps the user's configuration from git and from what is tested.
func TestMain(m *testing.M) {
	temptest.InMemory()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "fallback-home-")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// newRepo is a repository with some files, nothing of it committed.
func newRepo(t testing.TB, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	git(t, dir, "init", "-q")
	for _, name := range files {
		write(t, filepath.Join(dir, name), name)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(t, os.WriteFile(path, []byte(text), 0o666))
}

// listed is a listing in the form of git status.
func listed(changes []worktree.Change) string {
	var lines []string
	for _, c := range changes {
		lines = append(lines, c.State+" "+c.Path+"\x00")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// compare wants git's own answer of a repository.
func compare(t *testing.T, dir string) {
	t.Helper()
	want := strings.SplitAfter(git(t, dir, "--no-optional-locks", "status", "--porcelain", "-z", "-uall", "--no-renames"), "\x00")
	slices.Sort(want)
	got, err := Status(dir)
	must(t, err)
	if listed(got) != strings.Join(want, "") {
		t.Errorf("got %q, want %q", listed(got), strings.Join(want, ""))
	}
}

func TestRulesIgnoreWhatGitIgnores(t *testing.T) {
	dir := newRepo(t, "x.c", "x.go", "1", "#y", "d/x.c", "d/x.go", "d/e/x.c", "d/e/f/x.c", "d/e/f/x.go")
	git(t, dir, "config", "core.excludesFile", ".git/mine")
	places := []string{".gitignore", "d/.gitignore", ".git/info/exclude", ".git/mine"}
	for _, text := range []string{
		"*\n!*/\n!*.go\n", "*\n!d\n", "d/*\n!d/e/\n", "d/**\n!d/e/\n", "d/**\n!d/x.c\n", "/*\n!/d/\n", "e/\n!d/e/\n", "!d/\n*.c\n", "d/\n!d/x.go\n",
		"*.c\n!/d/\n!/e/\n", "x*\n!d/e/\n", "**/e/*.c\n", "d/**/x.c\n", "/x.c\n", "x.c/\n", "e\n", "#x.c\n\\#y\n", "  \n \tx.c\n",
		"x.c   \n", "*.[!g]*\n", "[[:digit:]]*\n", "\ufeffx.c\r\n\r\n*.go\r\n", "/\n!\n//\n**\n!*.c\n", "[\n*.c\n", "d/e\n!d/e/x.c\n", "x.c",
	} {
		for _, place := range places {
			t.Run(place+" "+text, func(t *testing.T) {
				write(t, filepath.Join(dir, place), text)
				compare(t, dir)
				must(t, os.Remove(filepath.Join(dir, place)))
			})
		}
	}
}

func TestWhatIsStagedIsSeenWithAndWithoutTheTreeInTheIndex(t *testing.T) {
	dir := newRepo(t, "a", "b/c", "b/d")
	git(t, dir, "add", "-A")
	compare(t, dir)
	git(t, dir, "commit", "-q", "-m", "first")
	compare(t, dir)
	write(t, filepath.Join(dir, "b", "c"), "more")
	git(t, dir, "add", "-A")
	git(t, dir, "rm", "-q", "--cached", "a")
	compare(t, dir)
	git(t, dir, "write-tree") // the index now names its tree, which is not that of HEAD
	compare(t, dir)
}

func TestASubmoduleWhoseFilesAreItsParentsComesToAnEnd(t *testing.T) {
	dir := newRepo(t, "sub/a")
	sub := filepath.Join(dir, "sub")
	git(t, sub, "init", "-q")
	git(t, sub, "add", "a")
	git(t, sub, "commit", "-q", "-m", "inner")
	git(t, dir, "add", "sub")
	git(t, dir, "commit", "-q", "-m", "outer")
	outer, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	must(t, err)
	write(t, filepath.Join(sub, ".git", "index"), string(outer))
	git(t, sub, "config", "core.worktree", dir)
	got, err := Status(dir)
	if err != nil || len(got) != 0 {
		t.Errorf("got %q, %v", listed(got), err)
	}
}

func TestAnIndexThatLeadsOutOfTheWorkTreeIsRefused(t *testing.T) {
	for _, name := range []string{"../x", "a/../../x", "/etc/x", ".git/config", "a//b", "a/.GIT/b", ".", ""} {
		data := encoded(t, name)
		if _, err := decodeIndex(data); err == nil {
			t.Errorf("%q is taken", name)
		}
		dir := newRepo(t)
		write(t, filepath.Join(dir, ".git", "index"), string(data))
		if got, err := Status(dir); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %q, %v", name, listed(got), err)
		}
	}
	if _, err := decodeIndex(encoded(t, "a..b/.gitx/..c")); err != nil {
		t.Error(err)
	}
}

// encoded is an index with one path.
func encoded(t testing.TB, name string) []byte {
	var b bytes.Buffer
	idx := &index.Index{Version: 2, Entries: []*index.Entry{{Name: name, Mode: filemode.Regular}}}
	must(t, index.NewEncoder(&b).Encode(idx))
	return b.Bytes()
}

func TestABrokenConfigurationIsRefusedInOneLine(t *testing.T) {
	dir := newRepo(t, "a")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n\tbare = false\n[branch \"a\"b\"]\n\tx = y\n")
	if got, err := Status(dir); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %q, %v", listed(got), err)
	}
}

// What a repository holds is input. The index of a seed needs no right checksum:
// one of zeros counts as left out.
func FuzzBrokenFilesAreAnErrorAndNeverAPanic(f *testing.F) {
	dir := newRepo(f, "a", "d/b", "d/e/c")
	sum := make([]byte, 20)
	whole := encoded(f, "d/b")
	f.Add(append(whole[:len(whole)-20], sum...), "[core]\n\tfileMode = no\n", "*.c\n!d/\n[!a]\n")
	f.Add(append(binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x04"), 1), sum...), "[core", "/**/\n")
	f.Fuzz(func(t *testing.T, idx []byte, config, rules string) {
		if strings.Contains(strings.ToLower(config), "worktree") || strings.Contains(strings.ToLower(config), "excludesfile") {
			t.Skip("leads elsewhere")
		}
		write(t, filepath.Join(dir, ".git", "index"), string(idx))
		write(t, filepath.Join(dir, ".git", "config"), config)
		write(t, filepath.Join(dir, ".gitignore"), rules)
		changes, err := Status(dir)
		for _, c := range changes {
			if !validPath(strings.TrimSuffix(c.Path, "/")) || len(c.State) != 2 || err != nil {
				t.Errorf("%+v, %v", c, err)
			}
		}
	})
}
