package turn

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawEvent draws events alike enough that repeats, steering and late starts
// happen.
func drawEvent(t *rapid.T, now time.Time, id string) Event {
	return Event{
		Kind: rapid.SampledFrom([]Kind{
			SessionStart, Prompt, Prompt, Prompt, PreCompact, PostCompact, Stop, Stop, Stop, ChildStart, ChildStop, SessionEnd, Other,
		}).Draw(t, "kind"),
		Source:      rapid.SampledFrom([]Source{Startup, Resume, Clear, Compact, Fork, ""}).Draw(t, "source"),
		Child:       rapid.IntRange(0, 9).Draw(t, "child") == 0,
		Turn:        rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "turn"),
		Prompt:      rapid.SampledFrom([]PromptClass{Words, Words, Words, Empty, Notification, Echo, ""}).Draw(t, "class"),
		PromptHash:  rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "hash"),
		StopActive:  rapid.IntRange(0, 9).Draw(t, "active") == 0,
		Plan:        rapid.IntRange(0, 9).Draw(t, "plan") == 0,
		Background:  rapid.IntRange(0, 9).Draw(t, "background") == 0,
		EmptyAnswer: rapid.IntRange(0, 9).Draw(t, "empty") == 0,
		Unattended:  rapid.IntRange(0, 9).Draw(t, "unattended") == 0,
		At:          now,
		NewReview:   id,
	}
}

func drawHealth(t *rapid.T) Health {
	return Health{
		Healthy:  rapid.IntRange(0, 9).Draw(t, "healthy") > 0,
		Frozen:   rapid.SampledFrom([]string{"", "", "", "", "cause a", "cause b"}).Draw(t, "frozen"),
		Named:    rapid.Bool().Draw(t, "named"),
		Default:  rapid.Bool().Draw(t, "default"),
		Trusted:  rapid.Bool().Draw(t, "trusted"),
		Tip:      rapid.SampledFrom([]string{"", "t1", "t2"}).Draw(t, "tip"),
		Fields:   map[string]string{"north": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "north")},
		OpenLoop: rapid.Bool().Draw(t, "loop"),
	}
}

func asJSON(t *rapid.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWhateverHappensTheRulesOfTheTurnHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			s            State
			now          = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
			blocks       = map[string]int{}
			unnamed      int
			promptSince  = true
			printed      []string // ids of the open review and those it replaced, newest first
			warned       = map[string]bool{}
			sinceContext = 0 // full lines in this context
		)
		for i := range rapid.IntRange(1, 40).Draw(t, "events") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, time.Hour}).Draw(t, "pause"))
			id := "r" + string(rune('A'+i))
			e, h := drawEvent(t, now, id), drawHealth(t)

			before, healthBefore := asJSON(t, s), asJSON(t, h)
			next, out := Step(s, e, h)
			if asJSON(t, s) != before || asJSON(t, h) != healthBefore {
				t.Fatal("Step changed its input")
			}
			next2, out2 := Step(roundTrip(t, s), e, h)
			if asJSON(t, next2) != asJSON(t, next) || !reflect.DeepEqual(out, out2) {
				t.Fatalf("Step is not the same from a receipt:\n%+v\n%+v", out, out2)
			}
			if out.Write != (asJSON(t, next) != before) {
				t.Fatalf("Write is %t", out.Write)
			}

			if e.Child && (out.Write || out.Drain || out.Checkpoint || out.ReviewLine != NoLine || out.Block) {
				t.Fatalf("a child caused %+v", out)
			}
			if !h.ok() && (out.Orientation != NoOrientation || out.ReviewLine != NoLine || out.OpenedReview || out.Drain || out.Checkpoint) {
				t.Fatalf("an unhealthy bundle caused %+v", out)
			}
			if out.WarnFrozen {
				if h.Frozen == "" || warned[h.Frozen] {
					t.Fatalf("warned of %q", h.Frozen)
				}
				warned[h.Frozen] = true
			}
			if !h.Trusted && out.Orientation != NoOrientation && out.Orientation != UntrustedLine {
				t.Fatalf("words of an untrusted bundle: %+v", out)
			}
			if h.Default && out.Orientation != NoOrientation {
				t.Fatalf("an orientation in the default state: %+v", out)
			}
			if e.Kind == PreCompact || e.Kind == PostCompact || e.Kind == SessionEnd || e.Kind == Other {
				if out.speaks() {
					t.Fatalf("%s said %+v", e.Kind, out)
				}
			}

			if out.Block {
				if e.Kind != Stop || e.Child || e.StopActive || e.Plan || e.Background || e.EmptyAnswer || e.Unattended || !h.ok() || !s.pending() {
					t.Fatalf("blocked at %+v with %+v", e, h)
				}
				if blocks[s.Review.ID]++; blocks[s.Review.ID] > 1 {
					t.Fatal("two blocks for one review")
				}
				if !promptSince {
					t.Fatal("two blocks in a row")
				}
				if !h.Named {
					if unnamed++; unnamed > 1 {
						t.Fatal("two blocks without a North")
					}
				}
				promptSince = false
			}
			if e.Kind == Prompt && !e.Child {
				promptSince = true
			}

			if out.OpenedReview {
				if next.Review.ID != id || next.Review.Status != Pending || next.Review.Blocked || out.ReviewLine == NoLine {
					t.Fatalf("opened %+v", next.Review)
				}
				if !s.pending() {
					printed = nil
				}
				printed = append([]string{id}, printed...)
			} else if s.pending() && (!next.pending() || next.Review.ID != s.Review.ID) {
				t.Fatal("a pending review got lost")
			}
			if next.pending() {
				for _, id := range printed[:min(len(printed), 1+MaxAliases)] {
					if next.Resolve(id) != Open {
						t.Fatalf("%s does not lead to the open review", id)
					}
				}
			}
			if out.ReviewLine == LineShort && sinceContext == 0 {
				t.Fatal("the short line before the one in full")
			}
			if out.ReviewLine == LineInFull {
				sinceContext++
			}
			if !next.Lined {
				sinceContext = 0
			}

			s = next
			if rapid.IntRange(0, 4).Draw(t, "answer") == 0 && s.pending() {
				s = s.Complete()
				if after, o := Step(s, Event{Kind: Stop, At: now}, Health{Healthy: true, Named: true}); o.Block || after.pending() {
					t.Fatal("blocked for an answered review")
				}
			}
		}
	})
}

func TestAnyEventDeliveredTwiceAtOnceSpeaksOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		for i := range rapid.IntRange(1, 20).Draw(t, "events") {
			// No sum of pauses lies on the border of a window, where the first
			// delivery would be inside and the second outside.
			now = now.Add(rapid.SampledFrom([]time.Duration{17 * time.Second, 41 * time.Second, time.Hour}).Draw(t, "pause"))
			e, h := drawEvent(t, now, "r"+string(rune('A'+i))), drawHealth(t)
			var out Outcome
			s, out = Step(s, e, h)
			e.At, e.NewReview = now.Add(500*time.Millisecond), "again"
			once := asJSON(t, s)
			var again Outcome
			s, again = Step(s, e, h)
			recognisable := e.Kind != Prompt || e.Turn != "" || e.PromptHash != ""
			atRoot := !e.Child && e.Kind != ChildStart // children leave no trace to recognise them by
			if recognisable && atRoot && (again.speaks() || again.Checkpoint || asJSON(t, s) != once) {
				t.Fatalf("%+v\nfirst %+v\nthen %+v", e, out, again)
			}
		}
	})
}
