package main

import (
	"context"
	"os"

	"chatrail/hooks"
	"chatrail/hooks/task"
)

type statuslineCmd struct{}

// statuslineMain prints the status line of a session, which comes as JSON on
// standard input, or nothing, and exits 0 whatever happens. --look SESSION looks
// at the session's open loops for the next line.
func statuslineMain(args []string) {
	switch {
	case len(args) == 0 && terminal(os.Stdin):
		os.Stderr.WriteString("chatrail: statusline is called by Claude Code, with its JSON on standard input; the README says how to set it\n")
	case len(args) == 0:
		self, _ := os.Executable() // unknown: nobody looks again
		hooks.LeanStatusLine(self)
	case len(args) == 2 && args[0] == "--look":
		hooks.Lighten()
		home, err := task.FindHome(os.Getenv)
		if err != nil {
			return
		}
		dir, _ := os.Getwd() // gone: then the bundle's place says where
		_ = newDesk(home, os.Getenv, dir).Look(context.Background(), args[1])
	case args[0] == "--help":
		os.Exit(run([]string{"statusline", "--help"}))
	default:
		os.Stderr.WriteString("chatrail: statusline takes no arguments\n")
	}
}

func (statuslineCmd) Run(*app) error { return nil }

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && isTerminal(info)
}
