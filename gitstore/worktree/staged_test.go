package worktree

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stagedLines is a staging as "mode id path" lines, sorted.
func stagedLines(paths []StagedPath) string {
	var list []string
	for _, p := range paths {
		list = append(list, fmt.Sprintf("%s %s %q\n", p.Mode, p.ID, p.Path))
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

// between is how two trees differ according to git, in the form of stagedLines.
func between(t testing.TB, dir, from, to string) string {
	t.Helper()
	out := git(t, dir, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to, "--")
	paths, whole, err := parseRaw([]byte(out))
	if err != nil || !whole {
		t.Fatalf("%t, %v: %q", whole, err, out)
	}
	return stagedLines(paths)
}

// TestStagedIsWhatGitWouldCommit compares with the tree that git itself makes of
// the index, on random work trees.
func TestStagedIsWhatGitWouldCommit(t *testing.T) {
	for seed := range cases(t, 8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := &garden{T: t, Rand: rand.New(rand.NewPCG(uint64(seed), 17)), dir: newRepo(t)}
			g.plant()
			for range 1 + g.IntN(14) {
				g.edit()
			}
			before := footprint(t, g.dir)
			got, err := Staged(t.Context(), g.dir, Options{})
			must(t, err)
			contents, err := StagedContents(t.Context(), g.dir, Options{}, got.Paths)
			must(t, err)
			if footprint(t, g.dir) != before {
				t.Error("asking changed something")
			}
			if got.Partial || got.Refused != "" || got.Head != git(t, g.dir, "rev-parse", "HEAD") {
				t.Fatalf("got %+v", got)
			}
			for _, p := range got.Paths {
				if len(contents[p.Path]) == 0 {
					t.Errorf("%+v has no content", p)
				}
			}
			// Git makes no tree while a path has several sides: they are taken out.
			for _, line := range strings.Split(git(t, g.dir, "ls-files", "-u", "-z"), "\x00") {
				if _, path, ok := strings.Cut(line, "\t"); ok {
					git(t, g.dir, "rm", "-q", "--cached", "--ignore-unmatch", "--", ":(literal)"+path)
					git(t, g.dir, "reset", "-q", "--", ":(literal)"+path)
				}
			}
			if want := between(t, g.dir, "HEAD^{tree}", git(t, g.dir, "write-tree")); stagedLines(got.Paths) != want {
				t.Errorf("got\n%swant\n%s\nafter %q", stagedLines(got.Paths), want, g.log)
			}
		})
	}
}

func TestBeforeTheFirstCommitEverythingIsStaged(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		dir := tempDir(t)
		git(t, dir, "init", "-q", "--object-format="+format)
		none, err := Staged(t.Context(), dir, Options{})
		if err != nil || len(none.Paths) != 0 || none.Refused != "" {
			t.Fatalf("%+v, %v", none, err)
		}
		write(t, dir+"/a", "1")
		write(t, dir+"/HEAD", "no reference")
		git(t, dir, "add", ".")
		got, err := Staged(t.Context(), dir, Options{})
		if err != nil || len(got.Paths) != 2 || got.Head != "" {
			t.Fatalf("%+v, %v", got, err)
		}
		git(t, dir, "commit", "-q", "-m", "first")
		if want := between(t, dir, emptyTree[format], "HEAD"); stagedLines(got.Paths) != want {
			t.Errorf("%s: got\n%swant\n%s", format, stagedLines(got.Paths), want)
		}
	}
}

func TestConfigurationDoesNotChangeWhatIsStaged(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	commit(t, dir, "old", "same\n", "old")
	commit(t, dir, "sub/b", "b", "b")
	git(t, dir, "mv", "old", "new")
	write(t, dir+"/sub/c", "c")
	git(t, dir, "add", ".")
	write(t, dir+"/told", "x")
	git(t, dir, "add", "-N", "told")
	for key, value := range map[string]string{
		"diff.renames": "copies", "diff.relative": "true", "diff.noprefix": "true", "diff.external": "false", "diff.ignoreSubmodules": "all",
		"core.quotePath": "true", "core.abbrev": "7", "diff.mnemonicPrefix": "true", "color.ui": "always", "diff.algorithm": "patience",
	} {
		git(t, dir, "config", key, value)
	}
	got, err := Staged(t.Context(), dir+"/sub", Options{})
	must(t, err)
	if want := between(t, dir, "HEAD^{tree}", git(t, dir, "write-tree")); stagedLines(got.Paths) != want || len(got.Paths) != 3 {
		t.Errorf("got\n%swant\n%s", stagedLines(got.Paths), want)
	}
}

func TestWhatCannotBeStagedIsSaid(t *testing.T) {
	t.Parallel()
	bare := tempDir(t)
	git(t, bare, "init", "-q", "--bare")
	broken := newRepo(t)
	write(t, broken+"/.git/index", "no index")
	for _, dir := range []string{bare, broken} {
		s, err := Staged(t.Context(), dir, Options{})
		if err != nil || s.Refused == "" || len(s.Paths) > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	dir := newRepo(t)
	if s, err := Staged(over, dir, Options{}); err == nil && !s.Partial {
		t.Errorf("after the deadline: %+v", s)
	}
	if _, err := Staged(t.Context(), tempDir(t), Options{}); err == nil {
		t.Error("staged outside a repository")
	}
}

// stagedInHook is what the test binary does as a git hook: it writes what it
// would say is staged.
func stagedInHook(file string) int {
	s, err := Staged(context.Background(), "", Options{HonourEnv: true})
	if err != nil {
		s.Refused = err.Error()
	}
	data, err := json.Marshal(s)
	if err != nil || os.WriteFile(file, data, 0o666) != nil {
		return 1
	}
	return 0
}

// TestInsideAPreCommitHookStagedIsWhatTheCommitTakes runs real commits of every
// kind, and compares what the hook saw with the commit that came of it.
func TestInsideAPreCommitHookStagedIsWhatTheCommitTakes(t *testing.T) {
	needs(t, "sh")
	for name, c := range map[string]struct {
		before func(dir string)
		args   []string
	}{
		"plain":        {func(dir string) { git(t, dir, "add", "b") }, nil},
		"all":          {nil, []string{"-a"}},
		"path":         {func(dir string) { git(t, dir, "add", "b") }, []string{"a"}},
		"path, only":   {nil, []string{"--only", "a"}},
		"path, also":   {func(dir string) { git(t, dir, "add", "b") }, []string{"--include", "a"}},
		"part of file": {func(dir string) { part(t, dir) }, nil},
		"amended":      {func(dir string) { git(t, dir, "add", "b") }, []string{"--amend"}},
		"told of": {func(dir string) {
			git(t, dir, "add", "b")
			git(t, dir, "add", "-N", "new")
		}, nil},
		"told of, all": {func(dir string) { git(t, dir, "add", "-N", "new") }, []string{"-a"}},
		"split index": {func(dir string) {
			git(t, dir, "update-index", "--split-index")
			git(t, dir, "add", "b")
		}, nil},
		"linked": {nil, []string{"-a"}},
		"merge": {func(dir string) {
			git(t, dir, "stash", "-q")
			git(t, dir, "switch", "-q", "-c", "side")
			commit(t, dir, "theirs", "t", "theirs")
			commit(t, dir, "a", "theirs", "both")
			git(t, dir, "switch", "-q", "-")
			commit(t, dir, "a", "ours", "ours")
			_, _ = tryGit(dir, "merge", "side") // in conflict
			write(t, dir+"/a", "settled")
			git(t, dir, "add", "a")
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			commit(t, dir, "a", "1\n2\n3\n4\n5\n6\n7\n8\n", "a")
			commit(t, dir, "b", "1", "b")
			if name == "linked" {
				git(t, dir, "worktree", "add", "-q", "-b", "tree", dir+"-tree")
				dir += "-tree"
			}
			write(t, dir+"/a", "one\n2\n3\n4\n5\n6\n7\neight\n")
			write(t, dir+"/b", "22")
			write(t, dir+"/new", "n")
			if c.before != nil {
				c.before(dir)
			}
			base := git(t, dir, "rev-parse", "HEAD")
			file := filepath.Join(tempDir(t), "seen")
			hooks := tempDir(t)
			write(t, hooks+"/pre-commit", "#!/bin/sh\nWORKTREE_TEST_STAGED='"+file+"' exec '"+os.Args[0]+"'\n")
			must(t, os.Chmod(hooks+"/pre-commit", 0o777))
			git(t, dir, append([]string{"-c", "core.hooksPath=" + hooks, "commit", "-q", "-m", "x"}, c.args...)...)
			data, err := os.ReadFile(file)
			must(t, err)
			var seen Staging
			must(t, json.Unmarshal(data, &seen))
			if want := between(t, dir, base, "HEAD"); stagedLines(seen.Paths) != want || seen.Refused != "" || want == "" || seen.Head != base {
				t.Errorf("in the hook %+v\n%swant\n%s", seen, stagedLines(seen.Paths), want)
			}
		})
	}
}

// part stages one of the two changes of file a, as "git add -p" does.
func part(t testing.TB, dir string) {
	t.Helper()
	cmd := gitCommand(dir, "add", "-p", "a")
	cmd.Stdin = strings.NewReader("s\ny\nn\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestAFileThatHoldsWhatIsStagedHasTheSameContent(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	git(t, dir, "config", "core.autocrlf", "true")
	git(t, dir, "config", "core.safecrlf", "false")
	write(t, dir+"/plain", "no line end")
	write(t, dir+"/dos", "one\r\ntwo\r\n")
	write(t, dir+"/unix", "one\ntwo\n")
	write(t, dir+"/binary", "\x00\r\n\n")
	write(t, dir+"/empty", "")
	write(t, dir+"/run", "#!/bin/sh\n")
	must(t, os.Chmod(dir+"/run", 0o755))
	must(t, os.Symlink("plain\n", dir+"/link"))
	git(t, dir, "add", ".")
	from, err := template()
	must(t, err)
	git(t, dir, "submodule", "--quiet", "add", from, "module")
	git(t, dir, "commit", "-q", "-m", "x")
	git(t, dir, "rm", "-q", "plain")
	git(t, dir, "rm", "-q", "-r", "--cached", "dos")
	git(t, dir, "add", "dos")
	for _, from := range []string{"HEAD~", "HEAD"} {
		git(t, dir, "reset", "-q", "--soft", from)
		staged, err := Staged(t.Context(), dir, Options{})
		must(t, err)
		contents, err := StagedContents(t.Context(), dir, Options{}, staged.Paths)
		must(t, err)
		for _, p := range staged.Paths {
			is, err := Content(dir, Change{Path: p.Path})
			must(t, err)
			if !slices.Contains(contents[p.Path], is) {
				t.Errorf("%s: staged %q, in the work tree %s", p.Path, contents[p.Path], is)
			}
		}
		if len(staged.Paths) == 0 {
			t.Error("nothing is staged")
		}
	}
	gone, err := StagedContents(t.Context(), dir, Options{}, []StagedPath{{Path: "x", Mode: "100644", ID: strings.Repeat("1", 40)}})
	if err != nil || len(gone["x"]) != 0 {
		t.Errorf("of a blob that is not there: %v, %v", gone, err)
	}
}

var rawRecords = []string{
	":100644 100755 " + strings.Repeat("a", 40) + " " + strings.Repeat("b", 40) + " M\x00path\x00",
	":000000 160000 " + strings.Repeat("0", 64) + " " + strings.Repeat("b", 64) + " A\x00a path\n\x00",
	":100644 000000 " + strings.Repeat("a", 40) + " " + strings.Repeat("0", 40) + " D\x00x/.chatrail/y\x00",
	":000000 000000 " + strings.Repeat("0", 40) + " " + strings.Repeat("0", 40) + " U\x00u\x00",
}

func TestARawRecordThatGitDoesNotWriteIsAnError(t *testing.T) {
	t.Parallel()
	whole := strings.Join(rawRecords, "")
	if paths, ok, err := parseRaw([]byte(whole)); err != nil || !ok || len(paths) != 2 {
		t.Fatalf("%+v, %t, %v", paths, ok, err)
	}
	if paths, ok, err := parseRaw([]byte(whole[:len(whole)-3])); err != nil || ok || len(paths) != 2 {
		t.Errorf("cut short: %+v, %t, %v", paths, ok, err)
	}
	good := rawRecords[0]
	for _, bad := range []string{
		strings.Replace(good, ":", "", 1), strings.Replace(good, " M", " R100", 1), strings.Replace(good, "path", "", 1),
		strings.Replace(good, "100755", "000000", 1), strings.Replace(good, "aaa", "AAA", 1), "\x00\x00", strings.Replace(good, " M", "", 1),
	} {
		if paths, ok, err := parseRaw([]byte(bad)); err == nil {
			t.Errorf("%q gives %+v, %t", bad, paths, ok)
		}
	}
}

func FuzzRaw(f *testing.F) {
	for _, r := range rawRecords {
		f.Add([]byte(r))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		paths, whole, err := parseRaw(data)
		if err != nil && (paths != nil || whole) {
			t.Fatalf("%+v beside %v", paths, err)
		}
		for _, p := range paths {
			if p.Path == "" || strings.Contains(p.Path, "\x00") || (p.Mode == "") != (p.ID == "") || p.Mode != "" && (len(p.Mode) != 6 || !isID(p.ID)) {
				t.Fatalf("%+v is no staged path", p)
			}
		}
	})
}

func FuzzLineEnds(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		var out collected
		l := &lineEnds{Hash: &out}
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(cut)+1)
			if m, err := l.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		want := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n", "\r\n")
		if string(out) != want || l.added != (want != string(data)) {
			t.Fatalf("%q becomes %q, want %q", data, out, want)
		}
	})
}

// collected is a hash that keeps what is written to it.
type collected []byte

func (c *collected) Write(p []byte) (int, error) { *c = append(*c, p...); return len(p), nil }
func (c *collected) Sum(b []byte) []byte         { return append(b, *c...) }
func (c *collected) Reset()                      { *c = nil }
func (c *collected) Size() int                   { return len(*c) }
func (c *collected) BlockSize() int              { return 1 }
