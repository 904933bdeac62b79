package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatrail/bundle"

	"github.com/google/uuid"
)

func tipAfterCreateIsTheRoot(t *testing.T, open Opener) {
	f := open(t, genesis())
	tip := mustTip(t, f.Store)
	root, err := f.Store.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tip.ID != root || len(tip.Parents) != 0 {
		t.Errorf("tip %s with parents %q, root %s", tip.ID, tip.Parents, root)
	}
	if !tip.State.Equal(genesis().State) {
		t.Error("the state is not the genesis'")
	}
	if tip.Event.Reason != "Create ChatRail" || tip.Event.ReviewID != bundle.ReviewGenesis {
		t.Errorf("event %+v", tip.Event.EventMeta)
	}
}

func rootStays(t *testing.T, open Opener) {
	f := open(t, genesis())
	root, err := f.Store.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, f.Store, say("one"))
	mustApply(t, f.Reopen(t), say("two"))
	for _, s := range []bundle.Store{f.Store, f.Reopen(t)} {
		if again, err := s.Root(t.Context()); err != nil || again != root {
			t.Errorf("root is %s (%v), was %s", again, err, root)
		}
	}
}

func applyMakesExactlyOneRevision(t *testing.T, open Opener) {
	f := open(t, genesis())
	before := mustTip(t, f.Store)
	rev := mustApply(t, f.Store, say("one"))
	if len(rev.Parents) != 1 || rev.Parents[0] != before.ID {
		t.Errorf("parents %q, want %s", rev.Parents, before.ID)
	}
	if rev.State.Compass.Drift != "one" || rev.Event.Reason != "one" {
		t.Errorf("drift %q, reason %q", rev.State.Compass.Drift, rev.Event.Reason)
	}
	tip := mustTip(t, f.Reopen(t))
	if tip.ID != rev.ID || !tip.State.Equal(rev.State) {
		t.Errorf("tip %s, want %s", tip.ID, rev.ID)
	}
	if n := len(mustWalk(t, f.Store, "")); n != 2 {
		t.Errorf("%d revisions, want 2", n)
	}
}

func applyIsSeenByAnOpenStore(t *testing.T, open Opener) {
	f := open(t, genesis())
	other := f.Reopen(t)
	mustTip(t, other)
	for _, text := range []string{"one", "two", "three"} {
		rev := mustApply(t, f.Store, say(text))
		if tip := mustTip(t, other); tip.ID != rev.ID || tip.State.Compass.Drift != text {
			t.Errorf("the other store sees %s %q, want %s %q", tip.ID, tip.State.Compass.Drift, rev.ID, text)
		}
	}
}

func noChangeMakesNoRevision(t *testing.T, open Opener) {
	f := open(t, genesis())
	tip := mustApply(t, f.Store, say("one"))
	check := unchanged(t, f.Store)
	rev, changed, err := f.Store.Apply(t.Context(), say("one"))
	if err != nil || changed || rev == nil || rev.ID != tip.ID {
		t.Errorf("got %v, %v, %v; want the tip and no change", rev, changed, err)
	}
	check()
}

func failingChangeWritesNothing(t *testing.T, open Opener) {
	f := open(t, genesis())
	check := unchanged(t, f.Store)
	stop := errors.New("stop")
	_, changed, err := f.Store.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		d, _ := say("one")(present)
		d.Notes = []bundle.Note{note("entries/a.md", "text")}
		return d, stop
	})
	if !errors.Is(err, stop) || changed {
		t.Errorf("got %v, %v; want the change's own error", changed, err)
	}
	check()
}

func brokenRuleIsRefused(t *testing.T, open Opener) {
	f := open(t, genesis())
	check := unchanged(t, f.Store)
	for name, breakIt := range map[string]func(d *bundle.Draft){
		"heading":  func(d *bundle.Draft) { d.State.Compass.Heading.X, d.State.Compass.Heading.Y = 33, 67 },
		"empty id": func(d *bundle.Draft) { d.State.Rail.Open = []bundle.Item{{Summary: "s"}} },
		"id twice": func(d *bundle.Draft) {
			d.State.Rail.Next = &bundle.Item{ID: "a", Summary: "s"}
			d.State.Rail.Parked = []bundle.Item{{ID: "a", Summary: "t"}}
		},
		"too many": func(d *bundle.Draft) {
			for range bundle.MaxList + 1 {
				d.State.Rail.Route = append(d.State.Rail.Route, bundle.Item{ID: uuid.NewString(), Summary: "s"})
			}
		},
		"note twice": func(d *bundle.Draft) {
			d.Notes = []bundle.Note{note("tasks/a.md", "one"), note("tasks/a.md", "two")}
		},
	} {
		_, changed, err := f.Store.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
			d, _ := say("one")(present)
			d.Notes = []bundle.Note{note("entries/a.md", "text")}
			breakIt(&d)
			return d, nil
		})
		var rule *bundle.RuleError
		if !errors.As(err, &rule) || changed {
			t.Errorf("%s: got %v, %v; want a rule error", name, changed, err)
		}
		check()
	}
}

func cancelledContextWritesNothing(t *testing.T, open Opener) {
	f := open(t, genesis())
	check := unchanged(t, f.Store)
	ctx, cancel := context.WithCancel(t.Context())
	_, changed, err := f.Store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		cancel()
		d, _ := say("one")(present)
		d.Notes = []bundle.Note{note("entries/a.md", "text")}
		return d, nil
	})
	if err == nil || changed {
		t.Errorf("cancelled by the change: got %v, %v", changed, err)
	}
	check()
	if _, changed, err = f.Store.Apply(ctx, say("one")); err == nil || changed {
		t.Errorf("cancelled before: got %v, %v", changed, err)
	}
	check()
	if _, err := f.Store.Tip(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("tip: got %v", err)
	}
	if err := f.Store.Walk(ctx, "", func(*bundle.Revision) (bool, error) { return true, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("walk: got %v", err)
	}
	if _, err := f.Store.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("verify: got %v", err)
	}
}

func givenMetaIsKept(t *testing.T, open Opener) {
	f := open(t, genesis())
	want := bundle.EventMeta{
		EventID: uuid.NewString(), ReviewID: "k7q2m9x4", Reason: "Measured: memory is the limit",
		Time: time.Date(2026, 7, 21, 9, 3, 0, 123456000, time.UTC),
		Task: "3f9a1c0b7d2e", Agent: "codex", Branch: "feature/reader", Head: "0123456789abcdef0123456789abcdef01234567",
	}
	rev := mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		d, _ := say("one")(present)
		d.Meta = want
		return d, nil
	})
	for _, got := range []bundle.EventMeta{rev.Event.EventMeta, mustTip(t, f.Reopen(t)).Event.EventMeta} {
		if !got.Time.Equal(want.Time) {
			t.Errorf("time is %v, want %v", got.Time, want.Time)
		}
		got.Time = want.Time
		if got != want {
			t.Errorf("meta is %+v, want %+v", got, want)
		}
	}
}

func emptyMetaIsFilledIn(t *testing.T, open Opener) {
	f := open(t, genesis())
	earliest := time.Now().Add(-time.Minute)
	one, two := mustApply(t, f.Store, say("one")), mustApply(t, f.Store, say("two"))
	for _, rev := range []*bundle.Revision{one, two} {
		if _, err := uuid.Parse(rev.Event.EventID); err != nil {
			t.Errorf("event id %q: %v", rev.Event.EventID, err)
		}
		if rev.Event.Time.Before(earliest) || rev.Event.Time.Location() != time.UTC {
			t.Errorf("time is %v", rev.Event.Time)
		}
	}
	if one.Event.EventID == two.Event.EventID {
		t.Error("two events share an id")
	}
}

func callersCannotChangeWhatIsStored(t *testing.T, open Opener) {
	f := open(t, genesis())
	route := []bundle.Item{{ID: "a", Summary: "first"}}
	rev := mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		s := present.State
		s.Rail.Route, s.Rail.Next = route, &bundle.Item{ID: "b", Summary: "next"}
		return bundle.Draft{State: s, Meta: meta("route")}, nil
	})
	spoil := func(rev *bundle.Revision) {
		rev.State.Rail.Route[0].Summary = "changed"
		rev.State.Rail.Next.Summary = "changed"
	}
	route[0].Summary = "changed"
	spoil(rev)
	for _, text := range []string{"one", "two"} { // what changes only the Compass shares a Rail
		spoil(mustApply(t, f.Store, say(text)))
		spoil(mustTip(t, f.Store))
	}
	err := f.Store.Walk(t.Context(), "", func(rev *bundle.Revision) (bool, error) {
		if len(rev.State.Rail.Route) > 0 {
			spoil(rev)
		}
		return true, nil
	})
	if err != nil {
		t.Error(err)
	}
	_, changed, err := f.Store.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		spoil(present)
		return bundle.Draft{State: present.State, Meta: meta("in place")}, nil
	})
	if err != nil || !changed {
		t.Errorf("a change in place: %v, %v; want a revision", changed, err)
	}
	old, err := f.Store.Read(t.Context(), rev.ID)
	if err != nil {
		t.Fatal(err)
	}
	if rail := old.State.Rail; rail.Route[0].Summary != "first" || rail.Next.Summary != "next" {
		t.Errorf("the stored Rail became %+v", rail)
	}
	for _, s := range []bundle.Store{f.Store, f.Reopen(t)} {
		report, err := s.Verify(t.Context())
		if err != nil || !report.Valid || report.Events != 5 {
			t.Errorf("report %+v, %v", report, err)
		}
	}
}

func healthyBundleVerifies(t *testing.T, open Opener) {
	f := open(t, genesis())
	mustApply(t, f.Store, say("one"))
	mustApply(t, f.Store, write("two", note("entries/a.md", "text")))
	report, err := f.Reopen(t).Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !report.Valid || report.Events != 3 || report.Frozen != "" || len(report.Pending) != 0 || len(report.Warnings) != 0 {
		t.Errorf("report %+v", *report)
	}
}

func changeThatReadRunsAgain(t *testing.T, open Opener) {
	f := open(t, genesis())
	mustApply(t, f.Store, write("one", note(taskPath, "first\n")))
	other := f.Reopen(t)
	runs := 0
	rev := mustApply(t, f.Store, func(present *bundle.Revision) (bundle.Draft, error) {
		if runs++; runs == 1 {
			mustApply(t, other, write("two", note(taskPath, "second\n")))
		}
		data, err := f.Store.Note(t.Context(), present.ID, taskPath)
		return bundle.Draft{State: present.State, Notes: []bundle.Note{note(taskPath, string(data)+"third\n")}, Meta: meta("three")}, err
	})
	mustRead(t, f.Store, rev.ID, taskPath, "second\nthird\n")
}
