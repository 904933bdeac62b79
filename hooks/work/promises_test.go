package work

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/hooks/agent"
	"chatrail/hooks/turn"
)

func TestAnAnswerAfterACrashedOneIsRecordedToo(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		first := w.prompt("one")
		w.forget("one", func() { w.recorded(north(first, "First")) })
		second := w.prompt("one") // begun after First was recorded: a question of its own
		a, err := w.reconcile(now(second, "Second"))
		if err != nil || a.Outcome != Recorded {
			t.Errorf("%+v, %v", a, err)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"First", "Second"}) {
			t.Errorf("history %q", got)
		}
	})
}

func TestARepeatOfACrashedAnswerLeavesTheNextReviewOpen(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	first := w.prompt("one")
	w.forget("one", func() { w.recorded(north(first, "First")) })
	second := w.prompt("one")
	if a, err := w.reconcile(north(first, "First")); err != nil || a.Outcome != Repeated {
		t.Errorf("%+v, %v", a, err)
	}
	w.recorded(now(second, "Second"))
}

func TestASecondAnswerIsNotPromisedWhileOneWaits(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	w.drop("one", Request{Review: id})
	receipt := w.receipt("one")
	q, _, _ := asks(receipt, id)
	r := north(id, "Ship it")
	a, err := w.desk.drop(t.Context(), receipt.TaskKey, receipt, q, r, change{Short: r.Short})
	w.stop("one")
	if err == nil && a.Outcome == Kept && !slices.Equal(w.reasons(), []string{"Ship it"}) {
		items, _ := w.desk.Home.SpoolList()
		t.Errorf("kept (%q), and then in neither the history %q nor the spool %v", a.Words(), w.reasons(), items)
	}
}

func TestADroppedAnswerThatCannotBeRecordedAtAStopIsToldSomeTime(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	w.drop("mine", north(w.prompt("mine"), "Mine"))
	w.recorded(north(w.prompt("theirs"), "Theirs"))
	var all string
	for _, ev := range []turn.Event{{Kind: turn.Stop}, {Kind: turn.Prompt, Prompt: turn.Words, Turn: "n", PromptHash: "n"}} {
		name := map[turn.Kind]string{turn.Stop: "Stop", turn.Prompt: "UserPromptSubmit"}[ev.Kind]
		all += string(agent.Render(agent.Claude, name, w.deliver("mine", ev)))
	}
	if !strings.Contains(all, "could not record") {
		t.Errorf("the host was told %s", all)
	}
}

func TestADroppedStaleAnswerIsNotRebasedOnWhatNobodyWasShown(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("mine")
	w.drop("mine", north(id, "Mine"))
	w.recorded(north(w.prompt("theirs"), "Theirs"))
	w.stop("mine")
	var stale *StaleError
	if a, err := w.reconcile(north(id, "Mine")); !errors.As(err, &stale) {
		t.Errorf("%+v, %v: replaced Theirs, which this task never saw", a, err)
	}
}

func TestAnAnswerAfterThePinMovedIsRecordedOrRefusedAndNotCalledAnswered(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	id := w.prompt("one")
	if _, err := w.desk.Own(t.Context(), "spike", w.session("one")); err != nil {
		t.Fatal(err)
	}
	if a, err := w.reconcile(north(id, "Spike it")); err == nil && a.Outcome != Recorded {
		t.Errorf("%+v: nobody answered it", a)
	}
}

func TestInitFromTaskCarriesTheRoadOverInAFolderAsWell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "directory")
	w.recorded(north(w.prompt("one"), "Private North"))
	m, err := w.desk.Init(t.Context(), InitOptions{FromTask: true, Session: w.session("one")})
	if err != nil || m.North != "Private North" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestARepeatOfARefusedAnswerIsSpooledOnce(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	w.freeze()
	for range 3 {
		w.reconcile(north(id, "Ship it"))
	}
	if items, err := w.desk.Home.SpoolList(); err != nil || len(items) != 1 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestAFirstNorthThatIsNotKnownIsNotInvented(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	store := w.elsewhere().Store
	for _, n := range []string{"First", "Second"} {
		if err := move(t.Context(), store, n); err != nil {
			t.Fatal(err)
		}
	}
	v := w.view()
	v.FirstNorth, v.FirstUnknown = "", true // as the walk leaves it where it ran out of time or span
	if err := w.desk.Home.SaveView(w.place(), v); err != nil {
		t.Fatal(err)
	}
	if err := move(t.Context(), store, "Third"); err != nil {
		t.Fatal(err)
	}
	if v := w.view(); v.FirstNorth != "" || !v.FirstUnknown {
		t.Errorf("first North %q", v.FirstNorth)
	}
}

func TestADroppedAnswerBearsTheTimeItWasGiven(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	w.drop("one", north(w.prompt("one"), "Ship it"))
	given := w.clock.Load()
	w.clock.Add(60 * 24)
	w.stop("one")
	if at := w.tip().Event.Time; at.After(w.now().AddDate(0, 0, -1)) {
		t.Errorf("recorded as of %s, given in minute %d", at, given)
	}
}

var _ bundle.Field
