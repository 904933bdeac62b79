package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"
)

func TestWhatHidesHistoryFromGitHidesNothingFromAnInspection(t *testing.T) {
	y := newYard(t)
	good := y.on(y.tip, "three").made()
	bad := y.on(y.tip, "bad").file("README", "x").made()
	tip := y.on(good, "four")
	tip.parents = []string{bad}
	hidden := tip.made()
	want := func(name string) {
		t.Helper()
		if _, err := y.inspect(hidden); asBroken(err) == nil || asBroken(err).Revision != short(bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want("plain")
	git(t, y.dir, "replace", bad, good)
	want("replaced")
	git(t, y.dir, "replace", "-d", bad)
	info := filepath.Join(y.dir, ".git", "info")
	os.MkdirAll(info, 0o755)
	if err := os.WriteFile(filepath.Join(info, "grafts"), []byte(hidden+" "+good+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want("grafted")
	os.Remove(filepath.Join(info, "grafts"))
	if err := os.WriteFile(filepath.Join(y.dir, ".git", "shallow"), []byte(hidden+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want("shallow")
}

func TestParentsThatOnlyGitKnowsAreRefused(t *testing.T) {
	y := newYard(t)
	tip := y.on(y.on(y.tip, "three").made(), "four").made()
	l := &loader{Reader: y.s.db.Reader(nil), hash: y.s.db.Hash(), compass: map[string]bundle.Compass{}, rail: map[string]bundle.Rail{}}
	defer l.Close()
	in := &inspector{Inspection: Inspection{Tip: tip}, examiner: newExaminer(l), own: l}
	in.eventer = func(context.Context) error { return nil }
	in.lister = func(context.Context) (*listing, error) {
		list := newListing()
		list.add(tip, true)
		return list, nil
	}
	_, err := in.verdict(t.Context())
	wantRefused(t, nil, err, "has other parents for git than for ChatRail")
}

func TestJournalGivesNothingToWhatWasFetched(t *testing.T) {
	y := newYard(t)
	// Ours, with a copy in the journal: lost from the repository.
	ours := apply(t, y.s, drift("ours"))
	if len(y.s.journal.copies()) == 0 {
		t.Fatal("no copy in the journal")
	}
	foreign := y.on(ours.ID, "theirs").made()
	lost := git(t, y.dir, "rev-parse", ours.ID+":"+bundle.CompassFile)
	loseObject(t, y.dir, lost)
	before := everything(t, y.dir, y.s.journal.dir)
	_, err := y.s.Inspect(t.Context(), Inspection{Tip: foreign, Known: []string{y.tip}, Root: y.root})
	wantRefused(t, nil, err, "has a "+bundle.CompassFile+" that cannot be read")
	after := everything(t, y.dir, y.s.journal.dir)
	for path := range after {
		if before[path] != after[path] {
			t.Errorf("%s was written", path)
		}
	}
	// What is known comes back as for every reader.
	if _, err := y.s.Inspect(t.Context(), Inspection{Tip: foreign, Known: []string{ours.ID}, Root: y.root}); err != nil {
		t.Errorf("on top of what is known: %v", err)
	}
	if _, err := os.Stat(filepath.Join(y.dir, ".git", "objects", lost[:2], lost[2:])); err != nil {
		t.Error("what is known did not come back")
	}
}

func TestBrokenLocalBundleIsNotBlamedOnWhatCame(t *testing.T) {
	y := newYard(t)
	tip := y.on(y.tip, "three").made()
	loseObject(t, y.dir, git(t, y.dir, "rev-parse", y.tip+":"+bundle.EventsFile))
	found, err := y.inspect(tip)
	if asFrozen(err) == nil || asBroken(err) != nil || found != nil {
		t.Errorf("got %+v, %v", found, err)
	}
	missing := strings.Repeat("ab", 20)
	found, err = y.s.Inspect(t.Context(), Inspection{Tip: tip, Known: []string{missing}, Root: y.root})
	if asFrozen(err) == nil || asBroken(err) != nil || found != nil {
		t.Errorf("known and missing: %+v, %v", found, err)
	}
}

func TestInspectionOutOfTimeIsNoVerdict(t *testing.T) {
	y := newYard(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bad := y.on(y.tip, "bad").file("README", "x").made()
	if _, err := y.s.Inspect(ctx, Inspection{Tip: bad, Known: []string{y.tip}}); !errors.Is(err, context.Canceled) || asBroken(err) != nil {
		t.Errorf("got %v", err)
	}
}

func TestTipOfNoFullIDIsNotEchoed(t *testing.T) {
	y := newYard(t)
	for _, tip := range []string{"", "HEAD", "--all", y.tip[:12], strings.Repeat("a", 64), "\x1b[2J"} {
		_, err := y.inspect(tip)
		if asBroken(err) == nil || err.Error() != "the tip is not named by the full id of a revision" {
			t.Errorf("%q: %v", tip, err)
		}
	}
}

func TestPartOfAHistoryIsNotTaken(t *testing.T) {
	y := newYard(t)
	git(t, y.dir, "config", "uploadpack.allowFilter", "true")
	url := "file://" + filepath.ToSlash(y.dir)
	for name, c := range map[string]struct {
		option, words string
	}{
		"shallow": {"--depth=1", "cannot be read: the repository is shallow, run `git fetch --unshallow`"},
		"partial": {"--filter=blob:none", "has a " + bundle.EventsFile + " that cannot be read: the repository is a partial clone that left it out, run `git fetch --refetch --no-filter`"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "clone")
			git(t, ".", "init", "-q", dir)
			git(t, dir, "remote", "add", "origin", url)
			git(t, dir, "fetch", "-q", c.option, "origin", testRef+":refs/chatrail-remote/origin/project")
			before := everything(t, dir)
			found, err := openAt(t, dir).Inspect(t.Context(), Inspection{Tip: y.tip, Root: y.root})
			wantRefused(t, found, err, c.words)
			for path, is := range everything(t, dir) {
				if before[path] != is {
					t.Errorf("%s was written", path)
				}
			}
		})
	}
}
