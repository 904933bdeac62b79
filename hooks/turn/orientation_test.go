package turn

import (
	"reflect"
	"testing"
	"time"
)

func TestSessionStartSaysTheOrientation(t *testing.T) {
	for _, source := range []Source{Startup, Clear, Fork, ""} {
		expect(t, newTask(t).at(start(source)), full)
	}
}

func TestResumeSaysOnlyWhatChangedSinceItWasLastSaid(t *testing.T) {
	k := newTask(t)
	expect(t, k.at(start(Startup)), full)
	expect(t, k.later(start(Resume)), silence)

	k.health.Tip, k.health.Fields = "t2", map[string]string{"rail.north": "n2", "rail.next": "x", "compass.heading": "h1"}
	expect(t, k.later(start(Resume)), Outcome{Orientation: ChangedOrientation, Changed: []string{"rail.next", "rail.north"}})
	expect(t, k.later(start(Resume)), silence)

	delete(k.health.Fields, "rail.next")
	expect(t, k.later(start(Resume)), Outcome{Orientation: ChangedOrientation, Changed: []string{"rail.next"}})
}

func TestResumeSaysAllOfAnOrientationThatWasNeverSaid(t *testing.T) {
	k := newTask(t)
	k.health.Default = true
	expect(t, k.at(start(Startup)), silence)
	k.health.Default = false
	expect(t, k.later(start(Resume)), full)
}

func TestOrientationIsSilentInTheDefaultStateAndTheReviewLineIsNot(t *testing.T) {
	k := newTask(t)
	k.health.Default, k.health.Named = true, false
	for _, source := range []Source{Startup, Resume, Clear, Fork} {
		expect(t, k.later(start(source)), silence)
	}
	expect(t, k.later(words("1")), askFull)
}

func TestAStartThatHasNothingToSayLeavesNoTrace(t *testing.T) {
	k := newTask(t)
	k.health.Default = true
	if out := k.at(start(Startup)); out.Write || !reflect.DeepEqual(k.state, State{}) {
		t.Errorf("state is %+v", k.state)
	}
}

func TestUntrustedBundleIsNamedWithoutAWordOfIt(t *testing.T) {
	k := newTask(t)
	k.health.Trusted = false
	expect(t, k.at(start(Startup)), Outcome{Orientation: UntrustedLine})
	k.health.Fields["rail.north"] = "n2"
	expect(t, k.later(start(Resume)), silence)
	expect(t, k.later(words("1")), askFull)

	expect(t, k.later(start(Compact)), Outcome{Orientation: UntrustedLine})

	k.health.Trusted = true
	expect(t, k.later(start(Resume)), full)
	k.health.Trusted = false
	expect(t, k.later(start(Resume)), Outcome{Orientation: UntrustedLine})
}

func TestOrientationComesOnceAfterACompaction(t *testing.T) {
	compact := start(Compact)
	orders := map[string]struct {
		events []Event
		says   int // the event that says the orientation
	}{
		"before, start, after, prompt":   {[]Event{moment(PreCompact), compact, moment(PostCompact), words("2")}, 1},
		"before, after, start, prompt":   {[]Event{moment(PreCompact), moment(PostCompact), compact, words("2")}, 2},
		"before, after, prompt":          {[]Event{moment(PreCompact), moment(PostCompact), words("2")}, 2},
		"before, after, prompt, start":   {[]Event{moment(PreCompact), moment(PostCompact), words("2"), compact}, 2},
		"before, prompt":                 {[]Event{moment(PreCompact), words("2")}, 1},
		"after, prompt":                  {[]Event{moment(PostCompact), words("2")}, 1},
		"start, after, prompt":           {[]Event{compact, moment(PostCompact), words("2")}, 0},
		"start, prompt":                  {[]Event{compact, words("2")}, 0},
		"before, after, resume, start":   {[]Event{moment(PreCompact), moment(PostCompact), start(Resume), compact, words("2")}, 3},
		"before, start, start, prompt":   {[]Event{moment(PreCompact), compact, compact, words("2")}, 1},
		"before, empty prompt, prompt":   {[]Event{moment(PreCompact), {Kind: Prompt, Prompt: Empty}, words("2")}, 2},
		"before, child, start, prompt":   {[]Event{moment(PreCompact), {Kind: ChildStop, Child: true}, compact, words("2")}, 2},
		"before, notification, prompt":   {[]Event{moment(PreCompact), notification("2"), words("3")}, 1},
		"before, steering prompt, start": {[]Event{moment(PreCompact), words("1"), compact, words("2")}, 1},
	}
	for name, order := range orders {
		for _, gap := range []time.Duration{0, 20 * time.Second} {
			t.Run(name+" "+gap.String(), func(t *testing.T) {
				k := newTask(t)
				k.at(start(Startup))
				k.later(words("1"))
				k.now = k.now.Add(time.Hour)
				for i, e := range order.events {
					out := k.at(e)
					if says := out.Orientation == FullOrientation && out.AfterCompaction; says != (i == order.says) {
						t.Errorf("event %d (%s): %+v", i, e.Kind, out)
					}
					if i != order.says && out.Orientation != NoOrientation {
						t.Errorf("event %d (%s): %+v", i, e.Kind, out)
					}
					k.now = k.now.Add(gap)
				}
			})
		}
	}
}

func TestEveryCompactionOwesItsOwnOrientation(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	for range 3 {
		expect(t, k.later(moment(PreCompact)), silence)
		expect(t, k.at(start(Compact)), regained)
		expect(t, k.at(moment(PostCompact)), silence)
	}
	// A client that reports nothing but the start gets it too.
	k.now = k.now.Add(time.Hour)
	expect(t, k.at(start(Compact)), regained)
}

func TestPromptThatPaysForACompactionIsTheFirstOfItsContext(t *testing.T) {
	k := newTask(t)
	k.at(start(Startup))
	k.later(words("1"))
	k.later(moment(PreCompact))
	want := regained
	want.ReviewLine, want.OpenedReview = LineInFull, true
	expect(t, k.later(words("2")), want)
	expect(t, k.later(words("3")), askBrief)
	expect(t, k.later(start(Resume)), silence)
}

func TestWhatIsOwedWaitsForAHealthyBundle(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.health.Healthy = false
	expect(t, k.later(start(Compact)), silence)
	expect(t, k.later(words("2")), silence)
	k.health.Healthy = true
	expect(t, k.later(words("3")), Outcome{Orientation: FullOrientation, AfterCompaction: true, ReviewLine: LineInFull, OpenedReview: true})
	expect(t, k.later(words("4")), askBrief)
}

func TestCompactionInTheDefaultStateStillAsksForWhatWasCaptured(t *testing.T) {
	k := newTask(t)
	k.health.Default = true
	k.at(words("1"))
	expect(t, k.later(start(Compact)), Outcome{AfterCompaction: true})
	expect(t, k.later(words("2")), askFull)
}

func TestANewContextForgivesWhatTheOldOneWasOwed(t *testing.T) {
	k := newTask(t)
	k.at(words("1"))
	k.later(moment(PreCompact))
	expect(t, k.later(start(Clear)), full)
	expect(t, k.later(words("2")), askFull)
}

func TestBeforeCompactionAfterItAndAtTheEndNothingIsSaid(t *testing.T) {
	k := newTask(t)
	k.health.OpenLoop = true
	k.at(words("1"))
	for _, kind := range []Kind{PreCompact, PostCompact, SessionEnd, ChildStop, Other} {
		if out := k.later(moment(kind)); out.speaks() {
			t.Errorf("%s: %+v", kind, out)
		}
	}
}

func TestCheckpointOnlyWithAnOpenLoop(t *testing.T) {
	for _, kind := range []Kind{PreCompact, SessionEnd} {
		k := newTask(t)
		if k.at(moment(kind)).Checkpoint {
			t.Errorf("%s: a checkpoint of nothing", kind)
		}
		k.health.OpenLoop = true
		if !k.later(moment(kind)).Checkpoint {
			t.Errorf("%s: no checkpoint", kind)
		}
		k.health.Frozen = "broken"
		if k.later(moment(kind)).Checkpoint {
			t.Errorf("%s: a checkpoint in a frozen bundle", kind)
		}
	}
}

func TestWhatTheDropBoxHoldsIsRecordedByTheNextRootEvent(t *testing.T) {
	for _, kind := range []Kind{SessionStart, Prompt, PreCompact, Stop, SessionEnd} {
		if !newTask(t).at(moment(kind)).Drain {
			t.Errorf("%s does not record it", kind)
		}
		if newTask(t).at(Event{Kind: kind, Child: true}).Drain {
			t.Errorf("%s of a child records it", kind)
		}
		k := newTask(t)
		k.health.Frozen = "broken"
		if k.at(moment(kind)).Drain {
			t.Errorf("%s records into a frozen bundle", kind)
		}
	}
}
