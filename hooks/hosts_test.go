package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// moment is the host's name of an event that means a moment, "" for none.
func moment(t *testing.T, h agent.Host, kind turn.Kind) string {
	t.Helper()
	for _, name := range h.Events() {
		p, err := agent.ParseEvent(h, name, strings.NewReader(eventPayload(h, name)), func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		if p.Event.Kind == kind {
			return name
		}
	}
	return ""
}

// eventPayload is the least that a host says of an event.
func eventPayload(h agent.Host, name string) string {
	p := map[string]any{"session_id": sessionID, "trigger": "manual"}
	if len(h.Arguments(name)) == 1 {
		p["hook_event_name"] = name
	}
	data, _ := json.Marshal(p) // strings always encode
	return string(data)
}

// everyHost runs a test once for each host, in a scene of its own.
func everyHost(t *testing.T, test func(s *scene, send func(turn.Event) string)) {
	t.Parallel()
	for _, h := range agent.Hosts() {
		t.Run(string(h), func(t *testing.T) {
			s := newScene(t)
			test(s, func(ev turn.Event) string {
				s.Helper()
				name := moment(t, h, ev.Kind)
				if name == "" {
					return ""
				}
				said, err := s.engine.Deliver(s.Context(), agent.Payload{EventName: name, Host: h, Event: ev, SessionID: sessionID, CWD: s.cwd})
				if err != nil {
					s.Fatalf("%s: %v", name, err)
				}
				out := agent.Render(h, name, said)
				if err := agent.Accepts(h, name, out); err != nil {
					s.Errorf("%s: %v\n%s", name, err, out)
				}
				return string(out)
			})
		})
	}
}

func TestEveryHostIsOrientedAskedAndStoppedOnce(t *testing.T) {
	everyHost(t, func(s *scene, send func(turn.Event) string) {
		s.want("the start", send(turn.Event{Kind: turn.SessionStart}), "North: Ship it")
		s.want("the prompt", send(prompt("p1")), "chatrail reconcile ")
		stop := turn.Event{Kind: turn.Stop}
		for _, quiet := range []turn.Event{
			{Kind: turn.Stop, Unattended: true}, {Kind: turn.Stop, EmptyAnswer: true}, {Kind: turn.Stop, StopActive: true}, {Kind: turn.Stop, Child: true},
		} {
			if out := send(quiet); out != "" {
				s.Errorf("%+v: %s", quiet, out)
			}
		}
		s.want("the stop", send(stop), agent.BlockPrefix, "chatrail reconcile ")
		for _, quiet := range []turn.Event{
			{Kind: turn.Prompt, Prompt: turn.Echo, Turn: "p2", PromptHash: "p2"}, {Kind: turn.Stop, StopActive: true}, stop,
			{Kind: turn.SessionStart, Source: turn.Resume}, {Kind: turn.SessionEnd},
		} {
			if out := send(quiet); out != "" {
				s.Errorf("%+v: %s", quiet, out)
			}
		}
	})
}

func TestChildOfEveryHostWritesNothing(t *testing.T) {
	everyHost(t, func(s *scene, send func(turn.Event) string) {
		send(prompt("p1"))
		files, receipt := s.state(), s.receipt()
		if out := send(turn.Event{Kind: turn.ChildStart, Child: true}); out != "" {
			s.want("the start", out, "read-only", "North: Ship it")
		}
		for _, kind := range []turn.Kind{turn.Prompt, turn.Stop, turn.PreCompact, turn.ChildStop, turn.SessionEnd} {
			if out := send(turn.Event{Kind: kind, Child: true, Prompt: turn.Words, PromptHash: "x"}); out != "" {
				s.Errorf("%s: %s", kind, out)
			}
		}
		if now := s.receipt(); !slices.Equal(files, s.state()) || now.Turn.Review.ID != receipt.Turn.Review.ID {
			s.Errorf("a child wrote: %q, %q", files, s.state())
		}
	})
}

func TestEveryHostHearsOnceThatItsBundleIsFrozen(t *testing.T) {
	everyHost(t, func(s *scene, send func(turn.Event) string) {
		warned := 0
		send(prompt("p0"))
		s.store.view = task.View{Frozen: "the history ends early"}
		// Found at a stop, it is told where it is heard.
		for _, ev := range []turn.Event{{Kind: turn.Stop}, {Kind: turn.PreCompact}, {Kind: turn.SessionStart}, prompt("p1"), {Kind: turn.Stop}, prompt("p2")} {
			out := send(ev)
			warned += strings.Count(out, "the history ends early")
			if strings.Contains(out, "reconcile") || strings.Contains(out, "block") {
				s.Errorf("%s: %s", ev.Kind, out)
			}
		}
		if warned != 1 {
			s.Errorf("warned %d times", warned)
		}
	})
}

func TestContextAtAnEventThatReachesNobodyIsSaidAtThePrompt(t *testing.T) {
	s := newScene(t)
	deaf := turn.Event{Kind: turn.SessionStart, Source: turn.Clear, Deaf: true}
	if said := s.send(deaf); said.Context != "" {
		s.Errorf("said to nobody: %q", said.Context)
	}
	if said := s.send(turn.Event{Kind: turn.Prompt, Prompt: turn.Empty}); said.Context != "" {
		s.Errorf("an empty prompt: %q", said.Context)
	}
	said := s.send(prompt("p1"))
	s.want("the prompt", said.Context, "North: Ship it", "chatrail reconcile ")
	if strings.Contains(said.Context, "compaction") {
		s.Errorf("nothing was compacted: %q", said.Context)
	}
	if said := s.send(prompt("p2")); strings.Contains(said.Context, "Ship it") {
		s.Errorf("said twice: %q", said.Context)
	}
}

func TestSummaryNotSeenBeforeIsACompaction(t *testing.T) {
	s := newScene(t)
	s.store.lost = Loop{Open: true, State: "one changed path"}
	from := func(name, summary string) agent.Words {
		ev := prompt(name)
		ev.Summary = summary
		return s.send(ev)
	}
	s.start(turn.Startup)
	for _, name := range []string{"p1", "p2"} {
		if said := from(name, ""); strings.Contains(said.Context, "Ship it") {
			s.Errorf("no summary: %q", said.Context)
		}
	}
	if slices.Contains(s.store.calls, "loop") {
		s.Errorf("looked for what is lost: %q", s.store.calls)
	}
	s.want("after a summary", from("p3", "a").Context, "North: Ship it", "checkpoint --file -", "1 changed path")
	if n := slices.Index(s.store.calls, "capture"); n < 0 {
		s.Errorf("no checkpoint: %q", s.store.calls)
	}
	for name, summary := range map[string]string{"p4": "a", "p5": "", "p6": "a"} {
		if said := from(name, summary); strings.Contains(said.Context, "Ship it") {
			s.Errorf("%s: said again: %q", name, said.Context)
		}
	}
	if said := s.send(turn.Event{Kind: turn.SessionStart, Source: turn.Resume, Summary: "a"}); said.Context != "" {
		s.Errorf("a resume: %q", said.Context)
	}
	// Summed up again while nobody asked, then resumed: the prompt makes up for it.
	if said := s.send(turn.Event{Kind: turn.SessionStart, Source: turn.Resume, Summary: "b"}); said.Context != "" {
		s.Errorf("a resume: %q", said.Context)
	}
	s.want("the prompt", from("p7", "b").Context, "North: Ship it")
	// One that was announced is not said twice.
	s.send(turn.Event{Kind: turn.PreCompact})
	s.want("the prompt", from("p8", "c").Context, "North: Ship it")
	if said := from("p9", "c"); strings.Contains(said.Context, "Ship it") {
		s.Errorf("said again: %q", said.Context)
	}
}

func TestCommandNamesTheSessionWhereTheShellDoesNotTellIt(t *testing.T) {
	everyHost(t, func(s *scene, send func(turn.Event) string) {
		s.store.lost = Loop{Open: true, State: "one changed path"}
		send(prompt("p1"))
		send(turn.Event{Kind: turn.PreCompact})
		said := send(prompt("p2"))
		s.want("the prompt", said, "chatrail checkpoint --file -")
		if named := strings.Contains(said, "--session-id 'the session'"); named == agent.Host(s.receipt().Agent).TellsSession() {
			s.Errorf("named is %t: %s", named, said)
		}
	})
}

// deadlines remembers how long a store was given.
type deadlines struct {
	*fakeStore
	given *time.Time
}

func (d deadlines) View(ctx context.Context, p task.Place) (task.View, error) {
	*d.given, _ = ctx.Deadline()
	return d.fakeStore.View(ctx, p)
}

func TestTheEndOfASessionIsGivenLittleTime(t *testing.T) {
	everyHost(t, func(s *scene, send func(turn.Event) string) {
		send(prompt("p1"))
		h := agent.Host(s.receipt().Agent)
		var given time.Time
		for kind, most := range map[turn.Kind]time.Duration{turn.SessionEnd: EndLimit, turn.Stop: Limit} {
			name := moment(s.T, h, kind)
			c := Call{
				Host: string(h), In: strings.NewReader(eventPayload(h, name)), Out: new(bytes.Buffer), Program: "chatrail",
				Env:   func(key string) string { return map[string]string{"CHATRAIL_HOME": s.engine.Home.Dir}[key] },
				Store: func(task.Home) Store { return deadlines{s.store, &given} },
			}
			if args := h.Arguments(name); len(args) > 1 {
				c.Event = args[1]
			}
			before := time.Now()
			Run(c)
			if after := time.Now(); given.Before(before.Add(most)) || given.After(after.Add(most)) {
				s.Errorf("%s: until %v after it began", name, given.Sub(before))
			}
		}
	})
}
