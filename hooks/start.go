package hooks

import (
	"context"
	"time"

	"chatrail/hooks/agent"
)

// startWait is how long a session start waits for the lock of its task before
// it answers without writing.
const startWait = 400 * time.Millisecond

// start delivers a session start of the main agent. It is worth an answer even
// while somebody is busy with the task, and one answer however often it comes: a
// host that has the hook registered twice calls both at once. So starts of one
// task go one after the other, under a lock of their own. The first is answered,
// by a reader where the task is busy, and leaves word of it for its copies.
func (d *delivery) start() (agent.Words, error) {
	began := time.Now()
	queue := d.ctx
	if end, ok := d.ctx.Deadline(); ok {
		var cancel context.CancelFunc
		queue, cancel = context.WithDeadline(d.ctx, end.Add(-startWait))
		defer cancel()
	}
	next, err := d.Home.LockStart(queue, d.key)
	if err != nil {
		// Whoever began after this start did, or shortly before, is a copy of it
		// or as good as one. A process that hangs since long must not silence it.
		if since, ok := d.Home.StartHeld(d.key); ok && began.Sub(since) < sameMoment {
			return agent.Words{}, err
		}
		return d.reader()
	}
	defer next()
	soon, cancel := context.WithTimeout(d.ctx, startWait)
	defer cancel()
	d.answered = d.Home.LoadAnswered(d.key)
	unlock, err := d.Home.LockTask(soon, d.key)
	if err == nil {
		defer unlock()
		return d.root()
	}
	said, err := d.reader()
	if err == nil && d.after.LastStart != d.receipt.Turn.LastStart {
		// Unwritable: the copies say it as well, which is better than nobody.
		_ = d.Home.SaveAnswered(d.key, d.after.LastStart)
	}
	return said, err
}

// sameMoment is how far apart the copies of an event begin.
const sameMoment = 5 * time.Second
