package main

import (
	"fmt"
	"os"

	"chatrail/hooks"
	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

type checkCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

// Run is the commit gate: silent and 0 while it is open. It opens as well where
// there is no place to look, as whatever else goes wrong in it.
func (c *checkCmd) Run(a *app) error {
	verdict := work.CheckResult{Open: true}
	if d, err := a.desk(); err == nil {
		verdict = d.Check(a.ctx, work.CheckOptions{Session: c.SessionID, Program: agentProgram(a.env)})
	}
	if c.JSON {
		if err := a.json(verdict); err != nil {
			return err
		}
	} else {
		for _, line := range verdict.Words() {
			fmt.Fprintln(a.err, line)
		}
	}
	if !verdict.Open {
		return &quietError{exitRefused}
	}
	return nil
}

// agentProgram is how the caller's shell calls this program.
func agentProgram(env func(string) string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	agent, _, _ := task.InAgent(env)
	return hooks.AgentCommand(self, agent)
}
