package work

import (
	"os"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

func TestDroppedAnswersAreRecordedInOrderAndOnce(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		first := w.drop("one", north(w.prompt("one"), "First"))
		data, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		second := w.drop("two", now(w.prompt("two"), "Second"))
		if got := w.reasons(); len(got) != 0 {
			t.Fatalf("recorded before a hook ran: %q", got)
		}
		if said := w.stop("one"); said.Block != "" {
			t.Errorf("an answered review held the stop up: %s", said.Block)
		}
		w.stop("two")
		if got := w.reasons(); !slices.Equal(got, []string{"First", "Second"}) {
			t.Errorf("history %q", got)
		}
		for _, path := range []string{first, second} {
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s is still there", path)
			}
		}
		// The hook died before it removed what it had recorded.
		if err := os.WriteFile(first, data, 0o600); err != nil {
			t.Fatal(err)
		}
		w.prompt("one")
		if _, err := os.Lstat(first); err == nil {
			t.Error("the leftover is still there")
		}
		if got := w.reasons(); !slices.Equal(got, []string{"First", "Second"}) {
			t.Errorf("history %q", got)
		}
	})
}

func TestADropThatAKilledHookRecordedIsNotRecordedAgain(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		path := w.drop("one", north(w.prompt("one"), "Ship it"))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.forget("one", func() { w.stop("one") })
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if said := w.stop("one"); said.Block != "" {
			t.Errorf("an answered review held the stop up: %s", said.Block)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Ship it"}) {
			t.Errorf("history %q", got)
		}
	})
}

func TestADroppedBareAnswerCompletesTheReview(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	w.drop("one", Request{Review: w.prompt("one")})
	if said := w.stop("one"); said.Block != "" {
		t.Errorf("an answered review held the stop up: %s", said.Block)
	}
	if w.receipt("one").Turn.Review.Status != turn.Done || len(w.reasons()) != 0 {
		t.Error("the review is open, or something was written")
	}
}

func TestADroppedAnswerThatCannotBeRecordedIsSpooledAndToldAtAPrompt(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("mine")
	path := w.drop("mine", north(id, "Mine"))
	w.recorded(north(w.prompt("theirs"), "Theirs"))
	said := w.deliver("mine", turn.Event{Kind: turn.Prompt, Prompt: turn.Words, Turn: "next", PromptHash: "next"})
	items, err := w.desk.Home.SpoolList()
	if err != nil || len(items) != 1 {
		t.Fatalf("spool %v, %v", items, err)
	}
	if !strings.Contains(said.Context, items[0].Path) || !strings.Contains(said.Context, "could not record") {
		t.Errorf("said %q", said.Context)
	}
	if data, err := w.desk.Home.SpoolRead(items[0]); err != nil || !strings.Contains(string(data), "Mine") {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the item waits in the drop box as well")
	}
	if got := w.tip().State.Rail.North; got != "Theirs" {
		t.Errorf("North %q", got)
	}
}

func TestAnItemOfAnotherVersionIsLeftForIt(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	item, err := newDrop(w.now(), w.key("one"), "of a later version", dropped{Review: id, Reason: "x"})
	if err != nil {
		t.Fatal(err)
	}
	path, err := task.PutDrop(t.Context(), w.desk.Env, item)
	if err != nil {
		t.Fatal(err)
	}
	w.drop("one", north(id, "Ship it"))
	w.stop("one")
	if got := w.reasons(); !slices.Equal(got, []string{"Ship it"}) {
		t.Errorf("history %q", got)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}

func TestADropIsHeldAgainstEveryRuleBeforeItIsLeft(t *testing.T) {
	t.Parallel()
	w := newProject(t, "directory")
	id := w.prompt("one")
	w.recorded(north(w.prompt("two"), "Theirs"))
	receipt := w.receipt("one")
	q, _, err := asks(receipt, id)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Request{
		"stale":         north(id, "Mine"),
		"a broken rule": {Review: id, Reason: "x", Short: bundle.Short{Answer: []string{"nobody"}}},
	} {
		if a, err := w.desk.drop(t.Context(), receipt.TaskKey, receipt, q, r, change{Short: r.Short}); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	// What a stale answer was shown is remembered, so that it can be given again.
	w.drop("one", north(id, "Mine"))
	w.stop("one")
	if got := w.reasons(); !slices.Equal(got, []string{"Theirs", "Mine"}) {
		t.Errorf("history %q", got)
	}
}
