package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func content(t *testing.T, root, path string) string {
	t.Helper()
	text, err := Content(root, Change{Path: path})
	must(t, err)
	return text
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestContentSaysWhatAPathIsNow(t *testing.T) {
	t.Parallel()
	root := newRepo(t)
	head := git(t, root, "rev-parse", "HEAD")
	write(t, root+"/file", "text")
	write(t, root+"/dir/in", strings.Repeat("long", 100_000))
	must(t, os.Symlink("dir", root+"/link"))
	must(t, os.CopyFS(root+"/nest/.git", os.DirFS(root+"/.git")))
	write(t, root+"/plain/folder/x", "x")
	git(t, root, "init", "-q", "unborn")
	for path, want := range map[string]string{
		"file": "file:" + sum("text"), "dir/in": "file:" + sum(strings.Repeat("long", 100_000)), "link": "link:" + sum("dir"),
		"gone": Deleted, "gone/too": Deleted, "file/below": Deleted, "link/in": Deleted, "plain/folder": Deleted,
		"nest/": "commit:" + head, "nest": "commit:" + head, "unborn/": "commit:none",
	} {
		if got := content(t, root, path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	module, err := Content(root, Change{Path: "nest", Submodule: true, Inside: "U"})
	if err != nil || module != "commit:"+head+"+U" {
		t.Errorf("got %s, %v", module, err)
	}
	if runtime.GOOS != "windows" {
		must(t, os.Chmod(root+"/file", 0o755))
		if got := content(t, root, "file"); got != "exec:"+sum("text") {
			t.Errorf("executable: %s", got)
		}
	}
	for _, path := range []string{"", "..", "../repo/file", "/etc/passwd", "a/../../x"} {
		if text, err := Content(root, Change{Path: path}); err == nil {
			t.Errorf("%q gives %s", path, text)
		}
	}
}

func TestStagingDoesNotChangeTheContent(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	commit(t, dir, "a", "1", "a")
	write(t, dir+"/a", "2")
	before := read(t, dir).Changed
	was, _ := Contents(t.Context(), dir, before, Bounds{})
	git(t, dir, "add", "a")
	after := read(t, dir).Changed
	is, _ := Contents(t.Context(), dir, after, Bounds{})
	if before[0].State != " M" || after[0].State != "M " || was["a"] != is["a"] || was["a"] == "" {
		t.Errorf("%v, then %v", was, is)
	}
}

func TestContentsKeepTheirBounds(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	var changes []Change
	for i := range 10 {
		name := fmt.Sprint("f", i)
		write(t, filepath.Join(root, name), strings.Repeat("x", 1000))
		changes = append(changes, Change{Path: name, State: "??"})
	}
	for _, c := range []struct {
		bounds  Bounds
		want    int
		partial bool
	}{
		{Bounds{}, 10, false}, {Bounds{Paths: 10, Bytes: 10_000}, 10, false}, {Bounds{Paths: 3}, 3, true},
		{Bounds{Bytes: 4999}, 4, true}, {Bounds{Bytes: 1}, 0, true},
	} {
		contents, partial := Contents(t.Context(), root, changes, c.bounds)
		if len(contents) != c.want || partial != c.partial {
			t.Errorf("%+v: %d, partial %t", c.bounds, len(contents), partial)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if contents, partial := Contents(ended, root, changes, Bounds{}); len(contents) != 0 || !partial {
		t.Errorf("after the end: %v, %t", contents, partial)
	}
	twice := append(changes, changes...)
	if contents, partial := Contents(t.Context(), root, twice, Bounds{Paths: 10}); len(contents) != 10 || partial {
		t.Errorf("each path twice: %d, %t", len(contents), partial)
	}
}

func TestWhatCannotBeReadIsMissingAndNotEqualToAnything(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is unreadable here")
	}
	t.Parallel()
	root := tempDir(t)
	write(t, root+"/shut/file", "x")
	write(t, root+"/secret", "x")
	write(t, root+"/open", "x")
	must(t, os.Chmod(root+"/secret", 0))
	must(t, os.Chmod(root+"/shut", 0))
	t.Cleanup(func() { os.Chmod(root+"/shut", 0o700) })
	contents, partial := Contents(t.Context(), root, []Change{{Path: "secret"}, {Path: "shut/file"}, {Path: "open"}}, Bounds{})
	if len(contents) != 1 || contents["open"] == "" || !partial {
		t.Errorf("got %v, %t", contents, partial)
	}
	if _, err := Content(root, Change{Path: "secret"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
