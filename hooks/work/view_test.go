package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"chatrail/bundle"
	"chatrail/hooks"
	"chatrail/hooks/task"
)

func (w *world) place() task.Place {
	w.t.Helper()
	return w.scope().Place
}

func (w *world) view() task.View {
	w.t.Helper()
	v, err := w.desk.View(context.Background(), w.place())
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func TestViewShowsWhatTheBundleIs(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		if v := w.view(); v.Named || !v.Default || v.Tip != w.tip().ID {
			t.Errorf("of a new bundle: %+v", v)
		}
		w.recorded(north(w.prompt("one"), "Ship it"))
		v, rev := w.view(), w.tip()
		if !v.Named || v.Default || v.Tip != rev.ID || v.Task != task.Short(w.key("one")) || v.Agent != "claude" ||
			!v.When.Equal(rev.Event.Time) || v.Lines[0] != (task.Line{Field: "rail.north", Text: "North: Ship it"}) {
			t.Errorf("%+v", v)
		}
		for field, digest := range rev.State.FieldDigests() {
			if v.Fields[string(field)] != digest {
				t.Errorf("%s: %s, not %s", field, v.Fields[string(field)], digest)
			}
		}
	})
}

func TestAnAnswerLeavesACacheThatTheNextHookCanUse(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		w.recorded(north(w.prompt("one"), "Ship it"))
		v, err := hooks.Cached{Home: w.desk.Home}.View(t.Context(), w.receipt("one").Pin.Place)
		if err != nil || v.Tip != w.tip().ID {
			t.Errorf("%v: %+v", err, v)
		}
	})
}

func TestACachedViewIsNoLongerUsedOnceSomebodyElseMovesTheBundle(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		w.view()
		s := w.elsewhere()
		if err := move(t.Context(), s.Store, "Theirs"); err != nil {
			t.Fatal(err)
		}
		rev, err := s.Tip(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if v, err := (hooks.Cached{Home: w.desk.Home}).View(t.Context(), w.place()); !errors.Is(err, hooks.ErrAway) {
			t.Errorf("the cache answers %v, %+v", err, v)
		}
		if v := w.view(); v.Tip != rev.ID || v.Lines[0].Text != "North: Theirs" {
			t.Errorf("%+v", v)
		}
	})
}

// The events file is only appended to, so what the stamp of a view covers tells
// which revision the view has to show.
func TestViewIsNeverNewerThanItsStamp(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	place, store := w.place(), w.elsewhere().Store
	const moves = 25
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < moves && err == nil; i++ {
			err = move(t.Context(), store, fmt.Sprint("step ", i))
		}
		done <- err
	}()
	var views []task.View
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		v, err := w.desk.View(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	events, err := os.ReadFile(filepath.Join(place.Path, bundle.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if v.Stamp == (task.DirStamp{}) {
			continue // it never stood still: said once, and not remembered
		}
		// A line that was still being written is no event yet; with the rest of it
		// the stamp is another one.
		whole := bytes.LastIndexByte(events[:v.Stamp.EventsSize], '\n')
		lines := bytes.Split(events[:max(whole, 0)], []byte("\n"))
		var last struct {
			ID string `json:"event_id"`
		}
		if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.ID != v.Tip {
			t.Errorf("a stamp over %d events comes with the view of %s, not of %s (%v)", len(lines), v.Tip, last.ID, err)
		}
	}
	if v := w.view(); v.Lines[0].Text != fmt.Sprint("North: step ", moves-1) {
		t.Errorf("at the end: %+v", v)
	}
}

// Others write on while nobody looks: of a history that is known up to a revision,
// only what came since then is read, however long it is.
func TestAViewOfALongHistoryGoesOnFromTheOneThatIsKnown(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	ctx, store := t.Context(), w.elsewhere().Store
	for i := range 12 {
		if err := move(ctx, store, fmt.Sprint("North ", i)); err != nil {
			t.Fatal(err)
		}
	}
	known := w.view()
	for _, text := range []string{"A", "B", "C"} {
		if err := move(ctx, store, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(w.desk.Home.JournalDir(w.place())); err != nil {
		t.Fatal(err)
	}
	place := w.place()
	if err := os.Remove(filepath.Join(place.Path, "objects", known.Root[:2], known.Root[2:])); err != nil {
		t.Fatal(err)
	}
	v, err := w.desk.View(ctx, place)
	if err != nil || v.Root != known.Root || v.Tip == known.Tip || v.FirstNorth != "North 0" {
		t.Errorf("root %q, not %q, first North %q: %v", v.Root, known.Root, v.FirstNorth, err)
	}
}

func TestTheFirstNorthIsRememberedAsItWasWorded(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		ctx, store := t.Context(), w.elsewhere().Store
		for i, step := range []struct{ north, first string }{
			{"Ship it", ""}, {"Ship it with tests", "Ship it"}, {"Ship half of it", "Ship it"}, {"Ship it", ""},
		} {
			if err := move(ctx, store, step.north); err != nil {
				t.Fatal(err)
			}
			if v := w.view(); v.FirstNorth != step.first {
				t.Errorf("step %d, followed: first North %q, not %q", i, v.FirstNorth, step.first)
			}
			// A reader that knows no view of before has to walk.
			fresh := *w.desk
			fresh.Home = task.Home{Dir: filepath.Join(t.TempDir(), "state")}
			if v, err := fresh.View(ctx, w.place()); err != nil || v.FirstNorth != step.first {
				t.Errorf("step %d, walked: first North %q, not %q (%v)", i, v.FirstNorth, step.first, err)
			}
		}
	})
}

func TestTheViewOfAFrozenBundleSaysWhyAndIsNotKept(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		place := w.place()
		w.view()
		w.freeze()
		if v, err := w.desk.View(t.Context(), place); err != nil || v.Frozen == "" {
			t.Errorf("%+v, %v", v, err)
		}
		if v, ok := w.desk.Home.LoadView(place); !ok || v.Frozen != "" || v.Tip == "" {
			t.Errorf("the last healthy view is gone: %+v", v)
		}
		if _, err := (hooks.Cached{Home: w.desk.Home}).View(t.Context(), place); !errors.Is(err, hooks.ErrAway) {
			t.Errorf("the cache answers: %v", err)
		}
	})
}

// elsewhere is the project's bundle as somebody with another state home has it.
func (w *world) elsewhere() *Scope {
	w.t.Helper()
	theirs := *w.desk
	theirs.Home = task.Home{Dir: filepath.Join(w.t.(testing.TB).TempDir(), "state")}
	s, err := theirs.Scope(context.Background(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// move names another North.
func move(ctx context.Context, store bundle.Store, text string) error {
	_, _, err := store.Apply(ctx, func(r *bundle.Revision) (bundle.Draft, error) {
		next := r.State
		next.Rail.North = text
		return bundle.Draft{State: next, Meta: bundle.EventMeta{ReviewID: "elsewhere", Reason: text}}, nil
	})
	return err
}
