package turn

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestATaskThatCameBeforeIsToldOnceAndOnlyWhereItIsHeard(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	h := Health{Healthy: true, Trusted: true, Named: true, Tip: "t1", CameBefore: "0123456789ab"}
	clear := Event{Kind: SessionStart, Source: Clear, At: now}
	s, out := Step(State{}, clear, h)
	if !out.Before {
		t.Error("a session after a clear is not told")
	}
	if _, out = Step(s, Event{Kind: Prompt, Prompt: Words, PromptHash: "a", At: now.Add(time.Hour)}, h); out.Before {
		t.Error("it is told at the prompt as well")
	}
	clear.At = now.Add(time.Hour)
	if _, out = Step(s, clear, h); out.Before {
		t.Error("it is told twice")
	}

	deaf := Event{Kind: SessionStart, Source: Clear, Deaf: true, At: now}
	s, out = Step(State{}, deaf, h)
	if out.Before || s.Which != h.CameBefore {
		t.Errorf("where nobody hears: said %v, remembered %q", out.Before, s.Which)
	}
	s, out = Step(s, Event{Kind: Prompt, Prompt: Words, PromptHash: "a", At: now}, h)
	if !out.Before || s.Which != "" {
		t.Error("the prompt after it does not tell it")
	}

	for name, e := range map[string]Event{
		"a child":      {Kind: SessionStart, Source: Clear, Child: true, At: now},
		"a resume":     {Kind: SessionStart, Source: Resume, At: now},
		"a compaction": {Kind: SessionStart, Source: Compact, At: now},
		"a prompt":     {Kind: Prompt, Prompt: Words, PromptHash: "a", At: now},
	} {
		if _, out := Step(State{}, e, h); out.Before {
			t.Errorf("%s is told", name)
		}
	}
	h.CameBefore = ""
	if _, out := Step(State{}, clear, h); out.Before {
		t.Error("nobody came before, and it is told")
	}
	// A place without a bundle has a task before too.
	if _, out := Step(State{}, clear, Health{CameBefore: "x"}); !out.Before || out.Orientation != NoOrientation {
		t.Error("a place without a bundle is silent")
	}
}

func TestWhateverHappensTheTaskBeforeIsToldAtMostOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		told := 0
		now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		for i := range rapid.IntRange(1, 30).Draw(t, "events") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "pause"))
			e, h := drawEvent(t, now, "r"+string(rune('A'+i))), drawHealth(t)
			e.Deaf = rapid.Bool().Draw(t, "deaf")
			h.CameBefore = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "before")
			var out Outcome
			if s, out = Step(s, e, h); out.Before {
				told++
				if e.Child || e.Kind == SessionStart && e.Deaf || h.CameBefore == "" {
					t.Fatalf("told at %+v", e)
				}
			}
			if told > 1 {
				t.Fatal("told twice")
			}
		}
	})
}
