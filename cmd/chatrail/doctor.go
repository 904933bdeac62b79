package main

import (
	"fmt"
	"os"

	"chatrail/hooks/agent"
	"chatrail/hooks/doctor"
	"chatrail/hooks/wire"
	"chatrail/hooks/work"
)

type doctorCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

func (c *doctorCmd) Run(a *app) error {
	self, _ := os.Executable() // unknown: its neighbours are not looked at
	d, err := a.desk()
	if err != nil {
		return c.say(a, doctor.Homeless(a.ctx, doctor.Visit{Self: self}, err))
	}
	env, err := a.wireEnv()
	if err != nil {
		return err
	}
	report, err := doctor.Examine(a.ctx, doctor.Visit{
		Desk: d, Session: c.SessionID, Top: env.Top, Self: self, Client: findProgram,
		Wiring: func(h agent.Host) []wire.Wiring { return wire.Both(h, env) },
		Places: func(h agent.Host) []string {
			if twice := wire.Doubled(h, env); twice != nil {
				return twice
			}
			return wire.Elsewhere(h, wire.User, env)
		},
		Off: func(h agent.Host) []wire.Switch { return wire.SwitchedOff(h, env) },
	})
	if err != nil {
		return err
	}
	return c.say(a, report)
}

// say prints a report; one with a problem is refused.
func (c *doctorCmd) say(a *app, report *doctor.Report) (err error) {
	if c.JSON {
		err = a.json(report)
	} else {
		a.diagnosis(report)
	}
	if err == nil && report.Problems() > 0 {
		return &quietError{exitRefused}
	}
	return err
}

// diagnosis prints a report: what is in order in one word, what is not with the
// next step below it.
func (a *app) diagnosis(r *doctor.Report) {
	about := ""
	for _, l := range r.Lines {
		if l.About != about {
			about = l.About
			a.lines(about)
		}
		fmt.Fprintf(a.out, "  %-8s %s\n", l.Level, work.Fold(l.Text))
		if l.Next != "" {
			fmt.Fprintf(a.out, "           -> %s\n", work.Fold(l.Next))
		}
	}
	a.lines(r.Summary())
}
