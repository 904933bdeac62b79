package work

import (
	"context"
	"encoding/json"
	"errors"
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
	body, encodeErr := json.Marshal(dropped{Review: r.Review, Reason: r.Reason, Expect: r.expect, change: c})
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	path, spoolErr := d.Home.Spool(d.Now(), waitingID(key), "json", body)
	if spoolErr != nil {
		return errors.Join(err, spoolErr)
	}
	return &SpooledError{Err: err, Path: path}
}

// spoolBody keeps an answer from the drop box that could not be recorded, and
// returns the line that says so.
func (d *Desk) spoolBody(key string, at time.Time, body []byte, cause error) (string, error) {
	id := uuid.NewString()
	if frozen(cause) {
		id = waitingID(key)
	}
	path, err := d.Home.Spool(at, id, "json", body)
	if err != nil {
		return "", err
	}
	return "ChatRail could not record an answer to a review (" + cause.Error() + "); it is kept in " + path + ".", nil
}

func frozen(err error) bool {
	var f *bundle.FrozenError
	return errors.As(err, &f)
}

// waitingID names an item of the spool that is tried again. One without the
// task's key has been judged for good.
func waitingID(key string) string { return task.SpoolPrefix(key) + uuid.NewString() }

// drainSpool records what a frozen bundle refused, now that it can be written.
func (d *Desk) drainSpool(ctx context.Context, receipt *task.Receipt) ([]string, error) {
	items, err := d.Home.SpoolOf(receipt.TaskKey)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var lines []string
	for _, item := range items {
		data, err := d.Home.SpoolRead(item)
		if err != nil {
			return lines, err
		}
		var body dropped
		if json.Unmarshal(data, &body) != nil {
			continue // of another version
		}
		err = d.take(ctx, receipt, body)
		switch {
		case frozen(err):
			return lines, nil // still
		case waits(ctx, err):
			return lines, err
		case err != nil:
			line, spoolErr := d.spoolBody(receipt.TaskKey, item.At, data, err)
			if spoolErr != nil {
				return lines, spoolErr
			}
			lines = append(lines, line)
		}
		if err := d.Home.SpoolDone(item); err != nil {
			return lines, err
		}
	}
	return lines, nil
}
