package work

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/hooks/task"
)

// spool keeps what somebody wrote when a frozen bundle refused it: it is
// recorded once the bundle can be written again. Other refusals are answered at
// once by whoever wrote it.
func (d *Desk) spool(err error, key string, r Request, c change) error {
	if c.empty() || !frozen(err) {
		return err
	}
	body := dropped{Review: r.Review, Reason: r.Reason, change: c}
	body.Branch, body.Head = d.stands(r)
	data, encodeErr := json.Marshal(body)
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	// The same words again are the same item.
	id := uuid.NewSHA1(uuid.NameSpaceOID, data).String()
	path, spoolErr := d.Home.Spool(d.Now(), task.SpoolPrefix(key)+id, "json", data)
	if spoolErr != nil {
		return errors.Join(err, spoolErr)
	}
	return &SpooledError{Err: err, Path: path}
}

// setAside keeps an answer that waited and could not be recorded, and remembers
// to say so. One that a frozen bundle refused is tried again: its id carries the
// task's key. One without it has been judged for good.
func (d *Desk) setAside(receipt *task.Receipt, id string, at time.Time, body []byte, cause error) error {
	if frozen(cause) {
		id = task.SpoolPrefix(receipt.TaskKey) + id
	}
	path, err := d.Home.Spool(at, id, "json", body)
	if err != nil {
		return err
	}
	return d.tell(receipt, "ChatRail could not record what waited for this task ("+cause.Error()+"); it is kept in "+path+".")
}

func frozen(err error) bool {
	var f *bundle.FrozenError
	return errors.As(err, &f)
}

// drainSpool records what a frozen bundle refused, now that it can be written.
func (d *Desk) drainSpool(ctx context.Context, receipt *task.Receipt) error {
	items, err := d.Home.SpoolOf(receipt.TaskKey)
	if err != nil {
		return err
	}
	for _, item := range items {
		data, err := d.Home.SpoolRead(item)
		if err != nil {
			return err
		}
		id := strings.TrimPrefix(item.ID, task.SpoolPrefix(receipt.TaskKey))
		err = d.takeSpooled(ctx, receipt, data, id, item.At)
		if errors.Is(err, errVersion) {
			continue
		}
		switch {
		case frozen(err):
			return nil // still
		case waits(ctx, err):
			return err
		case err != nil:
			if err := d.setAside(receipt, id, item.At, data, err); err != nil {
				return err
			}
		}
		if err := d.Home.SpoolDone(item); err != nil {
			return err
		}
	}
	return nil
}

// errVersion says that an item was left by another version, whose it is.
var errVersion = errors.New("of another version")

// takeSpooled records an answer to a review, or a change of the chronicle.
func (d *Desk) takeSpooled(ctx context.Context, receipt *task.Receipt, data []byte, id string, at time.Time) error {
	var body struct {
		Do Deed `json:"op"`
		dropped
	}
	if json.Unmarshal(data, &body) != nil {
		return errVersion
	}
	if body.Do == "" {
		return d.take(ctx, receipt, body.dropped, id, at)
	}
	var n Noting
	if json.Unmarshal(data, &n) != nil {
		return errVersion
	}
	n.ID, n.Task = id, receipt.TaskKey
	return d.takeNote(ctx, receipt, n)
}
