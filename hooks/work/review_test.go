package work

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

func TestAnAnswerMakesOneRevisionThatSaysWhoAndWhy(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id := w.prompt("one")
		a := w.recorded(north(id, "  Ship\nit  "))
		rev := w.tip()
		if rev.ID != a.Revision || rev.Event.Reason != "Ship it" || rev.Event.ReviewID != id ||
			rev.Event.Task != w.key("one") || rev.Event.Agent != "claude" {
			t.Errorf("revision %s, event %+v", rev.ID, rev.Event.EventMeta)
		}
		if len(a.Changes) != 1 || !strings.HasPrefix(a.Changes[0], "north: ") {
			t.Errorf("changes %q", a.Changes)
		}
		if said := w.stop("one"); said.Block != "" {
			t.Errorf("an answered review held the stop up: %s", said.Block)
		}
	})
}

func TestBareAnswerCompletesTheReviewAndWritesNothing(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id, before := w.prompt("one"), w.tip().ID
		a, err := w.reconcile(Request{Review: id})
		if err != nil || a.Outcome != NoChange || len(a.Moved) > 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		if w.tip().ID != before || w.receipt("one").Turn.Review.Status != turn.Done {
			t.Error("a revision was made, or the review stayed open")
		}
		if a, err := w.reconcile(Request{Review: id}); err != nil || a.Outcome != Repeated {
			t.Errorf("a repeat: %+v, %v", a, err)
		}
	})
}

func TestPatchThatChangesNothingIsNoChange(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		w.recorded(north(w.prompt("one"), "Ship it"))
		a, err := w.reconcile(north(w.prompt("one"), "Ship it"))
		if err != nil || a.Outcome != NoChange {
			t.Fatalf("%+v, %v", a, err)
		}
		if got := w.reasons(); len(got) != 1 {
			t.Errorf("history %q", got)
		}
	})
}

func TestStaleAnswerWritesNothingAndShowsWhatIsThere(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		mine, theirs := w.prompt("mine"), w.prompt("theirs")
		w.recorded(north(theirs, "Theirs"))
		_, err := w.reconcile(north(mine, "Mine"))
		var stale *StaleError
		if !errors.As(err, &stale) {
			t.Fatalf("not stale: %v", err)
		}
		if !slices.Equal(stale.Fields, []bundle.Field{bundle.FieldNorth}) || !strings.Contains(stale.PresentWords(), "North: Theirs") {
			t.Errorf("fields %v, shows %q", stale.Fields, stale.PresentWords())
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Theirs"}) {
			t.Errorf("history %q", got)
		}
		if r := w.receipt("mine").Turn.Review; r.Status != turn.Pending || r.ID != mine {
			t.Errorf("the review did not stay open: %+v", r)
		}
		// It was shown Theirs, and says Mine all the same.
		w.recorded(north(mine, "Mine"))
	})
}

func TestAStaleAnswerIsHeldAgainstWhatItWasShownAndNothingLater(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		mine := w.prompt("mine")
		w.recorded(north(w.prompt("theirs"), "First"))
		var stale *StaleError
		if _, err := w.reconcile(north(mine, "Mine")); !errors.As(err, &stale) {
			t.Fatalf("not stale: %v", err)
		}
		w.recorded(north(w.prompt("theirs"), "Second"))
		if _, err := w.reconcile(north(mine, "Mine")); !errors.As(err, &stale) {
			t.Fatalf("clobbered what it was never shown: %v", err)
		}
	})
}

func TestFieldsThatTheAnswerDoesNotNameMayMove(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		mine := w.prompt("mine")
		w.recorded(north(w.prompt("theirs"), "Theirs"))
		w.recorded(now(mine, "Half way"))
		if s := w.tip().State; s.Rail.North != "Theirs" || s.Compass.Heading.Context != "Half way" {
			t.Errorf("state %+v", s)
		}
	})
}

func TestNoChangeIsNeverStale(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		mine := w.prompt("mine")
		w.recorded(north(w.prompt("theirs"), "Theirs"))
		a, err := w.reconcile(Request{Review: mine})
		if err != nil || a.Outcome != NoChange {
			t.Fatalf("%+v, %v", a, err)
		}
		if !slices.Equal(a.Moved, []string{"North: Theirs"}) {
			t.Errorf("moved %q", a.Moved)
		}
		if w.receipt("mine").Turn.Review.Status != turn.Done {
			t.Error("the review stayed open")
		}
	})
}

func TestTwoProcessesAnsweringOneReviewMakeOneRevision(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id := w.prompt("one")
		const answers = 4
		outcomes := make([]Outcome, answers)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				// Each with a desk of its own, as each process has one, and
				// each second one with other words.
				desk := *w.desk
				text := []string{"Ship it", "Drop it"}[i%2]
				a, err := desk.Reconcile(t.Context(), north(id, text))
				var refused *RefusedError
				switch {
				case err == nil:
					outcomes[i] = a.Outcome
				case !errors.As(err, &refused):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// The same words again are a repeat, other words are refused.
		slices.Sort(outcomes)
		if !slices.Equal(outcomes, []Outcome{"", "", Recorded, Repeated}) {
			t.Errorf("outcomes %v", outcomes)
		}
		if got := w.reasons(); len(got) != 1 {
			t.Errorf("history %q", got)
		}
	})
}

func TestRepeatAfterACrashBeforeTheReceiptSucceeds(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id := w.prompt("one")
		var first *Answer
		w.forget("one", func() { first = w.recorded(north(id, "Ship it")) })
		// Others went on meanwhile, also with the same field.
		w.recorded(north(w.prompt("two"), "Ship something else"))
		again, err := w.reconcile(north(id, "Ship it"))
		if err != nil || again.Outcome != Repeated || again.Revision != first.Revision {
			t.Fatalf("%+v, %v", again, err)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Ship it", "Ship something else"}) {
			t.Errorf("history %q", got)
		}
		if w.receipt("one").Turn.Review.Status != turn.Done {
			t.Error("the review stayed open")
		}
	})
}

func TestRepeatAfterACrashBeforeTheReceiptIsFoundThroughAStaleAnswerBetween(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id := w.prompt("one")
		w.recorded(north(w.prompt("two"), "Theirs"))
		var stale *StaleError
		if _, err := w.reconcile(north(id, "Mine")); !errors.As(err, &stale) {
			t.Fatal(err)
		}
		w.forget("one", func() { w.recorded(north(id, "Mine")) })
		if a, err := w.reconcile(north(id, "Mine")); err != nil || a.Outcome != Repeated {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func TestAliasOfASupersededReviewIsRecordedOnce(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		old := w.prompt("one")
		fresh := w.prompt("one")
		w.recorded(north(old, "Ship it"))
		for _, id := range []string{old, fresh} {
			if a, err := w.reconcile(north(id, "Ship it")); err != nil || a.Outcome != Repeated {
				t.Errorf("%s: %+v, %v", id, a, err)
			}
		}
		if got := w.reasons(); len(got) != 1 {
			t.Errorf("history %q", got)
		}
	})
}

func TestAReviewThatIsSupersededWhileItsCommandRunsIsAnswered(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		old := w.prompt("one")
		unlock, err := w.desk.Home.LockTask(t.Context(), w.key("one"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := w.desk.Reconcile(t.Context(), north(old, "Ship it"))
			done <- err
		}()
		// What the hook of the next prompt does under the lock.
		receipt := w.receipt("one")
		fresh := task.NewReviewID(w.key("one"))
		receipt.Turn, _ = turn.Step(receipt.Turn, turn.Event{Kind: turn.Prompt, Turn: "next", PromptHash: "next", NewReview: fresh, At: w.now()},
			turn.Health{Healthy: true, Trusted: true, Tip: w.tip().ID, Fields: receipt.Turn.Review.Fields})
		if err := w.desk.Home.SaveReceipt(&receipt); err != nil {
			t.Fatal(err)
		}
		unlock()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if r := w.receipt("one").Turn.Review; r.ID != fresh || r.Status != turn.Done {
			t.Errorf("review %+v", r)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Ship it"}) {
			t.Errorf("history %q", got)
		}
	})
}

func TestReviewsThatAreNotOursAreRefusedAndLeaveNoTrace(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	mine := w.prompt("mine")
	for name, r := range map[string]Request{
		"unknown":               north(task.NewReviewID(w.key("mine")), "x"),
		"of no task":            north("0123456789ab.abcdefgh", "x"),
		"no id at all":          north("../../etc/passwd", "x"),
		"of another task":       {Review: mine, Session: w.session("other"), Reason: "x", Short: north("", "x").Short},
		"of a task with no pin": {Review: "r", Session: "never seen", Reason: "x", Short: north("", "x").Short},
	} {
		var refused *RefusedError
		if _, err := w.reconcile(r); !errors.As(err, &refused) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := w.reasons(); len(got) != 0 {
		t.Errorf("history %q", got)
	}
	if r := w.receipt("mine").Turn.Review; r.Status != turn.Pending {
		t.Error("the open review was completed")
	}
}

func TestAChangeNeedsAReason(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	r := north(w.prompt("one"), "Ship it")
	r.Reason = " \n\t "
	var usage *UsageError
	if _, err := w.reconcile(r); !errors.As(err, &usage) {
		t.Errorf("%v", err)
	}
	if got := w.reasons(); len(got) != 0 {
		t.Errorf("history %q", got)
	}
}

func TestABrokenRuleIsRefusedAndTheReviewStaysOpen(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	var rule *bundle.RuleError
	if _, err := w.reconcile(Request{Review: id, Reason: "x", Short: bundle.Short{Answer: []string{"nobody"}}}); !errors.As(err, &rule) {
		t.Errorf("%v", err)
	}
	w.recorded(north(id, "Ship it"))
}

func TestASubAgentNeverAnswers(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	desk := *w.desk
	desk.Env = func(name string) string {
		switch name {
		case "CODEX_SESSION_ID":
			return w.session("one")
		case "CODEX_THREAD_ID":
			return "its child"
		}
		return w.desk.Env(name)
	}
	var refused *RefusedError
	if _, err := desk.Reconcile(t.Context(), north(id, "x")); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if got := w.reasons(); len(got) != 0 {
		t.Errorf("history %q", got)
	}
}

func TestFrozenBundleRefusesAndKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		id := w.prompt("one")
		w.freeze()
		_, err := w.reconcile(north(id, "Ship it"))
		var frozen *bundle.FrozenError
		var kept *SpooledError
		if !errors.As(err, &frozen) || !errors.As(err, &kept) {
			t.Fatalf("%v", err)
		}
		if data, err := os.ReadFile(kept.Path); err != nil || !strings.Contains(string(data), "Ship it") {
			t.Errorf("%s: %q, %v", kept.Path, data, err)
		}
		// Nothing was written that would be lost.
		if _, err := w.reconcile(Request{Review: id}); !errors.As(err, &frozen) || errors.As(err, &kept) {
			t.Errorf("a bare answer: %v", err)
		}
		if r := w.receipt("one").Turn.Review; r.Status != turn.Pending {
			t.Error("the review was completed")
		}
	})
}

// freeze puts the project's bundle into a state that no history explains.
func (w *world) freeze() {
	w.t.Helper()
	for _, path := range []string{
		filepath.Join(w.project, ".chatrail", bundle.RailFile),
		filepath.Join(w.project, ".git", "refs", "chatrail", "project"),
	} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := os.WriteFile(path, []byte("nothing that was ever recorded\n"), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}
