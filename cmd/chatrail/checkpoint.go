package main

import (
	"strings"

	"chatrail/hooks/work"
)

type checkpointCmd struct {
	session
	given
	Prose  []string `arg:"" optional:"" help:"What only the session knows: why, what failed, what is half done."`
	Entry  string   `help:"The note it goes to, in place of the active draft." placeholder:"NOTE"`
	DryRun bool     `help:"Show it and write nothing."`
	JSON   bool     `help:"Print JSON."`
}

func (c *checkpointCmd) Run(a *app) error {
	prose, err := c.text(a, c.Prose, false)
	if err != nil {
		return err
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	done, err := d.Checkpoint(a.ctx, work.CheckpointRequest{Prose: prose, Note: c.Entry, Session: c.SessionID, DryRun: c.DryRun})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return a.json(done)
	case c.DryRun:
		return a.document(strings.TrimSuffix(done.Text, "\n") + "\n")
	}
	a.lines(done.Words()...)
	return nil
}
