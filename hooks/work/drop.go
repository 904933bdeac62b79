package work

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
)

// Kinds of what waits in a drop box.
const (
	dropReconcile = "reconcile" // an answer to a review
	dropShown     = "shown"     // the state that a stale answer was shown
)

// dropped is the body of both.
type dropped struct {
	Review string `json:"review"`
	Reason string `json:"reason,omitempty"`
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
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return nil, err
	}
	if err := b.writable(); err != nil {
		return nil, err
	}
	present, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	body := dropped{Review: r.Review, Reason: r.Reason, change: c}
	if !c.empty() {
		if body.Expect = d.shown(key, r.Review); body.Expect != nil {
			q.expect, q.whole = body.Expect, nil
		}
		if moved := q.moved(c.fields(), present.State); len(moved) > 0 {
			return nil, errors.Join(&StaleError{Fields: moved, Present: present}, d.show(ctx, key, r.Review, present))
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
	}
	item, err := newDrop(d.Now(), key, dropReconcile, body)
	if err != nil {
		return nil, err
	}
	path, err := task.PutDrop(ctx, d.Env, item)
	if err != nil {
		return nil, err
	}
	return &Answer{Outcome: Kept, Review: r.Review, Dropped: path}, nil
}

// show remembers, where the receipt cannot be written, which state a stale
// answer was shown, so that the next answer is held against that.
func (d *Desk) show(ctx context.Context, key, review string, present *bundle.Revision) error {
	item, err := newDrop(d.Now(), key, dropShown, dropped{Review: review, Expect: fieldDigests(present.State)})
	if err != nil {
		return err
	}
	_, err = task.PutDrop(ctx, d.Env, item)
	return err
}

// shown is what show remembered last, nil for nothing.
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

// Drain records what waits in the drop box for a task, oldest first, each item
// once, under the lock that the caller holds. It returns lines about what could
// not be recorded; that goes to the spool.
func (d *Desk) Drain(ctx context.Context, p agent.Payload, receipt *task.Receipt) ([]string, error) {
	if receipt.Pin == nil {
		return nil, nil
	}
	here := *d
	here.Dir = p.CWD
	lines, err := here.drainBox(ctx, receipt)
	if err != nil {
		return nil, err
	}
	more, err := here.drainSpool(ctx, receipt)
	return append(lines, more...), err
}

func (d *Desk) drainBox(ctx context.Context, receipt *task.Receipt) ([]string, error) {
	if !task.PendingDrop(d.Env, receipt.TaskKey) {
		return nil, nil
	}
	var lines []string
	found, refused := task.CollectDrops(d.Env, receipt.TaskKey)
	for _, f := range refused {
		if receipt.WarnOnce("drop:" + f.Path) {
			lines = append(lines, "ChatRail left "+f.Path+" alone: "+f.Reason+".")
		}
	}
	if len(lines) > 0 {
		if err := d.Home.SaveReceipt(receipt); err != nil {
			return nil, err
		}
	}
	for _, f := range found {
		line, err := d.drainOne(ctx, receipt, f)
		if err != nil {
			return lines, err
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// drainOne records one item, or moves it to the spool when it cannot be.
func (d *Desk) drainOne(ctx context.Context, receipt *task.Receipt, f task.Found) (string, error) {
	var body dropped
	if f.Kind == dropShown {
		return "", task.RemoveDrop(f) // the hook's answer holds from here on
	}
	if f.Kind != dropReconcile || json.Unmarshal(f.Body, &body) != nil {
		return "", nil // of another version: it is that version's to record
	}
	err := d.take(ctx, receipt, body)
	if waits(ctx, err) {
		return "", err
	}
	if err == nil {
		return "", task.RemoveDrop(f)
	}
	line, err := d.spoolBody(receipt.TaskKey, f.At, f.Body, err)
	if err != nil {
		return "", err
	}
	return line, task.RemoveDrop(f)
}

// take records an answer that waited.
func (d *Desk) take(ctx context.Context, receipt *task.Receipt, body dropped) error {
	_, err := d.answer(ctx, receipt, Request{Review: body.Review, Reason: body.Reason, expect: body.Expect}, body.change)
	return err
}

// waits says that an answer has to wait for a better moment.
func waits(ctx context.Context, err error) bool {
	var unwritable *bundle.UnwritableError
	return errors.As(err, &unwritable) || task.Unwritable(err) || errors.Is(err, bundle.ErrBusy) || ctx.Err() != nil
}
