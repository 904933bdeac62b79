package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// Loop is what would be lost with a task's context, as it was derived at one
// moment.
type Loop struct {
	Open  bool
	State string // names what was derived
	// Keep are lines for whoever sums the context up; Ended are work items that
	// were finished or cut lately. Both are harmless to say.
	Keep  []string
	Ended []string
	// Capture writes it down as a checkpoint, or finds that the chronicle has it.
	Capture func(ctx context.Context) (task.Captured, error)
}

// Clearing is what an engine needs at the moments around the loss of a context.
// Every method may return ErrAway.
type Clearing interface {
	// Baseline looks at the work tree of a folder, at the beginning of a task; nil
	// where there is none.
	Baseline(ctx context.Context, p task.Place, dir string) (json.RawMessage, error)
	// Loop derives what would be lost.
	Loop(ctx context.Context, p agent.Payload, r *task.Receipt) (Loop, error)
}

// clears says that the context of a task ends with the event, or may.
func clears(k turn.Kind) bool { return k == turn.PreCompact || k == turn.SessionEnd }

// loop derives what would be lost, once in a delivery. What cannot be derived
// costs the checkpoint and nothing else; only ErrAway is an error.
func (d *delivery) loop() (Loop, error) {
	if d.lost != nil {
		return *d.lost, nil
	}
	l, err := d.Store.Loop(d.ctx, d.p, &d.receipt)
	if errors.Is(err, ErrAway) {
		return Loop{}, err
	}
	if err != nil {
		d.failed(err)
		l = Loop{}
	}
	d.lost = &l
	return l, nil
}

// baseline is how the work tree is when the task begins, nil at any other moment.
// One that cannot be looked at is told by the times of its files later on.
func (d *delivery) baseline(p task.Place) (json.RawMessage, error) {
	if d.receipt.Pin != nil || d.p.Event.Kind != turn.Prompt || d.p.CWD == "" || d.Program == "" {
		return nil, nil
	}
	began, err := d.Store.Baseline(d.ctx, p, d.p.CWD)
	if errors.Is(err, ErrAway) {
		return nil, err
	}
	if err != nil {
		d.failed(err)
	}
	return began, nil
}

// capture writes a checkpoint where one is due and the task does not remember
// one of this very state. It says whether the receipt changed. After a failure
// the event counts as one that did not come, so that the next one tries again.
func (d *delivery) capture(l Loop) (changed bool) {
	if !l.Open || l.Capture == nil {
		return false
	}
	if c := d.receipt.Captured; c != nil && c.State == l.State {
		return false
	}
	captured, err := l.Capture(d.ctx)
	if err != nil {
		d.failed(err)
		d.receipt.Turn = d.receipt.Turn.Uncaptured()
		return true
	}
	d.receipt.Captured = &captured
	return true
}

// keep are the lines for whoever sums the context up.
func keep(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return words.KeepHeading + "\n" + strings.Join(lines, "\n")
}

// regained is what a context that was cleared is told beside the orientation:
// what was captured and where, what only the session can add, and which plans
// are over.
func (d *delivery) regained(l Loop) string {
	var text speech
	if len(l.Ended) > 0 {
		text.add("Finished or cut lately, not to be taken up again: " + strings.Join(l.Ended, "; ") + ".")
	}
	if c := d.receipt.Captured; l.Open && c != nil && d.Program != "" {
		text.add(words.Captured(c.Path, c.Words, d.checkpointCommand()))
	}
	return string(text)
}

// checkpointCommand takes prose on standard input.
func (d *delivery) checkpointCommand() string {
	return d.Program + " checkpoint --file -" + d.naming()
}
