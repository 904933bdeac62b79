//go:build unix

package dir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"

	"golang.org/x/sys/unix"
)

var errCrash = errors.New("the process died")

// faulty is a disk whose n-th step fails with an error, or from whose n-th step
// on nothing happens any more, as if the process had died.
type faulty struct {
	osDisk
	steps int   // steps taken
	at    int   // the step that fails, from 1
	err   error // what it fails with
}

// step reports the error of the next step.
func (f *faulty) step() error {
	f.steps++
	if f.steps == f.at || f.err == errCrash && f.at > 0 && f.steps > f.at {
		return &fs.PathError{Op: "write", Path: "somewhere", Err: f.err}
	}
	return nil
}

func (f *faulty) create(path string, data []byte, mode fs.FileMode, exact bool) error {
	if err := f.step(); err != nil {
		if f.steps == f.at && f.err == errCrash { // died half-way
			_ = f.osDisk.create(path, data[:len(data)/2], mode, exact)
		}
		return err
	}
	return f.osDisk.create(path, data, mode, exact)
}

func (f *faulty) extend(path string, size int64, data []byte) error {
	if err := f.step(); err != nil {
		if f.steps == f.at { // a full disk takes a part of it, too
			_ = f.osDisk.extend(path, size, data[:len(data)/2])
		}
		return err
	}
	return f.osDisk.extend(path, size, data)
}

func (f *faulty) truncate(path string, size int64) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.osDisk.truncate(path, size)
}

func (f *faulty) rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.osDisk.rename(from, to)
}

func (f *faulty) remove(path string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.osDisk.remove(path)
}

func (f *faulty) mkdir(path string, mode fs.FileMode) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.osDisk.mkdir(path, mode)
}

func (f *faulty) syncDir(path string) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.osDisk.syncDir(path)
}

// situations are bundles whose next Apply takes every way through the code.
var situations = map[string]func(t *testing.T) *Store{
	"healthy": func(t *testing.T) *Store {
		return newBundle(t, say("old", note("tasks/old.md", "old")))
	},
	"interrupted": func(t *testing.T) *Store { return copyBundle(t, "interrupted-both") },
	"torn":        func(t *testing.T) *Store { return copyBundle(t, "torn-last-line") },
	"edited note": func(t *testing.T) *Store {
		s := newBundle(t, say("old", note("tasks/old.md", "old")))
		writeFile(t, s.file("tasks/old.md"), "by hand")
		return s
	},
	"left over": func(t *testing.T) *Store {
		s := newBundle(t, say("old"))
		writeFile(t, s.file(tempPrefix+"left"), "half")
		return s
	},
}

// change is what these tests try to record.
func change() bundle.Change {
	return say("new", note("tasks/old.md", "new"), note("entries/2026/11/30-new.md", "new"))
}

// mustHoldOldOrNew checks a bundle after a try to apply change that did not end
// well: its state is the old or the new one, and it goes on.
func mustHoldOldOrNew(t *testing.T, path string, old *bundle.Revision, acknowledged bool) {
	t.Helper()
	s := open(path, Options{})
	tip := mustTip(t, s)
	isNew := tip.State.Compass.Drift == "new" && tip.State.Rail.Open[0].Summary == "new"
	if !isNew && !tip.State.Equal(old.State) {
		t.Fatalf("a third state: %+v", tip.State)
	}
	if acknowledged && !isNew {
		t.Fatal("an acknowledged change is gone")
	}
	if _, _, err := s.Apply(context.Background(), change()); err != nil {
		t.Fatalf("the next apply: %v", err)
	}
	if tip = mustTip(t, s); tip.State.Compass.Drift != "new" {
		t.Fatalf("the next apply left %q", tip.State.Compass.Drift)
	}
	times := map[string]int{}
	err := s.Walk(context.Background(), "", func(rev *bundle.Revision) (bool, error) { times[rev.Event.Reason]++; return true, nil })
	if err != nil || times["new"] != 1 {
		t.Fatalf("the change is there %d times, %v", times["new"], err)
	}
	for path, want := range map[string]string{"tasks/old.md": "new", "entries/2026/11/30-new.md": "new"} {
		if got, err := s.Note(context.Background(), tip.ID, path); err != nil || string(got) != want {
			t.Fatalf("note %s is %q, %v", path, got, err)
		}
	}
	if report := mustVerify(t, s); !report.Valid || len(report.Pending) > 0 {
		t.Fatalf("report %+v", *report)
	}
	if temps, err := s.filesWith(tempPrefix); err != nil || len(temps) > 0 {
		t.Fatalf("temporary files %q, %v", temps, err)
	}
}

func TestDeathAtEachStepLeavesTheOldOrTheNewState(t *testing.T) {
	t.Parallel()
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				s := situation(t)
				old := mustTip(t, s)
				disk := &faulty{osDisk: osDisk{unsynced: true}, at: at, err: errCrash}
				s.disk = disk
				_, _, err := s.Apply(t.Context(), change())
				mustHoldOldOrNew(t, s.path, old, err == nil)
				if disk.steps < at {
					if at < 8 {
						t.Fatalf("only %d steps: this test shows little", at)
					}
					return
				}
			}
		})
	}
}

func TestFailureOfAStepTakesTheChangeBack(t *testing.T) {
	t.Parallel()
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			for at := 1; ; at++ {
				s := situation(t)
				old, events := mustTip(t, s), readText(t, s.file(bundle.EventsFile))
				oldNote, _ := os.ReadFile(s.file("tasks/old.md"))
				disk := &faulty{osDisk: osDisk{unsynced: true}, at: at, err: unix.ENOSPC}
				s.disk = disk
				rev, changed, err := s.Apply(t.Context(), change())
				var full *bundle.UnwritableError
				switch {
				case err == nil && (!changed || rev.Event.Reason != "new"):
					t.Fatalf("step %d: success without a change", at)
				case err != nil && (!errors.As(err, &full) || changed):
					t.Fatalf("step %d: %v, %v, want not writable", at, changed, err)
				case err != nil:
					mustHaveTakenBack(t, s, old, at)
					if now := readText(t, s.file(bundle.EventsFile)); now != events && !strings.HasSuffix(now, "\n") {
						t.Fatalf("step %d: half an event is there", at)
					}
					if now, _ := os.ReadFile(s.file("tasks/old.md")); string(now) != string(oldNote) {
						t.Fatalf("step %d: the note is %q, was %q", at, now, oldNote)
					}
				}
				mustHoldOldOrNew(t, s.path, old, err == nil)
				if disk.steps < at {
					return
				}
			}
		})
	}
}

// mustHaveTakenBack checks that nothing of a failed change is to be seen.
func mustHaveTakenBack(t *testing.T, s *Store, old *bundle.Revision, at int) {
	t.Helper()
	tip := mustTip(t, open(s.path, Options{}))
	if tip.ID != old.ID && tip.Event.ReviewID != bundle.ReviewRepair {
		t.Fatalf("step %d: the change is there", at)
	}
	if _, err := os.Lstat(s.file("entries")); err == nil {
		t.Fatalf("step %d: the folder for the change is there", at)
	}
	temps, err := s.filesWith(tempPrefix)
	if err != nil || len(temps) > 1 { // one, where the step was to remove it
		t.Fatalf("step %d: temporary files %q, %v", at, temps, err)
	}
}

func TestUnwritableFolderIsNamedAndLeftAlone(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	s := newBundle(t, say("one", note("tasks/a.md", "text")))
	for name, restrict := range map[string]func(mode fs.FileMode) error{
		"folder": func(mode fs.FileMode) error { return os.Chmod(s.path, mode|0o500) },
		"events": func(mode fs.FileMode) error { return os.Chmod(s.file(bundle.EventsFile), mode|0o400) },
		"notes":  func(mode fs.FileMode) error { return os.Chmod(s.file("tasks"), mode|0o500) },
	} {
		before := snapshot(t, s.path)
		if err := restrict(0); err != nil {
			t.Fatal(err)
		}
		mustTip(t, s)
		_, changed, err := s.Apply(t.Context(), say("two", note("tasks/b.md", "text")))
		var no *bundle.UnwritableError
		if !errors.As(err, &no) || changed {
			t.Errorf("%s: %v, %v, want not writable", name, changed, err)
		}
		if err := restrict(0o700); err != nil {
			t.Fatal(err)
		}
		mustBeSame(t, snapshot(t, s.path), before)
	}
	mustApply(t, s, say("three"))
	mustBeClean(t, s)
}

func TestFailedCreateLeavesNothing(t *testing.T) {
	for at := 1; ; at++ {
		parent := t.TempDir()
		s := open(filepath.Join(parent, "a", ".chatrail"), Options{})
		disk := &faulty{osDisk: osDisk{unsynced: true}, at: at, err: unix.ENOSPC}
		s.disk = disk
		draft := genesis()
		draft.Notes = []bundle.Note{note("entries/2026/a.md", "text")}
		err := s.create(t.Context(), draft)
		if disk.steps < at {
			if err != nil || at < 8 {
				t.Fatalf("%d steps, %v", at, err)
			}
			return
		}
		shape, shapeErr := Shape(s.path)
		if err == nil || shapeErr != nil || shape == Partial {
			t.Fatalf("step %d: %v, then the folder is %v, %v", at, err, shape, shapeErr)
		}
		if left, _ := filepath.Glob(filepath.Join(parent, "a", ".*"+building+"*")); len(left) > 0 {
			t.Fatalf("step %d: left %q", at, left)
		}
		s.disk = osDisk{unsynced: true}
		if err := s.create(t.Context(), draft); shape == Absent && err != nil || shape == Complete && !errors.Is(err, ErrExists) {
			t.Fatalf("step %d: the next create: %v", at, err)
		}
		mustBeClean(t, s)
	}
}

var _ disk = (*faulty)(nil)
