package hooks

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

func (s *scene) captures() (n int) {
	for _, call := range s.store.calls {
		if call == "capture" {
			n++
		}
	}
	return n
}

func TestClearingWithoutAnOpenLoopWritesAndSaysNothing(t *testing.T) {
	s := newScene(t)
	s.send(turn.Event{Kind: turn.Prompt})
	s.store.lost = Loop{State: "a", Keep: []string{"- North: x"}, Ended: nil}
	for _, kind := range []turn.Kind{turn.PreCompact, turn.SessionEnd} {
		if said := s.send(turn.Event{Kind: kind}); said.Context != "" {
			t.Errorf("%s said %q", kind, said.Context)
		}
	}
	if s.captures() != 0 {
		t.Error("a checkpoint was written")
	}
	said := s.send(turn.Event{Kind: turn.SessionStart, Source: turn.Compact})
	if strings.Contains(said.Context, "checkpoint") || !strings.Contains(said.Context, "North: Ship it") {
		t.Errorf("after the compaction: %q", said.Context)
	}
}

func TestOneCheckpointForEachStateThatWouldBeLost(t *testing.T) {
	s := newScene(t)
	s.send(turn.Event{Kind: turn.Prompt})
	for i, state := range []string{"a", "a", "b", "b", "b", "c"} {
		s.store.lost = Loop{Open: true, State: state}
		s.send(turn.Event{Kind: []turn.Kind{turn.PreCompact, turn.SessionEnd}[i%2]})
	}
	if got := s.captures(); got != 3 {
		t.Errorf("%d checkpoints of three states", got)
	}
}

func TestWhoSumsUpIsToldWhatToKeep(t *testing.T) {
	s := newScene(t)
	s.send(turn.Event{Kind: turn.Prompt})
	s.store.lost = Loop{Open: true, State: "a", Keep: []string{"- Next: the reader"}}
	if said := s.send(turn.Event{Kind: turn.PreCompact}); said.Context != words.KeepHeading+"\n- Next: the reader" {
		t.Errorf("said %q", said.Context)
	}
	if said := s.send(turn.Event{Kind: turn.SessionEnd}); said.Context != "" {
		t.Errorf("said %q at the session's end", said.Context)
	}
}

func TestAfterACompactionTheProseIsAskedForOnce(t *testing.T) {
	for _, host := range []string{"fires it", "never fires it"} {
		t.Run(host, func(t *testing.T) {
			s := newScene(t)
			s.send(turn.Event{Kind: turn.Prompt})
			s.store.lost = Loop{Open: true, State: "a", Ended: []string{"Old plan (cut: too slow)"}}
			if host == "fires it" {
				s.send(turn.Event{Kind: turn.PreCompact})
			}
			said := s.send(turn.Event{Kind: turn.SessionStart, Source: turn.Compact}).Context
			for _, want := range []string{"North: Ship it", "Old plan (cut: too slow)", "entries/2026/03/01-x.md", "1 changed path", "\nchatrail checkpoint --file -"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
			if s.captures() != 1 {
				t.Errorf("%d checkpoints", s.captures())
			}
			if said := s.send(turn.Event{Kind: turn.Prompt}).Context; strings.Contains(said, "checkpoint") {
				t.Errorf("asked again: %q", said)
			}
		})
	}
}

func TestTheNextPromptMakesUpForASilentHost(t *testing.T) {
	s := newScene(t)
	s.send(turn.Event{Kind: turn.Prompt})
	s.store.lost = Loop{Open: true, State: "a"}
	s.send(turn.Event{Kind: turn.PreCompact})
	said := s.send(turn.Event{Kind: turn.Prompt}).Context
	if !strings.Contains(said, "North: Ship it") || !strings.Contains(said, "chatrail checkpoint --file -") {
		t.Errorf("said %q", said)
	}
}

func TestAFailedLookCostsTheCheckpointAlone(t *testing.T) {
	s := newScene(t)
	s.send(turn.Event{Kind: turn.Prompt})
	s.store.lostErr = errors.New("no disk")
	s.send(turn.Event{Kind: turn.PreCompact})
	if said := s.send(turn.Event{Kind: turn.SessionStart, Source: turn.Compact}).Context; !strings.Contains(said, "North: Ship it") {
		t.Errorf("said %q", said)
	}
}

func TestTheWorkTreeIsLookedAtOnceWhenATaskBegins(t *testing.T) {
	s := newScene(t)
	for range 3 {
		s.send(turn.Event{Kind: turn.Prompt})
	}
	n := len(s.store.calls) - len(slices.DeleteFunc(slices.Clone(s.store.calls), func(c string) bool { return c == "baseline" }))
	if n != 1 {
		t.Errorf("looked %d times", n)
	}
}
