package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// sizeByGit is what git itself says of a commit, told in another way: the tree
// of the commit against the tree of its first parent.
func sizeByGit(t *testing.T, dir, id string) Size {
	t.Helper()
	parent, err := tryGit(dir, "rev-parse", "--verify", "--quiet", id+"^1")
	if err != nil {
		parent = git(t, dir, "hash-object", "-t", "tree", os.DevNull)
	}
	s := Size{ID: id}
	for line := range strings.Lines(git(t, dir, "diff-tree", "-r", "--numstat", "--no-renames", parent, id) + "\n") {
		if f := strings.Fields(line); len(f) > 2 {
			var a, d int
			fmt.Sscan(f[0], &a) // "-" leaves 0
			fmt.Sscan(f[1], &d)
			s.Files, s.Added, s.Deleted = s.Files+1, s.Added+a, s.Deleted+d
		}
	}
	return s
}

func sizes(t *testing.T, dir string, names ...string) []Size {
	t.Helper()
	got, err := Sizes(t.Context(), found(t, dir), names...)
	must(t, err)
	if len(got) != len(names) {
		t.Fatalf("%d sizes of %d commits", len(got), len(names))
	}
	return got
}

// oddHistory has a root commit, a rename, a deletion, a mode change, binary
// files, paths with every odd character, a submodule, an empty commit, a merge
// and an octopus. It is made once and copied from then on.
func oddHistory(t *testing.T) string {
	t.Helper()
	from := filepath.Join(os.Getenv("HOME"), "odd")
	oddOnce.Do(func() { must(t, os.Rename(makeOddHistory(t), from)) })
	dir := filepath.Join(tempDir(t), "odd")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

var oddOnce sync.Once

func makeOddHistory(t *testing.T) string {
	t.Helper()
	dir := newRepo(t)
	write(t, filepath.Join(dir, "a"), "1\n2\n3\n")
	write(t, filepath.Join(dir, "bin"), "\x00\x01")
	write(t, filepath.Join(dir, "no end"), "x")
	write(t, filepath.Join(dir, "tab\tand\nbreak \"é"), "1\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "second")
	git(t, dir, "mv", "a", "moved")
	git(t, dir, "commit", "-q", "-m", "rename")
	git(t, dir, "rm", "-q", "no end")
	git(t, dir, "update-index", "--chmod=+x", "moved")
	git(t, dir, "commit", "-q", "-m", "delete, change a mode")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+git(t, dir, "rev-parse", "HEAD~1")+",module")
	git(t, dir, "commit", "-q", "-m", "a submodule")
	git(t, dir, "update-index", "--cacheinfo", "160000,"+git(t, dir, "rev-parse", "HEAD")+",module")
	git(t, dir, "commit", "-q", "-m", "it moves")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "nothing")
	for _, side := range []string{"one", "two"} {
		git(t, dir, "checkout", "-q", "-b", side, "main~3")
		commit(t, dir, side, side+"\n", "on "+side)
	}
	git(t, dir, "checkout", "-q", "main")
	commit(t, dir, "c", "c\n", "on main")
	git(t, dir, "merge", "-q", "-m", "merge", "one")
	git(t, dir, "checkout", "-q", "-b", "octopus", "main~1")
	git(t, dir, "merge", "-q", "-m", "octopus", "one", "two")
	git(t, dir, "checkout", "-q", "main")
	git(t, dir, "tag", "-a", "-m", "tag", "v1", "main~1")
	git(t, dir, "checkout", "-q", "--orphan", "other")
	write(t, filepath.Join(dir, "bin"), "\x00\x02")
	git(t, dir, "commit", "-q", "-a", "-m", "another root")
	return dir
}

func TestSizesAreGitsOwn(t *testing.T) {
	dir := oddHistory(t)
	ids := strings.Fields(git(t, dir, "rev-list", "--all"))
	if len(ids) < 12 {
		t.Fatal("the history is too short to show anything")
	}
	for i, got := range sizes(t, dir, ids...) {
		if want := sizeByGit(t, dir, ids[i]); got != want {
			t.Errorf("%s: %+v, git says %+v", git(t, dir, "log", "-1", "--format=%s", ids[i]), got, want)
		}
	}
}

func TestSizesAreInTheOrderOfTheNames(t *testing.T) {
	dir := oddHistory(t)
	names := []string{"main", "v1", "main~2", "HEAD", "main", "main^{/second}", git(t, dir, "rev-parse", "--short", "one"), ":/on two"}
	for i, got := range sizes(t, dir, names...) {
		if want := git(t, dir, "rev-list", "-1", names[i]); got.ID != want {
			t.Errorf("%s: %s, not %s", names[i], got.ID, want)
		}
	}
	if got := sizes(t, dir); len(got) != 0 {
		t.Errorf("%v for no name", got)
	}
}

// A user's settings for reading a log do not change what a commit weighs.
func TestSizesOverruleSettings(t *testing.T) {
	dir := oddHistory(t)
	ids := strings.Fields(git(t, dir, "rev-list", "--all"))
	want := sizes(t, dir, ids...)
	for name, value := range map[string]string{
		"log.diffMerges": "combined", "log.showSignature": "true", "log.showRoot": "false", "diff.renames": "copies",
		"diff.orderFile": "/does/not/exist", "diff.algorithm": "patience", "diff.ignoreSubmodules": "all", "diff.relative": "true",
		"diff.external": "false", "color.ui": "always", "format.pretty": "fuller", "diff.noprefix": "true", "log.follow": "true",
		"log.decorate": "full", "core.quotePath": "true", "diff.submodule": "log", "submodule.module.ignore": "all",
	} {
		git(t, dir, "config", name, value)
	}
	for i, got := range sizes(t, dir, ids...) {
		if got != want[i] {
			t.Errorf("%+v became %+v", want[i], got)
		}
	}
}

// What is no commit is refused by its name, and nothing else is answered for it.
func TestSizesRefuseWhatIsNoCommit(t *testing.T) {
	dir := oddHistory(t)
	repo := found(t, dir)
	for _, name := range []string{"", "nope", "HEAD:bin", "HEAD^{tree}", "a b", "main..one", "^main", "--all", "main\nmain", "main\x00", strings.Repeat("0", 40)} {
		got, err := Sizes(t.Context(), repo, "main", name)
		if err == nil || !strings.Contains(err.Error(), "names no single commit") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Sizes(ctx, repo, "main"); err == nil {
		t.Errorf("%v after the end", got)
	}
}

// A shallow clone has no parents at its border, as git sees it; a bare
// repository and an unborn branch answer as any other.
func TestSizesInOddRepositories(t *testing.T) {
	dir := oddHistory(t)
	for _, args := range [][]string{{"--depth=2"}, {"--bare"}} {
		clone := filepath.Join(tempDir(t), "clone")
		git(t, dir, append(append([]string{"clone", "-q", "--branch=main"}, args...), "file://"+dir, clone)...)
		for _, id := range strings.Fields(git(t, clone, "rev-list", "main")) {
			if got, want := sizes(t, clone, id)[0], sizeByGit(t, clone, id); got != want {
				t.Errorf("%s: %+v, git says %+v", args, got, want)
			}
		}
	}
	unborn := filepath.Join(tempDir(t), "unborn")
	git(t, tempDir(t), "init", "-q", unborn)
	if got, err := Sizes(t.Context(), found(t, unborn), "HEAD"); err == nil {
		t.Errorf("%v of an unborn branch", got)
	}
}

// In a partial clone the server is not asked, since it may ask for a password.
func TestSizesAskNoServer(t *testing.T) {
	dir := oddHistory(t)
	git(t, dir, "config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(tempDir(t), "clone")
	git(t, dir, "clone", "-q", "--no-checkout", "--filter=blob:none", "--branch=main", "file://"+dir, clone)
	before := footprint(t, clone)
	if got, err := Sizes(t.Context(), found(t, clone), "main"); err == nil {
		t.Errorf("%v without the contents", got)
	}
	if footprint(t, clone) != before {
		t.Error("something was fetched")
	}
}

func FuzzParseSizes(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add("commit " + id + "\x00\n1\t2\tp\x00-\t-\tq\x00commit " + strings.Repeat("b", 64) + "\x00")
	f.Add("commit " + id)
	f.Add("\n1\t2\tp\x00")
	f.Fuzz(func(t *testing.T, out string) {
		measured, err := parseSizes(out)
		if err != nil {
			return
		}
		files := 0
		for id, s := range measured {
			if s.ID != id || !isID(id) || s.Files < 0 || s.Added < 0 || s.Deleted < 0 {
				t.Errorf("%+v", s)
			}
			files += s.Files
		}
		if records := strings.Count(out, "\x00"); files+len(measured) > records {
			t.Errorf("%d files and %d commits of %d records", files, len(measured), records)
		}
	})
}
