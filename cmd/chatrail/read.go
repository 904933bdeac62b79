package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/words"
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
	lines := work.FourLines(rev.State)
	if c.JSON {
		return errors.Join(a.json(map[string]any{
			"north": rev.State.Rail.North, "now": rev.State.Compass.Heading.Context,
			"heading": []int{rev.State.Compass.Heading.X, rev.State.Compass.Heading.Y},
			"drift":   rev.State.Compass.Drift, "return_path": rev.State.Compass.ReturnPath,
			"revision": rev.ID,
		}), warn)
	}
	for _, l := range lines {
		a.lines(l.Text)
	}
	return warn
}

// revision reads the revision that a reading command means. A frozen bundle is
// read as far as it goes, and warn says so after what was read.
func (a *app) revision(session, at string) (rev *bundle.Revision, warn, err error) {
	d, err := a.desk()
	if err != nil {
		return nil, nil, err
	}
	s, err := d.Scope(a.ctx, session)
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
		v := map[string]any{"revision": rev.ID}
		if what != "rail" {
			v["compass"] = rev.State.Compass.JSON()
		}
		if what != "compass" {
			v["rail"] = rev.State.Rail.JSON()
		}
		return errors.Join(a.json(v), warn)
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

type logCmd struct {
	session
	Max  int  `short:"n" default:"20" help:"At most this many; 0 for all."`
	JSON bool `help:"Print one JSON object a line."`
}

func (c *logCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Scope(a.ctx, c.SessionID)
	if err != nil {
		return err
	}
	n := 0
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return s.History(a.ctx, func(e work.Entry) (bool, error) {
		n++
		if c.JSON {
			if err := enc.Encode(e); err != nil {
				return false, err
			}
		} else {
			a.logEntry(e)
		}
		return c.Max <= 0 || n < c.Max, nil
	})
}

func (a *app) logEntry(e work.Entry) {
	line := e.Revision[:min(12, len(e.Revision))] + "  " + e.Time.Local().Format("2006-01-02 15:04") + "  " + words.Harmless(e.Reason)
	if e.Task != "" {
		line += "  (task " + e.Task[:min(12, len(e.Task))]
		if e.Agent != "" {
			line += ", " + words.Harmless(e.Agent)
		}
		line += ")"
	}
	a.lines(line)
	for _, c := range e.Changes {
		a.lines("    " + words.Harmless(c))
	}
}

type eventsCmd struct{ session }

func (c *eventsCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Scope(a.ctx, c.SessionID)
	if err != nil {
		return err
	}
	return s.Events(a.ctx, func(line []byte) error {
		_, err := a.out.Write(append(line, '\n'))
		return err
	})
}

type validateCmd struct {
	session
	Path string `arg:"" optional:"" help:"A folder with a bundle, or a .chatrail folder."`
	JSON bool   `help:"Print JSON."`
}

func (c *validateCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	report, what, err := d.Validate(a.ctx, c.Path, c.SessionID)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(report); err != nil {
			return err
		}
	} else {
		printReport(a.out, what, report)
	}
	if !report.Valid {
		return &quietError{exitFrozen}
	}
	return nil
}

func printReport(out io.Writer, what string, r *work.Validation) {
	if r.Valid {
		fmt.Fprintf(out, "%s: valid, %d events\n", what, r.Events)
	} else {
		fmt.Fprintf(out, "%s: frozen: %s\n", what, r.Frozen)
	}
	for _, t := range r.Pending {
		fmt.Fprintf(out, "  the last change of %s is recorded and not finished; the next write finishes it\n", t)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(out, "  %s\n", w)
	}
}

type statusCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

func (c *statusCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	st, err := d.Status(a.ctx, c.SessionID)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.json(st)
	} else {
		a.status(st)
	}
	if err == nil && st.Frozen != "" {
		return &quietError{exitFrozen}
	}
	return err
}

// status prints what there is to know, one fact a line.
func (a *app) status(st *work.Status) {
	say := func(name, value string) {
		if value != "" {
			fmt.Fprintf(a.out, "%-11s %s\n", name+":", words.Harmless(value))
		}
	}
	if st.Bundle == "" {
		say("bundle", "none here: make one with `chatrail init`; a task without one keeps a private bundle")
	}
	say("bundle", st.Bundle)
	say("backend", st.Backend)
	say("where", st.Where)
	say("ref", st.Ref)
	say("tip", st.Tip)
	say("moved", st.Moved)
	say("north", st.North)
	say("task", st.Task)
	say("agent", st.Agent)
	if st.Task != "" {
		if st.Pinned == "" {
			st.Pinned = "not yet: at its first prompt"
		}
		say("pin", st.Pinned)
		if st.Review == "" {
			st.Review = "none open"
		}
		say("review", st.Review)
	}
	if st.Bundle != "" {
		frozen := "no"
		if st.Frozen != "" {
			frozen = "yes: " + st.Frozen
		}
		say("frozen", frozen)
		say("repair", st.Repair)
		trusted := "no: its words are not shown to agents; `chatrail trust` lets them"
		if st.Trusted {
			trusted = "yes"
		}
		say("trusted", trusted)
	}
	say("paused", st.Paused)
	say("elsewhere", st.Elsewhere)
	if st.Inside != "" {
		say("inside", "a submodule of "+st.Inside)
	}
	if st.Unread != "" {
		say("unread", st.Unread+" is no longer read: the ref is the bundle")
	}
	for _, w := range st.Waiting {
		say("waiting", w)
	}
	for _, n := range st.NotSettled {
		say("look at", n)
	}
	for _, s := range st.LastSeen {
		say("hook", s.Host+" "+s.Event+", last seen "+words.Age(time.Since(s.At)))
	}
	if len(st.LastSeen) == 0 {
		say("hook", "none seen yet: see the README for how to wire them")
	}
	say("state home", st.StateHome)
}
