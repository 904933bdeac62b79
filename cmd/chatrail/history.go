package main

import (
	"encoding/json"
	"fmt"
	"io"

	"chatrail/hooks/work"
)

type logCmd struct {
	session
	At   string `help:"From this revision down." placeholder:"REV"`
	Max  int    `short:"n" default:"20" help:"At most this many; 0 for all."`
	JSON bool   `help:"Print one JSON object a line."`
}

func (c *logCmd) Run(a *app) error {
	s, err := a.scope(c.SessionID)
	if err != nil {
		return err
	}
	n := 0
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return s.History(a.ctx, c.At, func(e work.Entry) (bool, error) {
		n++
		if c.JSON {
			if err := enc.Encode(e); err != nil {
				return false, err
			}
		} else {
			a.lines(e.Words()...)
		}
		return c.Max <= 0 || n < c.Max, nil
	})
}

type eventsCmd struct {
	session
	At   string `help:"Up to this revision." placeholder:"REV"`
	JSON bool   `help:"JSON lines, as always."`
}

func (c *eventsCmd) Run(a *app) error {
	s, err := a.scope(c.SessionID)
	if err != nil {
		return err
	}
	return s.Events(a.ctx, c.At, func(line []byte) error {
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
		fmt.Fprintf(out, "%s: valid, %s\n", what, count(r.Events, "event"))
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

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
