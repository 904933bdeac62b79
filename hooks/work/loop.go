package work

import (
	"context"
	"slices"
	"time"

	"chatrail/bundle/chronicle"
	"chatrail/hooks"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
)

// writingTime is how much of an event's time the look at the work tree leaves
// for writing, half of it where there is less.
const writingTime = 300 * time.Millisecond

// Loop derives what would be lost with the context of a task.
func (d *Desk) Loop(ctx context.Context, p agent.Payload, r *task.Receipt) (hooks.Loop, error) {
	here := *d
	here.Dir = p.CWD
	b, err := here.open(ctx, r.Pin.Place)
	if err != nil {
		return hooks.Loop{}, err
	}
	s := &Scope{Key: r.TaskKey, Receipt: *r, Place: b.place, Store: b.store, Frozen: b.frozen}
	look, cancel := context.WithTimeout(ctx, lookTime(ctx))
	defer cancel()
	c, err := here.derive(look, s, false)
	if err != nil {
		return hooks.Loop{}, err
	}
	var red redactor
	c.redact(&red)
	l := hooks.Loop{Open: c.OpenLoop(), State: c.Fingerprint(), Keep: c.keep()}
	for _, e := range c.ended {
		l.Ended = append(l.Ended, words.Cut(words.Harmless(e), 160))
	}
	l.Capture = func(ctx context.Context) (task.Captured, error) { return here.capture(ctx, s, c, l.State) }
	return l, nil
}

// lookTime is how long the work tree may be looked at within what is left.
func lookTime(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return patience
	}
	left := time.Until(end)
	return max(left-writingTime, left/2)
}

// capture writes a checkpoint without prose, unless the caller's draft holds one
// of the same state.
func (d *Desk) capture(ctx context.Context, s *Scope, c derived, state string) (task.Captured, error) {
	captured := task.Captured{State: state, Words: summary(c.Checkpoint), At: d.Now().UTC()}
	if path := d.holds(ctx, s, c, state); path != "" {
		captured.Path = path
		return captured, nil
	}
	n := Noting{Do: DoCheckpoint}
	d.sign(&n, s)
	var red redactor
	n.redact(&red)
	c.into(&n)
	noted, err := d.record(ctx, s, n)
	if err != nil {
		return captured, err
	}
	captured.Path = noted.Path
	return captured, nil
}

// holds is the path of the caller's draft where it has a checkpoint of a state,
// "" where it has none: a hook that was killed after it wrote remembers nothing.
func (d *Desk) holds(ctx context.Context, s *Scope, c derived, state string) string {
	if c.Draft == nil {
		return ""
	}
	tip, err := s.Tip(ctx)
	if err != nil {
		return ""
	}
	data, err := s.Store.Note(ctx, tip.ID, c.Draft.Path)
	if err != nil {
		return ""
	}
	for _, b := range slices.Backward(chronicle.Blocks(chronicle.Read(data).Body)) {
		switch b.State {
		case "":
		case state:
			return c.Draft.Path
		default:
			return "" // an older one of this state is no longer how it stands
		}
	}
	return ""
}

// mostKept is how many items of a list are named before a compaction.
const mostKept = 5

// keep are the lines for whoever sums the context up: few, and each on one line.
func (c derived) keep() []string {
	var lines []string
	add := func(label, text string) {
		if text = words.Cut(words.Harmless(text), 300); text != "" {
			lines = append(lines, "- "+label+": "+text)
		}
	}
	add("North", c.North)
	add("Next", c.Next)
	add("In flight", some(c.InFlight, mostKept, func(r chronicle.Ref) string { return r.Title }))
	add("Changed and not committed", some(freshPaths(c.Checkpoint), mostKept, func(p chronicle.Path) string { return p.Path }))
	add("Committed and not described yet", some(c.Commits, mostKept, func(u chronicle.Uncovered) string { return shortID(u.ID) + " " + u.Subject }))
	add("Memory notes to settle", some(c.Memory, mostKept, func(o chronicle.Obligation) string { return o.Name }))
	add("Operation in progress", c.Operation)
	return lines
}
