package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
)

// CheckpointRequest asks for a checkpoint by hand.
type CheckpointRequest struct {
	Prose   string // what only the session knows
	Note    string // where it lands, in place of the caller's active draft
	Session string
	DryRun  bool // derive and write nothing
}

// Checkpointed is a checkpoint and what became of it.
type Checkpointed struct {
	chronicle.Checkpoint
	Text  string // as the note keeps it
	Noted *Noted // nil after a dry run
}

// Checkpoint derives what would be lost and writes it down with the prose under
// it. A person who asks for one gets one, whatever there is to lose.
func (d *Desk) Checkpoint(ctx context.Context, r CheckpointRequest) (*Checkpointed, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	s, err := d.Scope(ctx, r.Session)
	var none *NoBundleError
	if r.DryRun && errors.As(err, &none) {
		s, err = &Scope{Key: d.task(r.Session)}, nil
	}
	if err != nil {
		return nil, err
	}
	n := Noting{Do: DoCheckpoint, Note: r.Note, Text: r.Prose}
	if !r.DryRun {
		if err := d.mayNote(n, r.Session); err != nil {
			return nil, err
		}
	}
	c, err := d.derive(ctx, s, true)
	if err != nil {
		return nil, err
	}
	var red redactor
	c.redact(&red)
	n.Text = red.text(n.Text)
	done := &Checkpointed{Checkpoint: c.Checkpoint, Text: c.Text(n.Text)}
	if r.DryRun {
		return done, nil
	}
	d.sign(&n, s)
	n.redact(&red)
	c.into(&n)
	if done.Noted, err = d.note(ctx, s, n); err != nil {
		return nil, err
	}
	done.Noted.Redacted, done.Noted.secrets = red.rules(), red.words()
	return done, nil
}

// into makes a noting write the checkpoint: the notes as they are when it is
// written, all else as it was derived.
func (c derived) into(n *Noting) {
	prose := n.Text
	if prose != "" {
		n.Covers = c.Covers()
	}
	n.Title = c.title()
	n.render = func(x *chronicle.Index) (text, state string) {
		now := c
		if x != nil {
			now.notes(x, n.Task)
		}
		text = now.Text(prose)
		if prose != "" {
			now.Commits = nil // accounted for from here on
		}
		return text, now.Fingerprint()
	}
}

// title is that of a draft that a checkpoint opens.
func (c derived) title() string {
	switch {
	case c.named != "":
		return "Checkpoint: " + bundle.OneLine(c.named, 100)
	case c.Branch != "":
		return "Checkpoint on " + bundle.OneLine(c.Branch, 100)
	}
	return "Checkpoint"
}

// redact takes secrets out of everything that came from outside the bundle.
func (c *derived) redact(r *redactor) {
	c.Branch, c.Trouble = r.text(c.Branch), r.text(c.Trouble)
	for i := range c.Changed {
		c.Changed[i].Path = r.text(c.Changed[i].Path)
	}
	for i := range c.Commits {
		c.Commits[i].Subject = r.text(c.Commits[i].Subject)
	}
	for i := range c.Memory {
		c.Memory[i].Name, c.Memory[i].Description = r.text(c.Memory[i].Name), r.text(c.Memory[i].Description)
	}
}

// Words tells whoever asked where the checkpoint is and what it holds.
func (c *Checkpointed) Words() []string {
	lines := c.Noted.Words()
	if sum := summary(c.Checkpoint); sum != "" {
		lines = append(lines, "It holds "+sum+".")
	}
	return lines
}

// summary counts what would be lost, "" for nothing.
func summary(c chronicle.Checkpoint) string {
	var parts []string
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	fresh := 0
	for _, p := range c.Changed {
		if !p.Earlier {
			fresh++
		}
	}
	count(fresh, "changed path", "changed paths")
	count(len(c.InFlight), "work item in flight", "work items in flight")
	count(len(c.Commits), "commit not described yet", "commits not described yet")
	count(len(c.Memory), "memory note to settle", "memory notes to settle")
	return strings.Join(parts, ", ")
}

// MarshalJSON is the checkpoint with what became of it beside it.
func (c *Checkpointed) MarshalJSON() ([]byte, error) {
	all := map[string]json.RawMessage{}
	for _, part := range []any{c.Checkpoint, c.Noted} {
		data, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(data, &keys); err != nil {
			return nil, err
		}
		maps.Copy(all, keys)
	}
	return json.Marshal(all)
}
