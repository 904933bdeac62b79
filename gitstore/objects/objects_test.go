package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/temptest"
	"chatrail/refs"
)

func TestMain(m *testing.M) {
	temptest.InMemory()
	home, err := os.MkdirTemp("", "chatrail-home-")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
	} {
		os.Setenv(key, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func git(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func bareRepo(t testing.TB, initArgs ...string) (string, *DB) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo.git")
	git(t, ".", "", append([]string{"init", "-q", "--bare", dir}, initArgs...)...)
	return dir, openDB(t, dir)
}

func openDB(t testing.TB, dir string) *DB {
	t.Helper()
	repo, err := refs.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Open(repo)
}

// sample is a small connected history: two blobs, two trees, a commit.
func sample(t testing.TB, h Hash) []Object {
	t.Helper()
	one, two := h.Object(Blob, []byte("one\n")), h.Object(Blob, nil)
	sub := h.Object(Tree, mustTree(t, Entry{ModeFile, "x.md", two.ID}))
	top := h.Object(Tree, mustTree(t, Entry{ModeDir, "a", sub.ID}, Entry{ModeFile, "a.b", one.ID}, Entry{ModeFile, "a0", two.ID}))
	who := Signature{Name: "A U Thor", Email: "author@example.com", When: time.Unix(1_800_000_000, 0)}
	commit := h.Object(Commit, CommitData{Tree: top.ID, Author: who, Committer: who, Message: "first\n"}.Encode())
	return []Object{one, two, sub, top, commit}
}

func mustTree(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	data, err := EncodeTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGitTakesWhatIsWrittenAndReaderReadsIt(t *testing.T) {
	for _, format := range []Hash{SHA1, SHA256} {
		for _, extra := range []int{0, looseLimit} { // beside few and beside many
			t.Run(fmt.Sprint(format, extra), func(t *testing.T) {
				dir, db := bareRepo(t, "--object-format="+string(format))
				objs := sample(t, format)
				for i := range extra {
					objs = append(objs, format.Object(Blob, fmt.Append(nil, i)))
				}
				if err := db.Write(t.Context(), objs); err != nil {
					t.Fatal(err)
				}
				git(t, dir, "", "update-ref", "refs/x/y", objs[4].ID)
				if out := git(t, dir, "", "fsck", "--strict", "--no-dangling", "--no-progress"); out != "" {
					t.Errorf("fsck: %s", out)
				}
				r := db.Reader(nil)
				defer r.Close()
				for _, o := range objs {
					data, err := r.Get(t.Context(), o.ID, o.Kind)
					if err != nil || !bytes.Equal(data, o.Data) {
						t.Errorf("%s %s: %q, %v", o.Kind, o.ID, data, err)
					}
				}
				if loose := git(t, dir, "", "count-objects"); extra > 0 && !strings.HasPrefix(loose, "0 ") {
					t.Errorf("many objects stay loose: %s", loose)
				}
			})
		}
	}
}

func TestTreesAndCommitsAreGitsOwn(t *testing.T) {
	dir, db := bareRepo(t)
	objs := sample(t, SHA1)
	if err := db.Write(t.Context(), objs); err != nil {
		t.Fatal(err)
	}
	lines := git(t, dir, "", "ls-tree", objs[3].ID)
	if id := git(t, dir, lines+"\n", "mktree"); id != objs[3].ID {
		t.Errorf("git makes the tree %s, not %s", id, objs[3].ID)
	}
	entries, err := SHA1.DecodeTree(objs[3].Data)
	if err != nil || len(entries) != 3 || entries[0].Name != "a.b" || entries[1].Name != "a" || entries[2].Name != "a0" {
		t.Errorf("decoded %v, %v", entries, err)
	}
	t.Setenv("GIT_AUTHOR_NAME", "A U Thor")
	t.Setenv("GIT_AUTHOR_EMAIL", "author@example.com")
	t.Setenv("GIT_COMMITTER_NAME", "A U Thor")
	t.Setenv("GIT_COMMITTER_EMAIL", "author@example.com")
	t.Setenv("GIT_AUTHOR_DATE", "1800000000 +0000")
	t.Setenv("GIT_COMMITTER_DATE", "1800000000 +0000")
	if id := git(t, dir, "first\n", "commit-tree", objs[3].ID); id != objs[4].ID {
		t.Errorf("git makes the commit %s, not %s", id, objs[4].ID)
	}
}

func TestIdentCannotBreakACommit(t *testing.T) {
	dir, db := bareRepo(t)
	objs := sample(t, SHA1)[:4]
	for i, name := range []string{"", "a <b> c", "x\ncommitter y <z> 1 +0000", "a\x00b", " .,; ", "\xff\xfe", "ü\u2028"} {
		who := Signature{Name: name, Email: name, When: time.Unix(-5, 0)}
		c := CommitData{Tree: objs[3].ID, Author: who, Committer: who, Message: fmt.Sprint("m\x00", i)}
		objs = append(objs, SHA1.Object(Commit, c.Encode()))
	}
	if err := db.Write(t.Context(), objs); err != nil {
		t.Fatal(err)
	}
	for i, o := range objs[4:] {
		git(t, dir, "", "update-ref", fmt.Sprint("refs/x/", i), o.ID)
	}
	if out := git(t, dir, "", "fsck", "--strict", "--no-dangling", "--no-progress"); out != "" {
		t.Errorf("fsck: %s", out)
	}
}

func TestBadTreesAreRefused(t *testing.T) {
	id := SHA1.Object(Blob, nil).ID
	for _, entries := range [][]Entry{
		{{ModeFile, "", id}}, {{ModeFile, "a/b", id}}, {{ModeFile, "..", id}}, {{ModeDir, ".Git", id}},
		{{ModeFile, "a", id}, {ModeDir, "a", id}}, {{ModeFile, "a", "xyz"}}, {{ModeFile, "a\x00b", id}},
	} {
		if _, err := EncodeTree(entries); err == nil {
			t.Errorf("encoded %v", entries)
		}
	}
	raw := strings.Repeat("\x01", 20)
	for _, data := range []string{
		"100644 a", "100644 a\x00short", "100644\x00" + raw, "100644 b\x00" + raw + "100644 a\x00" + raw,
		"100644 a\x00" + raw + "100644 a\x00" + raw, "100644 .git\x00" + raw, "100644 a/b\x00" + raw,
		" a\x00" + raw, "0100644 a\x00" + raw, "100648 a\x00" + raw, "-10064 a\x00" + raw, "1006440 a\x00" + raw,
	} {
		if entries, err := SHA1.DecodeTree([]byte(data)); !errors.Is(err, ErrBroken) {
			t.Errorf("decoded %q to %v", data, entries)
		}
	}
}

func TestCommitsThatGitReadsOtherwiseAreRefused(t *testing.T) {
	id := SHA1.Object(Tree, nil).ID
	tree, parent := "tree "+id+"\n", "parent "+id+"\n"
	author, committer := "author a <b> 1 +0000\n", "committer a <b> 1 +0000\n"
	for _, data := range []string{
		"", "\n\n", parent + author + committer, tree + author, tree + committer, tree + committer + author,
		parent + tree + author + committer, tree + tree + author + committer, tree + author + committer + parent,
		tree + author + parent + committer, tree + author + author + committer, tree + author + committer + tree,
		tree + parent + author + committer + "\nwith\x00zero", "tree " + id[1:] + "\n" + author + committer,
		tree + "parent " + id + id + "\n" + author + committer, "tree\t" + id + "\n" + author + committer,
	} {
		if c, err := SHA1.DecodeCommit([]byte(data)); !errors.Is(err, ErrBroken) {
			t.Errorf("decoded %q to %v, %v", data, c, err)
		}
	}
	signed := tree + parent + author + committer + "gpgsig -----BEGIN\n tree x\n parent y\n\nwords\nparent " + id + "\n"
	if c, err := SHA1.DecodeCommit([]byte(signed)); err != nil || len(c.Parents) != 1 {
		t.Errorf("a signed one: %v, %v", c, err)
	}
}

func TestTimesOfCommitsThatAreNoneAre1970(t *testing.T) {
	for text, want := range map[string]int64{
		"a <b> 4294967296 +0000": 1 << 32, "a <b> 253402300799 +0000": lastSecond, "a <b> -1 +0000": 0, "a <b> soon": 0,
		"a <b> 9223372036854775807 +0000": 0, "a <b> 99999999999999999999 +0000": 0, "a": 0, "": 0,
	} {
		if got := parseSignature(text).When.Unix(); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestWrittenObjectIsNotWrittenAgainButMadeYoung(t *testing.T) {
	dir, db := bareRepo(t)
	objs := sample(t, SHA1)
	if err := db.Write(t.Context(), objs); err != nil {
		t.Fatal(err)
	}
	path := loosePath(filepath.Join(dir, "objects"), objs[0].ID)
	old := time.Now().Add(-30 * 24 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := db.Write(t.Context(), objs); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || after.ModTime().Equal(before.ModTime()) {
		t.Errorf("before %v, after %v, %v", before, after, err)
	}
}

func TestDamagedLooseObjectIsMissingAndCanBeReplaced(t *testing.T) {
	dir, db := bareRepo(t)
	objs := sample(t, SHA1)
	other, err := compress(objs[1])
	if err != nil {
		t.Fatal(err)
	}
	whole, err := compress(objs[0])
	if err != nil {
		t.Fatal(err)
	}
	path := loosePath(filepath.Join(dir, "objects"), objs[0].ID)
	for name, content := range map[string][]byte{
		"empty": nil, "garbage": []byte("garbage"), "another object": other, "cut off": whole[:len(whole)-6],
	} {
		t.Run(name, func(t *testing.T) {
			os.MkdirAll(filepath.Dir(path), 0o755)
			os.Remove(path)
			if err := os.WriteFile(path, content, 0o444); err != nil {
				t.Fatal(err)
			}
			r := db.Reader(nil)
			defer r.Close()
			if _, err := r.Get(t.Context(), objs[0].ID, Blob); !errors.Is(err, ErrMissing) {
				t.Errorf("got %v", err)
			}
			if err := db.Write(t.Context(), objs[:1]); err != nil {
				t.Fatal(err)
			}
			if data, err := r.Get(t.Context(), objs[0].ID, Blob); err != nil || string(data) != "one\n" {
				t.Errorf("got %q, %v", data, err)
			}
		})
	}
}

func TestHugeObjectsAreNotRead(t *testing.T) {
	dir, db := bareRepo(t)
	file := filepath.Join(t.TempDir(), "huge")
	if err := os.WriteFile(file, make([]byte, MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	id := git(t, dir, "", "hash-object", "-w", file)
	check := func(t *testing.T) {
		r := db.Reader(nil)
		defer r.Close()
		if _, err := r.Get(t.Context(), id, Blob); !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Get(t.Context(), SHA1.Object(Blob, []byte("none")).ID, Blob); !errors.Is(err, ErrMissing) {
			t.Errorf("the reader after it: %v", err)
		}
	}
	t.Run("loose", check)
	git(t, dir, git(t, dir, "", "hash-object", file)+"\n", "pack-objects", "-q", "objects/pack/pack")
	git(t, dir, "", "prune-packed")
	t.Run("packed", check)
	t.Run("packed, without git", func(t *testing.T) { t.Setenv("PATH", t.TempDir()); check(t) })
}

func TestReaderAsksToRecoverOnce(t *testing.T) {
	_, db := bareRepo(t)
	objs := sample(t, SHA1)
	asked := 0
	r := db.Reader(func(context.Context, *Reader) map[string]Object {
		asked++
		return map[string]Object{objs[0].ID: objs[0]}
	})
	defer r.Close()
	if data, err := r.Get(t.Context(), objs[0].ID, Blob); err != nil || string(data) != "one\n" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := r.Get(t.Context(), objs[3].ID, Tree); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v", err)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestReadersShareAGitThatEndsByItself(t *testing.T) {
	dir, db := bareRepo(t)
	id := git(t, dir, "packed", "hash-object", "-w", "--stdin")
	git(t, dir, id+"\n", "pack-objects", "-q", "objects/pack/pack")
	git(t, dir, "", "prune-packed")
	read := func() *batch {
		r := db.Reader(nil)
		if data, err := r.Get(t.Context(), id, Blob); err != nil || string(data) != "packed" {
			t.Fatalf("got %q, %v", data, err)
		}
		used := r.batch
		r.Close()
		return used
	}
	first := read()
	first.cmd.Process.Kill() // it may die while nobody looks
	second := read()
	if second == first {
		t.Error("a dead git was used")
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		db.mu.Lock()
		idle := db.idle
		db.mu.Unlock()
		if idle == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("git still waits")
		}
	}
	read()
}

func TestModesAreThoseThatGitGives(t *testing.T) {
	for _, shared := range []string{"", "umask", "group", "true", "all", "2", "0640", "0660", "0600", "group ; a note"} {
		t.Run(shared, func(t *testing.T) {
			dir, db := bareRepo(t)
			if shared != "" {
				config, err := os.OpenFile(filepath.Join(dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(config, "[core]\n\tsharedRepository = %s\n", shared)
				config.Close()
				db = openDB(t, dir)
			}
			theirs := git(t, dir, "theirs", "hash-object", "-w", "--stdin")
			ours := SHA1.Object(Blob, []byte("ours"))
			if err := db.Write(t.Context(), []Object{ours}); err != nil {
				t.Fatal(err)
			}
			for _, up := range []bool{false, true} {
				mode := func(id string) os.FileMode {
					path := loosePath(filepath.Join(dir, "objects"), id)
					if up {
						path = filepath.Dir(path)
					}
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					return info.Mode()
				}
				if ours, theirs := mode(ours.ID), mode(theirs); ours != theirs {
					t.Errorf("ours %v, git's %v", ours, theirs)
				}
			}
		})
	}
}

func TestAlternatesAreFollowedAsGitDoes(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name, "objects") }
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(at(name), "info"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at(name), "info", "alternates"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "# comment\n../../b/objects\n\n\""+at("d e")+"\"\n")
	write("b", at("c")+"\n"+at("a")+"\n")
	write("c", "")
	got := objectDirs(filepath.Join(root, "a"))
	if want := []string{at("a"), at("b"), at("d e"), at("c")}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
