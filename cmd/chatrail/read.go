package main

import (
	"errors"
	"fmt"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

type reorientCmd struct {
	session
	At   string `help:"As it was at a revision." placeholder:"REV"`
	JSON bool   `help:"Print JSON."`
}

func (c *reorientCmd) Run(a *app) error {
	rev, warn, err := a.revision(c.SessionID, c.At)
	if err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(a.json(work.Reorient(rev)), warn)
	}
	for _, l := range work.FourLines(rev.State) {
		a.lines(l.Text)
	}
	return warn
}

// revision reads the revision that a reading command means. A frozen bundle is
// read as far as it goes, and warn says so after what was read.
func (a *app) revision(session, at string) (rev *bundle.Revision, warn, err error) {
	s, err := a.scope(session)
	if err != nil {
		return nil, nil, err
	}
	return s.Revision(a.ctx, at)
}

type showCmd struct {
	session
	What string `arg:"" optional:"" help:"compass, rail, or a revision; both live truths unless given."`
	Rev  string `arg:"" optional:"" help:"A revision, or the beginning of its id."`
	At   string `help:"As it was at a revision." placeholder:"REV"`
	JSON bool   `help:"Print JSON."`
}

func (c *showCmd) Run(a *app) error {
	what, at := c.What, c.Rev
	if what != "" && what != "compass" && what != "rail" {
		if at != "" {
			return &usageError{"show takes compass or rail, then a revision"}
		}
		what, at = "", what
	}
	if c.At != "" {
		at = c.At
	}
	rev, warn, err := a.revision(c.SessionID, at)
	if err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(a.json(work.Shown(rev, bundle.Target(what))), warn)
	}
	if what != "rail" {
		data, err := bundle.EncodeCompass(rev.State.Compass)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "# %s\n%s", bundle.CompassFile, data)
	}
	if what != "compass" {
		data, err := bundle.EncodeRail(rev.State.Rail)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "# %s\n%s", bundle.RailFile, data)
	}
	return warn
}
