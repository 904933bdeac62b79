package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatrail/bundle"
)

func withJournal(t *testing.T, dir string) (*Store, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "journal")
	o := options()
	o.JournalDir = folder
	return Open(repoAt(t, dir), o), folder
}

// loseAll removes every loose object, as a collection at the wrong moment would.
func loseAll(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLostObjectsComeBackFromTheJournalWithTheirIDs(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "gc", "-q") // the user's own objects are safe in a pack
	s, folder := withJournal(t, dir)
	create(t, s, genesisDraft())
	for i := range 4 {
		apply(t, s, drift(fmt.Sprint(i), bundle.Note{Path: fmt.Sprintf("tasks/%d.md", i), Data: []byte{byte('a' + i)}}))
	}
	want := walked(t, s, "")
	loseAll(t, dir)

	if _, err := openAt(t, dir).Tip(t.Context()); asFrozen(err) == nil {
		t.Errorf("without a journal: %v", err)
	}
	again := Open(repoAt(t, dir), Options{Ref: testRef, JournalDir: folder})
	got := walked(t, again, "")
	if len(got) != len(want) || got[0].ID != want[0].ID {
		t.Fatalf("%d revisions from %s, want %d from %s", len(got), got[0].ID, len(want), want[0].ID)
	}
	wantValid(t, openAt(t, dir), dir, 5)
	apply(t, again, drift("on"))
	wantValid(t, openAt(t, dir), dir, 6)
}

func TestDamagedObjectComesBackFromTheJournal(t *testing.T) {
	dir := newRepo(t)
	s, _ := withJournal(t, dir)
	create(t, s, genesisDraft())
	tip := apply(t, s, drift("one")).ID
	for _, id := range []string{tip, git(t, dir, "rev-parse", tip+":"+bundle.CompassFile)} {
		path := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
		os.Remove(path)
		if err := os.WriteFile(path, nil, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	if rev, err := s.Tip(t.Context()); err != nil || rev.ID != tip {
		t.Errorf("tip %v, %v", rev, err)
	}
	wantValid(t, openAt(t, dir), dir, 2)
}

func TestJournalIsPrivateAndHoldsOneFileARevision(t *testing.T) {
	dir := newRepo(t)
	s, folder := withJournal(t, dir)
	create(t, s, genesisDraft())
	apply(t, s, drift("one"))
	for _, r := range walked(t, s, "") {
		info, err := os.Stat(filepath.Join(folder, r.ID))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("copy of %s: %v, %v", r.ID, info, err)
		}
	}
}

func TestJournalKeepsACopyUntilItWasSeenADayLater(t *testing.T) {
	for _, c := range []struct {
		name string
		age  time.Duration
		lost bool // from the repository
		gc   bool // a git gc runs
		kept bool
	}{
		{"young", time.Hour, false, false, true},
		{"a day old and stored", 25 * time.Hour, false, false, false},
		{"a day old and lost", 25 * time.Hour, true, false, true},
		{"a day old while git collects", 25 * time.Hour, false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := newRepo(t)
			s, folder := withJournal(t, dir)
			create(t, s, genesisDraft())
			one := apply(t, s, drift("one", bundle.Note{Path: "tasks/a.md", Data: []byte("a")})).ID
			apply(t, s, drift("two"))
			apply(t, s, drift("three"))
			copied := filepath.Join(folder, one)
			past := time.Now().Add(-c.age)
			if err := os.Chtimes(copied, past, past); err != nil {
				t.Fatal(err)
			}
			os.Remove(filepath.Join(folder, "trimmed"))
			if c.lost {
				loseObject(t, dir, git(t, dir, "rev-parse", one+":"+bundle.EventsFile))
			}
			if c.gc {
				if err := os.WriteFile(filepath.Join(dir, ".git", "gc.pid"), []byte("1 host"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			apply(t, s, drift("four"))
			if _, err := os.Stat(copied); (err == nil) != c.kept {
				t.Errorf("kept: %v, want %v", err == nil, c.kept)
			}
			wantValid(t, s, dir, 5)
		})
	}
}

func TestHalfACopyOfAKilledProcessGoes(t *testing.T) {
	dir := newRepo(t)
	s, folder := withJournal(t, dir)
	create(t, s, genesisDraft())
	half, young := filepath.Join(folder, "new-123"), filepath.Join(folder, "new-456")
	for _, path := range []string{half, young} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * trimEvery)
	if err := os.Chtimes(half, old, old); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(folder, "trimmed"))
	s.trimJournal(t.Context())
	if _, err := os.Stat(half); err == nil {
		t.Error("half a copy stays for ever")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("one that may be written right now is removed")
	}
}

func TestUnwritableJournalIsNobodysFailure(t *testing.T) {
	dir := newRepo(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(repoAt(t, dir), Options{Ref: testRef, JournalDir: filepath.Join(blocked, "journal")})
	create(t, s, genesisDraft())
	apply(t, s, drift("one"))
	wantValid(t, s, dir, 2)
}

func TestCutOffCopyGivesWhatIsWhole(t *testing.T) {
	dir := newRepo(t)
	s, folder := withJournal(t, dir)
	tip := create(t, s, genesisDraft()).ID
	whole := s.journal.read(tip)
	if len(whole) != 5 {
		t.Fatalf("%d objects in the copy of the first revision", len(whole))
	}
	path := filepath.Join(folder, tip)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	got := s.journal.read(tip)
	if len(got) > len(whole) {
		t.Fatalf("%d objects of %d", len(got), len(whole))
	}
	for i := range got {
		if got[i].ID != whole[i].ID {
			t.Errorf("object %d is %s, want %s", i, got[i].ID, whole[i].ID)
		}
	}
}
