package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// Kinds of what waits in a drop box.
const (
	dropReconcile = "reconcile" // an answer to a review
	dropShown     = "shown"     // the state that a stale answer was shown
)

// dropped is the body of these; a change of the chronicle and a declaration have
// kinds and bodies of their own.
type dropped struct {
	Review string `json:"review"`
	Reason string `json:"reason,omitempty"`
	// Branch and Head are where it was given.
	Branch string `json:"branch,omitempty"`
	Head   string `json:"head,omitempty"`
	// Expect are the field digests that the answer was given to, or that were
	// shown; nil: those of the receipt.
	Expect map[string]string `json:"expect,omitempty"`
	change
}

func newDrop(at time.Time, key, kind string, body dropped) (task.Drop, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return task.Drop{}, err
	}
	return task.Drop{
		ID: uuid.NewString(), TaskKey: key, ReviewID: body.Review, Kind: kind,
		Body: data, At: at.UTC(),
	}, nil
}

// drop leaves an answer for the next hook of the task, after everything that
// can be checked by reading was checked.
func (d *Desk) drop(ctx context.Context, key string, receipt task.Receipt, q question, r Request, c change) (*Answer, error) {
	body := dropped{Review: r.Review, Reason: r.Reason, change: c}
	body.Branch, body.Head = d.stands(r)
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return nil, err
	}
	present, err := b.tip(ctx)
	if frozen(err) && !c.empty() {
		// The hook finds it frozen too, and keeps the text where it can.
		path, putErr := d.put(ctx, key, dropReconcile, body)
		if putErr != nil {
			return nil, errors.Join(err, putErr)
		}
		return nil, &SpooledError{Err: err, Path: path}
	}
	if err != nil {
		return nil, err
	}
	if !c.empty() {
		if body.Expect = d.shown(key, r.Review); body.Expect != nil {
			q.expect, q.whole = body.Expect, nil
		}
		if moved := q.moved(c.fields(), present.State); len(moved) > 0 {
			stale := &StaleError{Fields: moved, Present: present}
			if !d.mayShow(receipt.Pin.Place) {
				return nil, stale
			}
			_, err := d.put(ctx, key, dropShown, dropped{Review: r.Review, Expect: fieldDigests(present.State)})
			return nil, errors.Join(stale, err)
		}
		next, err := c.on(present.State)
		if err != nil {
			return nil, err
		}
		meta := d.meta(receipt, r)
		meta.EventID = uuid.NewString()
		if _, err := bundle.NewEvent(meta, &present.State, next, nil); err != nil {
			return nil, err // a rule that the hook would only find later
		}
		if _, _, err := c.notes(ctx, b.store, present, meta); err != nil {
			return nil, err
		}
	}
	if a, err := d.waiting(key, q, body); a != nil || err != nil {
		return a, err
	}
	path, err := d.put(ctx, key, dropReconcile, body)
	if err != nil {
		return nil, err
	}
	return &Answer{Outcome: Kept, Review: r.Review, Dropped: path}, nil
}

// put leaves one item in the drop box and returns its path.
func (d *Desk) put(ctx context.Context, key, kind string, body dropped) (string, error) {
	item, err := newDrop(d.Now(), key, kind, body)
	if err != nil {
		return "", err
	}
	return task.PutDrop(ctx, d.Env, item)
}

// waiting looks for an answer to the same review that waits already: the same
// answer is told again, another one is refused, and one that said "no change"
// gives way.
func (d *Desk) waiting(key string, q question, body dropped) (*Answer, error) {
	found, _ := task.CollectDrops(d.Env, key)
	for _, f := range found {
		var other dropped
		if f.Kind != dropReconcile || json.Unmarshal(f.Body, &other) != nil || !slices.Contains(q.ids, other.Review) {
			continue
		}
		switch {
		case body.change.empty() || body.same(other):
			return &Answer{Outcome: Kept, Review: body.Review, Dropped: f.Path}, nil
		case other.change.empty():
			if err := task.RemoveDrop(f); err != nil {
				return nil, err
			}
		default:
			return nil, &RefusedError{"another answer to this review waits in " + f.Path + " and is recorded by the next hook: say the rest at the next review"}
		}
	}
	return nil, nil
}

// same says that two answers ask for the same.
func (b dropped) same(other dropped) bool {
	x, errX := json.Marshal(b.change)
	y, errY := json.Marshal(other.change)
	return errX == nil && errY == nil && b.Reason == other.Reason && bytes.Equal(x, y)
}

// shown is the state that the last stale answer was shown, where the receipt
// could not be written: nil for none.
func (d *Desk) shown(key, review string) map[string]string {
	var expect map[string]string
	found, _ := task.CollectDrops(d.Env, key)
	for _, f := range found {
		var body dropped
		if f.Kind == dropShown && json.Unmarshal(f.Body, &body) == nil && body.Review == review {
			expect = body.Expect
		}
	}
	return expect
}

// Drain records what waits in the drop box and in the spool for a task, oldest
// first, each item once, under the lock that the caller holds. What cannot be
// recorded is kept in the spool, and the receipt remembers to say so.
func (d *Desk) Drain(ctx context.Context, p agent.Payload, receipt *task.Receipt) error {
	if receipt.Pin == nil {
		return nil
	}
	if err := d.drainBox(ctx, receipt); err != nil {
		return err
	}
	return d.drainSpool(ctx, receipt)
}

func (d *Desk) drainBox(ctx context.Context, receipt *task.Receipt) error {
	if !task.PendingDrop(d.Env, receipt.TaskKey) {
		return nil
	}
	found, refused := task.CollectDrops(d.Env, receipt.TaskKey)
	for _, f := range refused {
		if receipt.WarnOnce("drop:" + f.Path) {
			if err := d.tell(receipt, "ChatRail left "+f.Path+" alone: "+f.Reason+"."); err != nil {
				return err
			}
		}
	}
	for _, f := range found {
		if err := d.drainOne(ctx, receipt, f); err != nil {
			return err
		}
	}
	return nil
}

// tell remembers a line for the next event that can say it: many cannot.
func (d *Desk) tell(receipt *task.Receipt, line string) error {
	var secrets redactor
	receipt.Tell(secrets.line(line))
	return d.Home.SaveReceipt(receipt)
}

// drainOne records one item, or moves it to the spool when it cannot be.
func (d *Desk) drainOne(ctx context.Context, receipt *task.Receipt, f task.Found) error {
	switch f.Kind {
	case dropNote:
		return d.drainNote(ctx, receipt, f)
	case dropAdopt:
		return d.drainAdoption(ctx, receipt, f)
	case dropDeclare:
		return d.drainDeclared(ctx, receipt, f)
	}
	var body dropped
	if f.Kind != dropReconcile && f.Kind != dropShown || json.Unmarshal(f.Body, &body) != nil {
		return nil // of another version: it is that version's to record
	}
	if f.Kind == dropShown {
		if review := receipt.Turn.Review; review != nil && receipt.Turn.Resolve(body.Review) == turn.Open {
			shown := review.Rebase(review.BaseTip, body.Expect)
			receipt.Turn.Review = &shown
			if err := d.Home.SaveReceipt(receipt); err != nil {
				return err
			}
		}
		return task.RemoveDrop(f)
	}
	err := d.take(ctx, receipt, body, f.ID, f.At)
	if waits(ctx, err) {
		return err
	}
	if err != nil {
		if err := d.setAside(receipt, f.ID, f.At, f.Body, err); err != nil {
			return err
		}
	}
	return task.RemoveDrop(f)
}

// drainNote records one change of the chronicle, or moves it to the spool.
func (d *Desk) drainNote(ctx context.Context, receipt *task.Receipt, f task.Found) error {
	var n Noting
	if json.Unmarshal(f.Body, &n) != nil || n.Do == "" {
		return nil // of another version
	}
	n.ID, n.Task = f.ID, receipt.TaskKey
	err := d.takeNote(ctx, receipt, n)
	if waits(ctx, err) {
		return err
	}
	if err != nil {
		if err := d.setAside(receipt, f.ID, f.At, f.Body, err); err != nil {
			return err
		}
	}
	return task.RemoveDrop(f)
}

// errOther says that a review has been answered in other words.
var errOther = errors.New("the review was answered before, in other words")

// take records an answer that waited.
func (d *Desk) take(ctx context.Context, receipt *task.Receipt, body dropped, id string, at time.Time) error {
	a, err := d.answer(ctx, receipt, Request{
		Review: body.Review, Reason: body.Reason,
		waited: &waited{id: id, at: at, branch: body.Branch, head: body.Head, expect: body.Expect},
	}, body.change)
	if err == nil && a.Outcome == Repeated && !body.change.empty() && a.event != id {
		return errOther
	}
	return err
}

// waits says that an answer has to wait for a better moment.
func waits(ctx context.Context, err error) bool {
	var unwritable *bundle.UnwritableError
	return errors.As(err, &unwritable) || task.Unwritable(err) || errors.Is(err, bundle.ErrBusy) || ctx.Err() != nil
}
