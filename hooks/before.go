package hooks

import (
	"errors"
	"strings"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// cameBefore asks whether another task came before in this place, where the
// session begins without its context and has not been told yet.
func (d *delivery) cameBefore() (string, error) {
	if d.Program == "" || d.receipt.Turn.Before == turn.Told {
		return "", nil // nobody could adopt it, or it was said
	}
	switch e := d.p.Event; e.Kind {
	case turn.SessionStart:
		if e.Source != turn.Clear && e.Source != turn.Fork && !d.p.Host.StartsUntold(e.Source) {
			return "", nil
		}
	case turn.Prompt:
		if d.receipt.Turn.Before != turn.Waiting {
			return "", nil
		}
	default:
		return "", nil
	}
	before, err := d.Store.Before(d.ctx, d.p, strings.Fields(d.receipt.Turn.Which))
	if errors.Is(err, ErrAway) {
		return "", err
	}
	if err != nil {
		return "", nil // costs the line and nothing else
	}
	d.before = before
	var which []string
	for _, e := range before {
		which = append(which, e.Task)
	}
	return strings.Join(which, " "), nil
}

// placeless delivers an event of a task that has no bundle yet, in a place
// without one: a task that came before may have had one of its own.
func (d *delivery) placeless() (agent.Words, error) {
	came, err := d.cameBefore()
	if err != nil || came == "" {
		return agent.Words{}, err
	}
	state, out := turn.Step(d.receipt.Turn, d.event(), turn.Health{CameBefore: came})
	d.receipt.Turn = state
	if out.Write {
		if err := d.Home.SaveSaid(d.key, state); err != nil {
			return agent.Words{}, err
		}
	}
	return d.words(out, task.Place{}, task.View{}), nil
}

// presence notes where the task is at work and how its session ended, by which a
// later session finds it. It says whether the receipt changed.
func (d *delivery) presence() bool {
	r := &d.receipt
	switch d.p.Event.Kind {
	case turn.Prompt:
		if r.CWD == d.p.CWD && r.Left == nil {
			return false
		}
		r.CWD, r.Left = d.p.CWD, nil
	case turn.SessionEnd:
		r.Left = &task.Left{At: d.Now().UTC(), Cleared: d.p.Reason == "clear"}
	default:
		return false
	}
	return true
}

// naming is what a command of the agent needs beside its words to know its task:
// nothing where the agent tells its commands the session.
func (d *delivery) naming() string {
	if d.p.Host.TellsSession() {
		return ""
	}
	return " --session-id " + words.ShellQuote(d.p.SessionID)
}
