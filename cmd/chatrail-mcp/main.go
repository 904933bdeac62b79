// Command chatrail-mcp serves the tools of ChatRail to one client of the Model
// Context Protocol, on standard input and output. `chatrail mcp` starts it: it is
// a program of its own because what it links would slow down every start of
// chatrail, which agents run on every turn.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"chatrail/gitstore/worktree/fallback"
	"chatrail/hooks/task"
	"chatrail/hooks/tools"
	"chatrail/hooks/work"
)

// version is set by a release, as that of chatrail is.
var version = "0.3.0-dev"

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	o := tools.Options{Version: version, Env: os.Getenv}
	flags := flag.NewFlagSet("chatrail mcp", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // `chatrail mcp --help` has the help
	flags.StringVar(&o.Session, "session-id", "", "the agent's session id, where neither the client nor the environment tells it")
	flags.BoolVar(&o.Child, "child", false, "serve a sub-agent: it reads and never writes")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "chatrail: %v; see chatrail mcp --help\n", err)
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "chatrail: %q is no argument of mcp; see chatrail mcp --help\n", flags.Arg(0))
		return 2
	}
	home, err := task.FindHome(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chatrail: "+work.ErrorLine(err))
		return 1
	}
	if o.Dir, err = os.Getwd(); err != nil {
		o.Dir = "" // gone: a call may name another one
	}
	o.Desk = func(dir string) *work.Desk {
		d := work.NewDesk(home, os.Getenv, dir)
		d.Fallback = fallback.Status
		return d
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr // nothing but the protocol goes to where the client reads
	if err := tools.Serve(ctx, o, in, out); err != nil {
		fmt.Fprintln(os.Stderr, "chatrail: "+work.ErrorLine(err))
		return 1
	}
	return 0
}
