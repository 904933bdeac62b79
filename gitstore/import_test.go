package gitstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
)

// directory is the history of a directory bundle with n events, of which every
// third wrote a note.
func directory(t testing.TB, n int) (events []bundle.Event, final bundle.State, notes []bundle.Note) {
	t.Helper()
	when := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	var before *bundle.State
	for i := range n {
		state := bundle.DefaultState()
		if before != nil {
			state = *before
		}
		var digests []bundle.NoteDigest
		switch i % 3 {
		case 0:
			state.Compass.Drift = fmt.Sprint("step ", i)
		case 1:
			state.Rail.North = fmt.Sprint("north ", i)
		case 2:
			digests = []bundle.NoteDigest{{Path: "tasks/a.md", SHA256: fmt.Sprintf("%064d", i)}}
		}
		event, err := bundle.NewEvent(bundle.EventMeta{
			EventID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), ReviewID: "review", Reason: fmt.Sprint("event ", i),
			Time: when.Add(time.Duration(i) * time.Minute), Branch: "then",
		}, before, state, digests)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event)
		before = &state
	}
	return events, *before, []bundle.Note{
		{Path: "entries/2025/03/01-a.md", Data: []byte("entry\n")}, {Path: "tasks/a.md", Data: []byte("the last text\n")},
	}
}

func TestImportKeepsEveryEventAndNeedsNoManyFiles(t *testing.T) {
	const n = 150
	dir := newRepo(t)
	check := untouched(t, dir)
	events, final, notes := directory(t, n)
	s := openAt(t, dir)
	tip, err := s.Import(t.Context(), events, final, notes)
	if err != nil {
		t.Fatal(err)
	}
	check()
	if !tip.State.Equal(final) {
		t.Error("the tip is not the final state")
	}
	revs := walked(t, s, "")
	for i, r := range revs {
		want := events[n-1-i]
		if string(r.Event.Line) != string(want.Line) {
			t.Errorf("event %d is %s", n-1-i, r.Event.Line)
		}
	}
	for _, note := range notes {
		if data, err := s.Note(t.Context(), tip.ID, note.Path); err != nil || string(data) != string(note.Data) {
			t.Errorf("note %s: %q, %v", note.Path, data, err)
		}
	}
	if got := git(t, dir, "log", "-1", "--format=%ct %an <%ae> %s", testRef+"~9"); got !=
		fmt.Sprintf("%d ChatRail <chatrail@localhost> event %d", events[n-10].Time.Unix(), n-10) {
		t.Errorf("commit of event %d: %s", n-10, got)
	}
	loose, _, _ := strings.Cut(git(t, dir, "count-objects"), " ")
	if count, _ := strconv.Atoi(loose); count > 20 {
		t.Errorf("%d loose objects", count)
	}
	wantValid(t, s, dir, n)
	wantEachEventOnce(t, s, dir)
	apply(t, s, drift("life goes on"))
	wantValid(t, s, dir, n+1)
}

func TestImportGivesTheSameIDsInTwoClones(t *testing.T) {
	events, final, notes := directory(t, 40)
	var tips []string
	for _, dir := range []string{newRepo(t), filepath.Join(t.TempDir(), "bare")} {
		if len(tips) == 1 {
			git(t, ".", "init", "-q", "--bare", "-b", "other", dir)
			git(t, dir, "config", "user.name", "Somebody Else")
			git(t, dir, "config", "user.email", "else@example.com")
		}
		tip, err := openAt(t, dir).Import(t.Context(), events, final, notes)
		if err != nil {
			t.Fatal(err)
		}
		tips = append(tips, tip.ID)
	}
	if tips[0] != tips[1] {
		t.Errorf("tips %q", tips)
	}
}

func TestImportNeverReplacesABundle(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	before := walked(t, s, "")[0].ID
	events, final, notes := directory(t, 3)
	tip, err := s.Import(t.Context(), events, final, notes)
	if !errors.Is(err, ErrExists) || tip == nil || tip.ID != before {
		t.Errorf("got %v, %v", tip, err)
	}
	if now := git(t, dir, "rev-parse", testRef); now != before {
		t.Errorf("the tip moved to %s", now)
	}
}

func TestImportOfABrokenHistoryWritesNothing(t *testing.T) {
	events, final, notes := directory(t, 4)
	for name, try := range map[string]func(*Store) error{
		"no events": func(s *Store) error { _, err := s.Import(t.Context(), nil, final, nil); return err },
		"a gap": func(s *Store) error {
			_, err := s.Import(t.Context(), append(events[:1:1], events[3:]...), final, notes)
			return err
		},
		"another end": func(s *Store) error {
			_, err := s.Import(t.Context(), events, bundle.DefaultState(), notes)
			return err
		},
		"a bad note": func(s *Store) error {
			_, err := s.Import(t.Context(), events, final, []bundle.Note{{Path: "../x"}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			objects, _ := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
			if err := try(openAt(t, dir)); err == nil {
				t.Error("imported")
			}
			if _, err := openAt(t, dir).Tip(t.Context()); !errors.Is(err, bundle.ErrNotFound) {
				t.Errorf("tip: %v", err)
			}
			if after, _ := filepath.Glob(filepath.Join(dir, ".git/objects/??/*")); len(after) != len(objects) {
				t.Errorf("%d objects, were %d", len(after), len(objects))
			}
		})
	}
}

// TestTenThousandEventsImport is for a look at the time; it runs when asked for.
func TestTenThousandEventsImport(t *testing.T) {
	if !long() {
		t.Skip("set CHATRAIL_LONG to run it")
	}
	dir := newRepo(t)
	events, final, notes := directory(t, 10_000)
	s := openAt(t, dir)
	start := time.Now()
	if _, err := s.Import(t.Context(), events, final, notes); err != nil {
		t.Fatal(err)
	}
	t.Log("import", time.Since(start))
	start = time.Now()
	n := len(walked(t, openAt(t, dir), ""))
	t.Log("walk of", n, time.Since(start))
	start = time.Now()
	wantValid(t, openAt(t, dir), dir, 10_000)
	t.Log("verify", time.Since(start))
}
