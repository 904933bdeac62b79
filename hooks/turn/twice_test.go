package turn

import (
	"testing"
	"time"
)

func TestEventDeliveredTwiceHasOneEffectAndOneOutput(t *testing.T) {
	events := map[string]Event{
		"startup":                {Kind: SessionStart, Source: Startup},
		"resume":                 {Kind: SessionStart, Source: Resume},
		"clear":                  {Kind: SessionStart, Source: Clear},
		"compact":                {Kind: SessionStart, Source: Compact},
		"prompt with a turn id":  {Kind: Prompt, Turn: "2"},
		"prompt with both":       {Kind: Prompt, Turn: "2", PromptHash: "h"},
		"prompt without turn id": {Kind: Prompt, PromptHash: "h"},
		"notification":           {Kind: Prompt, Prompt: Notification, Turn: "2", PromptHash: "h"},
		"before compaction":      moment(PreCompact),
		"after compaction":       moment(PostCompact),
		"stop":                   stop(),
		"session end":            moment(SessionEnd),
	}
	for name, e := range events {
		for _, unlike := range []string{"", "default", "untrusted", "unnamed", "frozen"} {
			t.Run(name+" "+unlike, func(t *testing.T) {
				k := newTask(t)
				k.health.OpenLoop = true
				k.at(words("1"))
				k.health.Default = unlike == "default"
				k.health.Trusted = unlike != "untrusted"
				k.health.Named = unlike != "unnamed"
				if unlike == "frozen" {
					k.health.Frozen = "cause"
				}
				k.later(e)
				k.now = k.now.Add(time.Second)
				again := k.at(e)
				if again.speaks() || again.Write || again.Checkpoint {
					t.Errorf("the second delivery: %+v", again)
				}
			})
		}
	}
}

func TestSameWordsAMinuteLaterAreANewPrompt(t *testing.T) {
	k := newTask(t)
	again := Event{Kind: Prompt, PromptHash: "go on"}
	k.at(again)
	expect(t, k.later(again), askBrief)
}

func TestPromptsThatNothingTellsApartAreEachTakenAsNew(t *testing.T) {
	k := newTask(t)
	k.at(moment(Prompt))
	expect(t, k.at(moment(Prompt)), askBrief)
}

func TestSameStartAtAnotherTipOrLaterIsANewStart(t *testing.T) {
	k := newTask(t)
	expect(t, k.at(start(Startup)), full)
	k.health.Tip = "t2"
	expect(t, k.at(start(Startup)), full)
	expect(t, k.later(start(Startup)), full)
}
