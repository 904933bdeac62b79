package work

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
)

// inherit lets a task go on with what another one began in the bundle that both
// now share: its drafts, the work tree as it was when it began, so that what it
// changed and committed is work of the task, the checkpoint that a hook wrote,
// and what it was not told yet. What waits for the other task is recorded first.
// The other one keeps all of it: it may be a session that goes on. moved says that
// the bundle is another one than before: then the next prompt says it.
func (d *Desk) inherit(ctx context.Context, key, from string, moved bool) error {
	earlier, err := d.settleEarlier(ctx, from, handWait)
	if err != nil {
		return err
	}
	unlock, err := d.Home.LockTask(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := d.Home.LoadReceipt(key)
	if err != nil {
		return err
	}
	take(&r, earlier)
	r.Turn.Unsaid = r.Turn.Unsaid || moved
	return d.Home.SaveReceipt(&r)
}

// take takes over what a receipt of another task says.
func take(r *task.Receipt, earlier task.Receipt) {
	r.Adopt(append([]string{earlier.TaskKey}, earlier.Adopted...)...)
	if began, ok := olderBaseline(r.Baseline, earlier.Baseline); ok {
		r.Baseline = began
	}
	if r.Captured == nil {
		r.Captured = earlier.Captured
	}
	for _, line := range earlier.Untold {
		r.Tell(line)
	}
}

// How long one waits for a task that is adopted: by hand, and in a hook, which
// holds the lock of its own task and has little time.
const (
	handWait = 3 * time.Second
	hookWait = 200 * time.Millisecond
)

// settleEarlier records what waits for a task, and returns its receipt. Where
// somebody is busy with that task for longer it is left to them: it may be one
// whose own adoption waits for this one.
func (d *Desk) settleEarlier(ctx context.Context, key string, wait time.Duration) (task.Receipt, error) {
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlock, err := d.Home.LockTask(soon, key)
	if errors.Is(err, task.ErrBusy) && ctx.Err() == nil {
		return d.Home.LoadReceipt(key)
	}
	if err != nil {
		return task.Receipt{}, err
	}
	defer unlock()
	r, err := d.Home.LoadReceipt(key)
	if err != nil || r.Pin == nil {
		return r, err
	}
	if err := d.Drain(ctx, agent.Payload{}, &r); err != nil {
		return r, nil // it goes on waiting for the next hook of that task
	}
	return r, d.Home.SaveReceipt(&r)
}

// olderBaseline is the look at a work tree that was taken first, and false where
// the own one stands.
func olderBaseline(own, other json.RawMessage) (json.RawMessage, bool) {
	var mine, theirs baseline
	if other == nil || json.Unmarshal(other, &theirs) != nil || theirs.At.IsZero() {
		return nil, false
	}
	if own == nil || json.Unmarshal(own, &mine) != nil || mine.At.IsZero() {
		return other, true
	}
	return other, mine.Top == theirs.Top && theirs.At.Before(mine.At)
}

// callers are the short keys of a task and of those that it goes on with, the
// own one first; the empty one outside a task.
func callers(key string, adopted []string) []string {
	if key == "" {
		return []string{""}
	}
	list := []string{task.Short(key)}
	for _, k := range adopted {
		list = append(list, task.Short(k))
	}
	return list
}
