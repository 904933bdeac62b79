package work

import (
	"context"
	"time"

	"chatrail/bundle/chronicle"
	"chatrail/hooks"
	"chatrail/hooks/task"
)

// lookLimit bounds a look at the open loops of a task.
const lookLimit = 5 * time.Second

// Look counts the open loops of a task and keeps the number for its status line,
// and refreshes what hooks know of the bundle. Of several at once one looks. A
// look that was cut short counts what it found.
func (d *Desk) Look(ctx context.Context, session string) error {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	key := task.Key(session)
	soon, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	unlock, err := d.Home.Lock(soon, "look-"+key)
	if err != nil {
		return nil // somebody looks
	}
	defer unlock()
	if l, ok := d.Home.LoadLoops(key); ok && d.Now().Sub(l.At).Abs() <= hooks.LookAgain {
		return nil // somebody just has
	}
	r, err := d.Home.LoadReceipt(key)
	if err != nil || r.Pin == nil {
		return err
	}
	began := d.Now()
	b, err := d.open(ctx, r.Pin.Place)
	if err != nil {
		return err
	}
	if _, err := d.View(ctx, b.place); err != nil {
		return err
	}
	c, err := d.derive(ctx, &Scope{Key: key, Receipt: r, Place: b.place, Store: b.store, Frozen: b.frozen}, false)
	if err != nil {
		return err
	}
	return d.Home.SaveLoops(key, task.Loops{At: began.UTC(), Count: openLoops(c.Checkpoint)})
}

// openLoops counts what would be lost with the context.
func openLoops(c chronicle.Checkpoint) int {
	return len(c.InFlight) + len(freshPaths(c)) + len(c.Commits) + len(c.Memory)
}
