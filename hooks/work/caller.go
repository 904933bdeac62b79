package work

import (
	"time"

	"chatrail/hooks/task"
)

// inChild says that a sub-agent asks, as far as that is known.
func (d *Desk) inChild() bool { return d.Child || task.InChild(d.Env) }

// Overtaken says that another task of an agent was asked a review after the last
// one of the task key, and since a moment, in the same bundle or where the two
// cannot be told apart by their bundles. A program that outlives a session, as a
// server outlives /clear, knows the session that it was started in and cannot
// tell whether that is still the one that asks.
func (d *Desk) Overtaken(key, agent string, since time.Time) (bool, error) {
	own, err := d.Home.LoadReceipt(key)
	if err != nil {
		return false, err
	}
	if own.Turn.Review != nil && own.Turn.Review.OpenedAt.After(since) {
		since = own.Turn.Review.OpenedAt
	}
	keys, err := d.Home.Receipts()
	if err != nil {
		return false, err
	}
	for _, other := range keys {
		if other == key {
			continue
		}
		r, err := d.Home.LoadReceipt(other)
		if err == nil && r.Agent == agent && r.Turn.Review != nil && r.Turn.Review.OpenedAt.After(since) && sameRoad(own.Pin, r.Pin) {
			return true, nil
		}
	}
	return false, nil
}

// Reviewed says that a hook has asked the task a review.
func (d *Desk) Reviewed(key string) (bool, error) {
	r, err := d.Home.LoadReceipt(key)
	return r.Turn.Review != nil, err
}

// sameRoad says that two tasks may be the same work: a task outside every project
// has a bundle of its own.
func sameRoad(a, b *task.Pin) bool {
	if a == nil || b == nil || a.Kind == task.KindPrivate && b.Kind == task.KindPrivate {
		return true
	}
	return a.ID() == b.ID()
}
