package hooks

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

type stuckDrain struct{ *fakeStore }

func (stuckDrain) Drain(context.Context, agent.Payload, *task.Receipt) error {
	return errors.New("not writable")
}

func TestADropThatHasToWaitSilencesNothingElse(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	s.engine.Store = stuckDrain{s.store}
	for _, ev := range []turn.Event{{Kind: turn.SessionStart}, prompt("p2")} {
		if said, err := s.try(ev); err != nil || said.Context == "" {
			t.Errorf("%s: %+v, %v", ev.Kind, said, err)
		}
	}
}

func TestAPausedTaskGetsNoPrivateBundle(t *testing.T) {
	s := newScene(t)
	s.cwd = s.TempDir()
	s.engine.Env = func(n string) string {
		if n == "HOME" {
			return filepath.Dir(s.cwd)
		}
		return ""
	}
	r := s.receipt()
	r.Paused = true
	if err := s.engine.Home.SaveReceipt(&r); err != nil {
		t.Fatal(err)
	}
	s.send(prompt("p1"))
	if len(s.store.calls) > 0 {
		t.Errorf("calls %q", s.store.calls)
	}
}

func TestNoStopIsHeldUpForACommandThatIsNotThere(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	s.engine.Program = ""
	if said := s.send(turn.Event{Kind: turn.Stop}); said.Block != "" {
		t.Errorf("%q", said.Block)
	}
}

func TestALegacyReviewIsPrintedSoThatItsCommandWorks(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	r := s.receipt()
	r.Turn.Review.ID = "01990000-0000-4000-8000-0000000000aa" // as the Python tool made them
	if err := s.engine.Home.SaveReceipt(&r); err != nil {
		t.Fatal(err)
	}
	said := s.send(turn.Event{Kind: turn.Stop})
	if _, ok := task.ReviewTask(r.Turn.Review.ID); !ok && strings.Contains(said.Block, " reconcile "+r.Turn.Review.ID) && !strings.Contains(said.Block, "--session-id") {
		t.Errorf("%q", said.Block)
	}
}
