package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"chatrail/hooks/work"
)

// sharing is what push, fetch and sync have in common.
type sharing struct {
	Remote  string        `arg:"" optional:"" help:"A remote by its name or URL; the one that git would choose unless given."`
	Road    []string      `help:"Only this one: project, or the name of an own road. May be given several times." placeholder:"NAME"`
	DryRun  bool          `help:"Say what would happen, and change nothing."`
	Timeout time.Duration `help:"Give up after this time, as in 30s; ten minutes at a terminal and two elsewhere unless given." placeholder:"TIME"`
	JSON    bool          `help:"Print JSON."`
}

// Validate is called by the parser.
func (c *sharing) Validate() error {
	if c.Timeout < 0 {
		return errors.New("--timeout is a time to come")
	}
	return nil
}

func (c *sharing) options(a *app) work.SyncOptions {
	o := work.SyncOptions{Remote: c.Remote, Roads: c.Road, DryRun: c.DryRun, Limit: c.Timeout, Ask: atTerminal(os.Stdin)}
	if atTerminal(os.Stderr) && !c.JSON {
		o.Progress = a.err
	}
	return o
}

type pushCmd struct{ sharing }

func (c *pushCmd) Run(a *app) error {
	o := c.options(a)
	o.Push = true
	return c.sync(a, o)
}

type syncCmd struct {
	sharing
	Join bool `help:"Put together two histories that began apart."`
	All  bool `help:"Bring the roads of others too, however many there are."`
}

func (c *syncCmd) Run(a *app) error {
	o := c.options(a)
	o.Join, o.All = c.Join, c.All
	return c.sync(a, o)
}

func (c *sharing) sync(a *app, o work.SyncOptions) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Sync(a.ctx, o)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(s); err != nil {
			return err
		}
	} else {
		a.lines(s.Lines(o.DryRun)...)
		for _, line := range s.Failures() {
			fmt.Fprintln(a.err, "chatrail: "+work.Fold(line))
		}
	}
	switch {
	case s.Frozen():
		return &quietError{exitFrozen}
	case s.Failed:
		return &quietError{exitRefused}
	}
	return nil
}

type fetchCmd struct {
	sharing
	List bool `help:"Only list what the remote has."`
}

func (c *fetchCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	o := c.options(a)
	f, err := d.Fetch(a.ctx, o, c.List)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(f)
	}
	a.lines(f.Lines()...)
	return nil
}

func atTerminal(f io.Reader) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && isTerminal(info)
}
