package gitstore

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"chatrail/bundle"
)

// sameBundle reads everything of a bundle from another place.
func sameBundle(t *testing.T, s *Store, want []*bundle.Revision) {
	t.Helper()
	got := walked(t, s, "")
	if len(got) != len(want) {
		t.Fatalf("%d revisions, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].ID != want[i].ID || !got[i].State.Equal(want[i].State) || string(got[i].Event.Line) != string(want[i].Event.Line) {
			t.Errorf("revision %d is %s, want %s, or differs", i, got[i].ID, want[i].ID)
		}
	}
	if tip, err := s.Tip(t.Context()); err != nil || tip.ID != want[0].ID {
		t.Errorf("tip %v, %v", tip, err)
	}
	if root, err := s.Root(t.Context()); err != nil || root != want[len(want)-1].ID {
		t.Errorf("root %s, %v", root, err)
	}
	if rev, err := s.Read(t.Context(), want[len(want)-1].ID[:10]); err != nil || rev.ID != want[len(want)-1].ID {
		t.Errorf("root by prefix: %v, %v", rev, err)
	}
	if data, err := s.Note(t.Context(), want[0].ID, "entries/2026/11/30-x.md"); err != nil || string(data) != "text\n" {
		t.Errorf("note %q, %v", data, err)
	}
	if report, err := s.Verify(t.Context()); err != nil || !report.Valid || report.Events != len(want) {
		t.Errorf("report %+v, %v", report, err)
	}
}

// story makes a repository of whose bundle there are more revisions than are
// looked at in place, and a note.
func story(t *testing.T, initArgs ...string) (dir string, revs []*bundle.Revision) {
	t.Helper()
	key := strings.Join(append([]string{"story"}, initArgs...), " ")
	dir = copyTemplate(t, key, func() string {
		dir := makeRepo(t, initArgs)
		tell(t, dir)
		return dir
	})
	return dir, walked(t, openAt(t, dir), "")
}

func tell(t *testing.T, dir string) {
	t.Helper()
	s := openAt(t, dir)
	create(t, s, genesisDraft())
	apply(t, s, drift("note", bundle.Note{Path: "entries/2026/11/30-x.md", Data: []byte("text\n")}))
	for i := range nearby {
		apply(t, s, drift(strings.Repeat("x", i+1)))
	}
}

// withoutGit hides the git program.
func withoutGit(t *testing.T) { t.Setenv("PATH", t.TempDir()) }

func TestLinkedWorkTreesShareTheBundle(t *testing.T) {
	dir, want := story(t)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", linked)
	sameBundle(t, openAt(t, linked), want)
	rev := apply(t, openAt(t, linked), drift("from the linked one"))
	sameBundle(t, openAt(t, dir), append([]*bundle.Revision{rev}, want...))
}

func TestPackedBundleIsReadWithAndWithoutGit(t *testing.T) {
	dir, want := story(t)
	git(t, dir, "gc", "-q", "--prune=now")
	if left := git(t, dir, "count-objects"); !strings.HasPrefix(left, "0 objects") {
		t.Fatalf("not packed: %s", left)
	}
	sameBundle(t, openAt(t, dir), want)
	rev := apply(t, openAt(t, dir), drift("after gc"))
	want = append([]*bundle.Revision{rev}, want...)
	sameBundle(t, openAt(t, dir), want)
	withoutGit(t)
	sameBundle(t, openAt(t, dir), want)
	rev = apply(t, openAt(t, dir), drift("without git"))
	sameBundle(t, openAt(t, dir), append([]*bundle.Revision{rev}, want...))
}

func TestBorrowedObjectsAreRead(t *testing.T) {
	base, want := story(t)
	clone := func(from, name string) string {
		dir := filepath.Join(filepath.Dir(base), name)
		git(t, ".", "clone", "-q", "--shared", from, dir)
		git(t, dir, "fetch", "-q", "origin", testRef+":"+testRef)
		return dir
	}
	shared := clone(base, "shared")
	chained := clone(shared, "chained")
	relative := clone(base, "relative")
	alternates := filepath.Join(relative, ".git", "objects", "info", "alternates")
	if err := os.WriteFile(alternates, []byte("# near\n../../../repo/.git/objects\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"shared": shared, "chained": chained, "relative": relative}
	for name, dir := range all {
		t.Run(name+" loose", func(t *testing.T) { sameBundle(t, openAt(t, dir), want) })
	}
	git(t, base, "gc", "-q")
	for name, dir := range all {
		t.Run(name+" packed", func(t *testing.T) { sameBundle(t, openAt(t, dir), want) })
		t.Run(name+" packed, without git", func(t *testing.T) {
			withoutGit(t)
			sameBundle(t, openAt(t, dir), want)
		})
	}
	rev := apply(t, openAt(t, chained), drift("on borrowed ground"))
	sameBundle(t, openAt(t, chained), append([]*bundle.Revision{rev}, want...))
	sameBundle(t, openAt(t, base), want)
}

func TestBareRepositoryHoldsABundle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bare.git")
	git(t, ".", "init", "-q", "--bare", dir)
	tell(t, dir)
	sameBundle(t, openAt(t, dir), walked(t, openAt(t, dir), ""))
	wantValid(t, openAt(t, dir), dir, nearby+2)
}

func TestSHA256RepositoryHoldsABundle(t *testing.T) {
	dir, want := story(t, "--object-format=sha256")
	if len(want[0].ID) != 64 {
		t.Fatalf("id %s", want[0].ID)
	}
	git(t, dir, "gc", "-q")
	sameBundle(t, openAt(t, dir), want)
	wantValid(t, openAt(t, dir), dir, nearby+2)
}

func TestRootsOfAJoinedHistoryComeOldestFirst(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	one := walked(t, s, "")[0].ID
	other := Open(repoAt(t, dir), Options{Ref: "refs/chatrail/at/other"})
	d := genesisDraft()
	d.Meta.Time = walked(t, s, "")[0].Event.Time.AddDate(-1, 0, 0)
	two := create(t, other, d).ID
	joined := git(t, dir, "commit-tree", "-p", one, "-p", two, "-m", "join", one+"^{tree}")
	git(t, dir, "update-ref", testRef, joined)
	roots, err := openAt(t, dir).Roots(t.Context())
	if err != nil || len(roots) != 2 || roots[0] != two || roots[1] != one {
		t.Errorf("roots %q, %v; want %q", roots, err, []string{two, one})
	}
}

func TestOnlyRevisionsOfThisBundleAreFound(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	head := git(t, dir, "rev-parse", "HEAD")
	for _, id := range []string{head, head[:8]} {
		if rev, err := s.Read(t.Context(), id); !errors.Is(err, bundle.ErrNotFound) {
			t.Errorf("read %s: %v, %v", id, rev, err)
		}
	}
}

func TestPrefixOfTwoRevisionsIsRefused(t *testing.T) {
	m := match{prefix: "abcd"}
	for _, id := range []string{"abcd1", "abcd1", "ffff", "abcd2"} {
		m.add(id)
	}
	var rule *bundle.RuleError
	if _, err := m.result(); !errors.As(err, &rule) {
		t.Errorf("got %v", err)
	}
}

func TestFreshRevisionsAreReadWithoutAnyProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script for a git")
	}
	dir, want := story(t)
	bin := t.TempDir()
	called := filepath.Join(bin, "called")
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n: > '"+called+"'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	s := openAt(t, dir)
	if tip, err := s.Tip(t.Context()); err != nil || tip.ID != want[0].ID {
		t.Errorf("tip %v, %v", tip, err)
	}
	seen := 0
	if err := s.Walk(t.Context(), "", func(*bundle.Revision) (bool, error) { seen++; return seen < 3, nil }); err != nil || seen != 3 {
		t.Errorf("walk: %d, %v", seen, err)
	}
	if rev, err := s.Read(t.Context(), want[5].ID); err != nil || rev.ID != want[5].ID {
		t.Errorf("read %v, %v", rev, err)
	}
	if _, err := os.Stat(called); err == nil {
		t.Error("git was called")
	}
}
