package main

import (
	"os"
	"strconv"
	"time"

	"chatrail/hooks"
	"chatrail/hooks/task"
)

// hookCmd stands in the grammar for its help; hookMain does the work.
type hookCmd struct {
	Host  string `arg:"" help:"The agent that calls: claude, codex, gemini, copilot or opencode."`
	Event string `arg:"" optional:"" help:"The event, where the agent's payload does not name it (copilot)."`
}

// hookMain carries out one event with the bundles themselves. It prints what
// the host accepts or nothing, and exits 0 whatever happens.
//
// --reduced and --within are for chatrail-hook, which has read the payload.
func hookMain(args []string) {
	call := hooks.Call{In: os.Stdin, Out: os.Stdout, Env: os.Getenv}
	for len(args) > 0 && len(args[0]) > 2 && args[0][:2] == "--" {
		switch {
		case args[0] == "--reduced":
			call.Reduced = true
		case args[0] == "--within" && len(args) > 1:
			if ms, err := strconv.Atoi(args[1]); err == nil {
				call.Limit = time.Duration(ms) * time.Millisecond
			}
			args = args[1:]
		case args[0] == "--help":
			os.Exit(run([]string{"hook", "--help"}))
		}
		args = args[1:]
	}
	if len(args) < 1 || len(args) > 2 {
		os.Stderr.WriteString("chatrail: hook takes the agent that calls: chatrail hook " + hooks.Usage() + "\n")
		return
	}
	call.Host = args[0]
	if len(args) == 2 {
		call.Event = args[1]
	}
	if self, err := os.Executable(); err == nil {
		call.Program = hooks.AgentCommand(self, call.Host)
	}
	call.Store = func(h task.Home) hooks.Store { return newDesk(h, os.Getenv, "") }
	hooks.Run(call)
}

func (hookCmd) Run(*app) error { return nil }
