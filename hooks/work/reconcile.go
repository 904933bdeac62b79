package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/refs"
)

// lockTime bounds how long a command waits for its task or its bundle.
const lockTime = 30 * time.Second

// Request is the answer to a review.
type Request struct {
	Review  string // the id as the hook printed it, or of the Python tool
	Session string // in place of the task in the id, for older ids
	Reason  string
	Patch   bundle.Patch
	Short   bundle.Short

	expect map[string]string // field digests to hold it against, in place of the receipt's
}

// Reconcile answers a review. The same request may be repeated: a review makes
// one revision at most. Where this process may not write, the request is left
// in the drop box for the next hook of the task.
func (d *Desk) Reconcile(ctx context.Context, r Request) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if task.InChild(d.Env) {
		return nil, &RefusedError{"a sub-agent reads and never writes: the main agent answers the review"}
	}
	c := change{Patch: r.Patch, Short: r.Short}
	r.Reason = oneLine(r.Reason)
	if !c.empty() && r.Reason == "" {
		return nil, &UsageError{"a change needs --reason TEXT: why did it change?"}
	}
	key, err := d.taskOf(r)
	if err != nil {
		return nil, err
	}
	// What can be told without writing is told first, so that it is true in a
	// sandbox as well.
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return nil, err
	}
	q, answered, err := asks(receipt, r.Review)
	if err != nil {
		return nil, err
	}
	if answered {
		return &Answer{Outcome: Repeated, Review: r.Review}, nil
	}
	unlock, err := d.Home.LockTask(ctx, key)
	if task.Unwritable(err) {
		return d.drop(ctx, key, receipt, q, r, c)
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	if receipt, err = d.Home.LoadReceipt(key); err != nil {
		return nil, err
	}
	answer, err := d.answer(ctx, &receipt, r, c)
	var unwritable *bundle.UnwritableError
	if errors.As(err, &unwritable) {
		return d.drop(ctx, key, receipt, q, r, c)
	}
	if err != nil {
		return nil, d.spool(err, key, r, c)
	}
	return answer, nil
}

// taskOf finds the task whose review is answered.
func (d *Desk) taskOf(r Request) (string, error) {
	unknown := &RefusedError{fmt.Sprintf("unknown review %q: use the line that the hook printed last", r.Review)}
	if r.Session != "" {
		return task.Key(r.Session), nil
	}
	prefix, ok := task.ReviewTask(r.Review)
	if !ok {
		return "", unknown
	}
	keys, err := d.Home.ReceiptsByPrefix(prefix)
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		receipt, err := d.Home.LoadReceipt(key)
		if err == nil && receipt.Turn.Resolve(r.Review) != turn.Unknown {
			return key, nil
		}
	}
	return "", unknown
}

// asks says what an id asks for in a receipt, or that it was answered before.
func asks(receipt task.Receipt, id string) (q question, answered bool, err error) {
	switch receipt.Turn.Resolve(id) {
	case turn.Recorded:
		return q, true, nil
	case turn.Unknown:
		return q, false, &RefusedError{fmt.Sprintf("review %q is not one of this task, or too old: use the line that the hook printed last", id)}
	}
	if receipt.Pin == nil {
		return q, false, &RefusedError{"this task has no bundle yet: it gets one at its next prompt"}
	}
	review := receipt.Turn.Review
	q = question{
		ids:    append([]string{id, review.ID}, review.Aliases...),
		since:  review.Begun(),
		expect: review.Fields,
	}
	if _, whole := review.Fields[string(bundle.TargetRail)]; whole { // of the Python tool
		q.expect, q.whole = nil, review.Fields
	}
	return q, false, nil
}

// answer carries out a request under the lock of its task, and completes the
// review in the receipt.
func (d *Desk) answer(ctx context.Context, receipt *task.Receipt, r Request, c change) (*Answer, error) {
	q, answered, err := asks(*receipt, r.Review)
	if err != nil {
		return nil, err
	}
	if answered {
		return &Answer{Outcome: Repeated, Review: r.Review}, nil
	}
	if r.expect != nil {
		q.expect, q.whole = r.expect, nil
	}
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return nil, err
	}
	if err := b.writable(); err != nil {
		return nil, err
	}
	a := &Answer{Review: r.Review}
	var rev *bundle.Revision
	if c.empty() {
		rev, err = b.tip(ctx)
		if err != nil {
			return nil, err
		}
		a.Outcome = NoChange
		prior, err := recorded(ctx, b.store, rev, q)
		if err != nil {
			return nil, err
		}
		if prior != nil {
			rev, a.Outcome = prior, Repeated
		}
	} else {
		rev, a.Outcome, a.Changes, err = record(ctx, b.store, q, c, d.meta(*receipt, r))
		var stale *StaleError
		if errors.As(err, &stale) {
			return nil, d.rebase(receipt, stale)
		}
		if err != nil {
			return nil, err
		}
	}
	if a.Outcome == Recorded || a.Outcome == Repeated {
		a.Revision = rev.ID
	}
	if a.Outcome == Recorded {
		d.keep(ctx, b, rev)
	}
	if a.Outcome == NoChange {
		if all := bundle.Fields(); rev.ID != q.since {
			a.Moved = movedLines(q.moved(all, rev.State), rev)
		}
	}
	receipt.Turn = receipt.Turn.Complete()
	if err := d.Home.SaveReceipt(receipt); err != nil {
		return nil, err // the revision is there: a repeat says so and succeeds
	}
	return a, nil
}

// rebase lets the next answer to the same review be held against what this one
// was shown. Where that cannot be kept, the review stays as it was.
func (d *Desk) rebase(receipt *task.Receipt, stale *StaleError) error {
	review := *receipt.Turn.Review
	review.Since = review.Begun() // what it may have recorded is looked for from there
	review.BaseTip = stale.Present.ID
	review.Fields = fieldDigests(stale.Present.State)
	receipt.Turn.Review = &review
	if err := d.Home.SaveReceipt(receipt); err != nil {
		return errors.Join(stale, err)
	}
	return stale
}

// meta describes the event that an answer makes.
func (d *Desk) meta(receipt task.Receipt, r Request) bundle.EventMeta {
	m := bundle.EventMeta{
		ReviewID: r.Review, Reason: r.Reason, Time: d.Now().UTC(),
		Task: receipt.TaskKey, Agent: receipt.Agent,
	}
	m.Branch, m.Head = d.where()
	return m
}

// where is the branch and the commit of the work tree one stands in, both ""
// outside git.
func (d *Desk) where() (branch, head string) {
	if d.Dir == "" {
		return "", ""
	}
	repo, err := refs.Discover(d.Dir)
	if err != nil {
		return "", ""
	}
	h, err := repo.Head()
	if err != nil {
		return "", ""
	}
	return h.Branch, h.Commit
}
