package turn

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestPromptOpensAReviewThatExpectsThePresentFields(t *testing.T) {
	k := newTask(t)
	expect(t, k.at(words("1")), askFull)
	r := k.state.Review
	if r.ID != "r1" || r.Turn != "1" || r.Status != Pending || r.BaseTip != "t1" || r.Fields["rail.north"] != "n1" || !r.OpenedAt.Equal(k.now) {
		t.Errorf("review is %+v", r)
	}
	k.health.Fields["rail.north"] = "changed by the caller"
	if r.Fields["rail.north"] != "n1" {
		t.Error("the review shares its fields with the caller")
	}
}

func TestReviewLineIsInFullAtTheFirstPromptOfAContextAndShortAfterThat(t *testing.T) {
	k := newTask(t)
	k.at(start(Startup))
	expect(t, k.later(words("1")), askFull)
	expect(t, k.later(words("2")), askBrief)
	k.later(start(Resume))
	expect(t, k.later(words("3")), askBrief)
	for i, source := range []Source{Compact, Clear, Fork, Startup} {
		k.later(start(source))
		expect(t, k.later(words(fmt.Sprint("a", i))), askFull)
		expect(t, k.later(words(fmt.Sprint("b", i))), askBrief)
	}
}

func TestSteeringPromptKeepsThePendingReviewAndSaysNothingNew(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	steering := words("1")
	steering.PromptHash = "other words"
	expect(t, k.later(steering), silence)
	expect(t, k.later(Event{Kind: Prompt, Prompt: Empty, Turn: "1"}), silence)
	if k.state.Review.ID != "r1" {
		t.Errorf("review is %+v", k.state.Review)
	}
}

func TestSteeringPromptAfterTheAnswerOpensANewReview(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.state = k.state.Complete()
	steering := words("1")
	steering.PromptHash = "other words"
	expect(t, k.later(steering), askBrief)
}

func TestNotificationKeepsThePendingReview(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.later(Event{Kind: Stop, Background: true})
	expect(t, k.later(notification("2")), silence)
	expect(t, k.later(stop()), blocked)
	expect(t, k.later(notification("3")), silence)
	expect(t, k.later(stop()), silence)
}

// The result of background work starts a turn like any other, and may well be
// what changed reality.
func TestNotificationWithoutAPendingReviewOpensOne(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.state = k.state.Complete()
	expect(t, k.later(notification("2")), askBrief)
	expect(t, k.later(stop()), blocked)
}

func TestEchoOfOurOwnReasonAndEmptyPromptsOpenNoReview(t *testing.T) {
	for _, class := range []PromptClass{Echo, Empty} {
		k := newTask(t)
		expect(t, k.at(Event{Kind: Prompt, Prompt: class, Turn: "1"}), silence)
		k.later(words("2"))
		k.later(stop())
		expect(t, k.later(Event{Kind: Prompt, Prompt: class, Turn: "3"}), silence)
		if !k.state.pending() || k.state.Review.ID != "r2" {
			t.Errorf("review is %+v", k.state.Review)
		}
		expect(t, k.later(stop()), silence)
	}
}

// A compaction in the middle of a turn takes the command of its review out of
// the context; the next prompt of the turn gives it back.
func TestKeptReviewIsPutInFullAgainInANewContext(t *testing.T) {
	for _, e := range []Event{words("1"), notification("2")} {
		k := newTask(t)
		k.at(words("1"))
		k.later(start(Compact))
		expect(t, k.later(e), Outcome{ReviewLine: LineInFull})
		expect(t, k.later(e), silence)
		if k.state.Review.ID != "r1" {
			t.Errorf("review is %+v", k.state.Review)
		}
	}
}

func TestOlderPendingReviewBecomesAnAliasOfTheNewerOne(t *testing.T) {
	k := newTask(t)
	for i := range MaxAliases + 3 {
		k.later(words(fmt.Sprint(i)))
	}
	want := []string{"r10", "r9", "r8", "r7", "r6", "r5", "r4", "r3"}
	if r := k.state.Review; r.ID != "r11" || !slices.Equal(r.Aliases, want) {
		t.Errorf("review is %+v", r)
	}
	for id, standing := range map[string]Standing{"r11": Open, "r10": Open, "r3": Open, "r2": Unknown, "": Unknown} {
		if got := k.state.Resolve(id); got != standing {
			t.Errorf("%q is %s", id, got)
		}
	}
}

func TestCompletedReviewKeepsItsOwnMeaning(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.later(words("2"))
	k.state = k.state.Complete()
	for _, id := range []string{"r1", "r2"} {
		if got := k.state.Resolve(id); got != Recorded {
			t.Errorf("%s is %s", id, got)
		}
	}
	k.later(words("3"))
	for id, standing := range map[string]Standing{"r1": Recorded, "r2": Recorded, "r3": Open} {
		if got := k.state.Resolve(id); got != standing {
			t.Errorf("%s is %s", id, got)
		}
	}
	for i := range 2 * MaxDone {
		k.state = k.state.Complete()
		k.later(words(fmt.Sprint("more", i)))
	}
	if len(k.state.Done) != MaxDone {
		t.Errorf("%d completed reviews are remembered", len(k.state.Done))
	}
}

func TestStopBlocksOnceForASkippedReview(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	expect(t, k.later(stop()), blocked)
	for range 100 {
		expect(t, k.later(stop()), silence)
	}
	k.later(words("2"))
	expect(t, k.later(stop()), blocked)
}

func TestStopsThatNobodyAnswersComeToAnEnd(t *testing.T) {
	k := newTask(t)
	held := func(turns int) (n int) {
		for i := range turns { // a client that sends the reason back as somebody's words, say
			k.later(words(fmt.Sprint(i, k.now)))
			if out := k.later(stop()); out.Block {
				n++
			}
		}
		return n
	}
	if n := held(100); n != MaxStops {
		t.Errorf("held up %d times", n)
	}
	k.state = k.state.Complete()
	if n := held(100); n != MaxStops {
		t.Errorf("after an answer held up %d times", n)
	}
}

func TestStopBlocksOnceForTheTaskWhileNoNorthIsNamed(t *testing.T) {
	k := newTask(t)
	k.health.Named = false
	k.at(words("1"))
	expect(t, k.later(stop()), blocked)
	k.later(start(Compact))
	k.later(words("2"))
	expect(t, k.later(stop()), silence)
	k.health.Named = true
	expect(t, k.later(stop()), blocked)
}

func TestStopNeverBlocksWhereItWouldBeWrong(t *testing.T) {
	cases := map[string]struct {
		event  Event
		change func(*task)
	}{
		"child":              {event: Event{Kind: Stop, Child: true}},
		"stop hook active":   {event: Event{Kind: Stop, StopActive: true}},
		"plan mode":          {event: Event{Kind: Stop, Plan: true}},
		"background work":    {event: Event{Kind: Stop, Background: true}},
		"empty answer":       {event: Event{Kind: Stop, EmptyAnswer: true}},
		"unattended":         {event: Event{Kind: Stop, Unattended: true}},
		"frozen":             {event: stop(), change: func(k *task) { k.health.Frozen, k.state.Warned = "x", []string{"x"} }},
		"unhealthy":          {event: stop(), change: func(k *task) { k.health.Healthy = false }},
		"nothing known":      {event: stop(), change: func(k *task) { k.health = Health{} }},
		"review done":        {event: stop(), change: func(k *task) { k.state = k.state.Complete() }},
		"no review":          {event: stop(), change: func(k *task) { k.state.Review = nil }},
		"stop of a child":    {event: Event{Kind: ChildStop}},
		"session end":        {event: moment(SessionEnd)},
		"an unknown event":   {event: moment("something new")},
		"the unnamed stop":   {event: stop(), change: func(k *task) { k.health.Named, k.state.StoppedUnnamed = false, true }},
		"blocked already":    {event: stop(), change: func(k *task) { k.at(stop()) }},
		"superseded by echo": {event: stop(), change: func(k *task) { k.at(stop()); k.at(Event{Kind: Prompt, Prompt: Echo, Turn: "2"}) }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := newTask(t)
			k.at(words("1"))
			if c.change != nil {
				c.change(k)
			}
			expect(t, k.later(c.event), silence)
		})
	}
}

func TestInterruptedTurnIsSupersededByTheNextPrompt(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	expect(t, k.later(words("2")), askBrief)
	expect(t, k.later(stop()), blocked)
	expect(t, k.later(stop()), silence)
}

func TestFrozenBundleIsWarnedOfOncePerCauseAndAsksNothing(t *testing.T) {
	k := newTask(t)
	k.health.Frozen = "first cause"
	warned := Outcome{WarnFrozen: true}
	expect(t, k.at(start(Startup)), warned)
	expect(t, k.later(words("1")), silence)
	k.health.Frozen = "second cause"
	expect(t, k.later(words("2")), warned)
	expect(t, k.later(stop()), silence)
	k.health.Frozen = "first cause"
	expect(t, k.later(words("3")), silence)
	if k.state.Review != nil {
		t.Errorf("review is %+v", k.state.Review)
	}
	k.health.Frozen = "third cause"
	expect(t, k.later(stop()), warned)
}

func TestChildNeverWritesAndNeverGetsAReview(t *testing.T) {
	for _, kind := range []Kind{SessionStart, Prompt, PreCompact, PostCompact, Stop, ChildStop, SessionEnd, Other} {
		k := newTask(t)
		k.health.OpenLoop = true
		k.at(words("1"))
		if out := k.later(Event{Kind: kind, Child: true, Turn: "2"}); out.speaks() || out.Write || out.Drain || out.Checkpoint {
			t.Errorf("%s: %+v", kind, out)
		}
	}
}

func TestChildStartSaysTheOrientationReadOnly(t *testing.T) {
	k := newTask(t)
	begins := Event{Kind: ChildStart, Child: true}
	expect(t, k.at(begins), Outcome{Orientation: ReadOnlyOrientation})
	k.health.Default = true
	expect(t, k.at(begins), silence)
	k.health.Default, k.health.Trusted = false, false
	expect(t, k.at(begins), silence)
	k.health.Trusted, k.health.Frozen = true, "broken"
	expect(t, k.at(begins), silence)
}

func TestPromptWithoutAnIdForItsReviewOpensNone(t *testing.T) {
	next, out := Step(State{}, Event{Kind: Prompt, At: time.Now()}, newTask(t).health)
	if out.ReviewLine != NoLine || next.Review != nil {
		t.Errorf("%+v", out)
	}
}

// What was recorded under an alias lies above the revision that the oldest of
// the replaced reviews began at.
func TestReviewRemembersWhereTheOldestItStandsForBegan(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	for i, tip := range []string{"t2", "t3"} {
		k.health.Tip = tip
		k.later(words(fmt.Sprint(i + 2)))
		if r := k.state.Review; r.BaseTip != tip || r.Begun() != "t1" {
			t.Errorf("review is %+v", r)
		}
	}
	k.state = k.state.Complete()
	k.later(words("4"))
	if r := k.state.Review; r.Begun() != "t3" {
		t.Errorf("review is %+v", r)
	}
}

func TestReviewOfATurnThatBeganUnattendedNeverBlocks(t *testing.T) {
	k := newTask(t)
	headless := words("t1")
	headless.Unattended = true // a stop far from the turn's beginning may not know it
	k.at(headless)
	expect(t, k.later(stop()), silence)
	k.later(words("t2"))
	expect(t, k.later(stop()), blocked)
}
