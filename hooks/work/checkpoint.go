package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/words"
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

// handTime bounds the look at a work tree that a person asked for.
const handTime = 30 * time.Second

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
	var red redactor
	n := Noting{Do: DoCheckpoint, Note: red.text(r.Note), Text: red.text(r.Prose)}
	if err == nil && !r.DryRun {
		err = d.mayNote(n, r.Session)
	}
	if err != nil {
		_, err = red.tellNoted(nil, d.keepText(n, err))
		return nil, err
	}
	look, stop := context.WithTimeout(ctx, handTime)
	defer stop()
	c, err := d.derive(look, s, true)
	if err != nil {
		return nil, err
	}
	c.redact(&red)
	done := &Checkpointed{Checkpoint: c.Checkpoint, Text: c.Text(n.Text)}
	if r.DryRun {
		return done, nil
	}
	d.sign(&n, s)
	n.redact(&red)
	c.into(&n)
	noted, err := d.note(ctx, s, n)
	if done.Noted, err = red.tellNoted(noted, d.keepText(n, err)); err != nil {
		return nil, err
	}
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
			now.notes(x, callers(n.Task, n.Adopted))
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
		c.Changed[i].Path = r.path(c.Changed[i].Path)
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

// summary says in a few words what would be lost, "" for nothing.
func summary(c chronicle.Checkpoint) string {
	var parts []string
	add := func(n int, one, many, names string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one+" ("+names+")")
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, many, names))
		}
	}
	fresh := freshPaths(c)
	add(len(fresh), "changed path", "changed paths", some(fresh, 3, func(p chronicle.Path) string { return p.Path }))
	add(len(c.InFlight), "work item in flight", "work items in flight", some(c.InFlight, 3, func(r chronicle.Ref) string { return r.Title }))
	add(len(c.Commits), "commit not described yet", "commits not described yet", some(c.Commits, 3, func(u chronicle.Uncovered) string { return u.Subject }))
	add(len(c.Memory), "memory note to settle", "memory notes to settle", some(c.Memory, 3, func(o chronicle.Obligation) string { return o.Name }))
	return strings.Join(parts, ", ")
}

// freshPaths are the changed paths that are work of the task.
func freshPaths(c chronicle.Checkpoint) (fresh []chronicle.Path) {
	for _, p := range c.Changed {
		if !p.Earlier {
			fresh = append(fresh, p)
		}
	}
	return fresh
}

// some names the first few of a list, harmless to say, and counts the rest.
func some[T any](items []T, most int, name func(T) string) string {
	var names []string
	for _, item := range items[:min(most, len(items))] {
		names = append(names, words.Cut(words.Harmless(name(item)), 80))
	}
	text := strings.Join(names, "; ")
	if more := len(items) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// MarshalJSON is the checkpoint, and beside its keys what was "written".
func (c *Checkpointed) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(c.Checkpoint)
	if err != nil || c.Noted == nil {
		return data, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, err
	}
	if keys["written"], err = json.Marshal(c.Noted); err != nil {
		return nil, err
	}
	return json.Marshal(keys)
}
