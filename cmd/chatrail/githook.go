package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"chatrail/hooks"
	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

// githookMain carries out a hook of git's for chatrail-hook: NAME and what git
// gave it. It is silent but for the words of a gate that blocks, and so is its
// exit code.
func githookMain(args []string) int {
	hooks.Lighten()
	signal.Ignore(syscall.SIGPIPE)
	limit := hooks.Limit
	if len(args) > 1 && args[0] == "--within" {
		if ms, err := strconv.Atoi(args[1]); err == nil && ms > 0 {
			limit = time.Duration(ms) * time.Millisecond
		}
		args = args[2:]
	}
	if len(args) == 0 || task.Off(os.Getenv) {
		return exitDone
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan int, 1)
	go func() {
		// A bug is ours to find, never the committer's to suffer.
		defer func() {
			if bug := recover(); bug != nil {
				debugGit(fmt.Errorf("bug: %v", bug))
				done <- exitDone
			}
		}()
		code, err := githook(ctx, args[0], args[1:])
		debugGit(err)
		done <- code
	}()
	wait := limit
	if args[0] == "pre-push" {
		wait += lastWords
	}
	select {
	case code := <-done:
		return code
	case <-time.After(wait):
		debugGit(context.DeadlineExceeded)
		hooks.EndApart() // what a push started does not outlive it
		return exitDone
	}
}

// lastWords is how long a push waits for the line about what took too long.
const lastWords = 100 * time.Millisecond

func githook(ctx context.Context, name string, args []string) (int, error) {
	home, err := task.FindHome(os.Getenv)
	if err != nil {
		return exitDone, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitDone, err
	}
	d := newDesk(home, os.Getenv, dir)
	switch name {
	case "post-commit":
		return exitDone, d.PostCommit(ctx)
	case "post-rewrite":
		how := ""
		if len(args) > 0 {
			how = args[0]
		}
		return exitDone, d.PostRewrite(ctx, how, os.Stdin)
	case "pre-commit":
		verdict := d.Check(ctx, work.CheckOptions{Program: agentProgram(os.Getenv)})
		for _, line := range verdict.Words() {
			fmt.Fprintln(os.Stderr, line)
		}
		if !verdict.Open {
			return hooks.Blocks, nil
		}
	case "pre-push":
		if len(args) < 2 {
			return exitDone, errors.New("a push has a remote and a URL")
		}
		carried := d.PrePush(ctx, args[0], args[1], os.Stdin)
		for _, line := range carried.Lines {
			fmt.Fprintln(os.Stderr, line)
		}
		if carried.Late {
			hooks.EndApart()
		}
	}
	return exitDone, nil
}

// debugGit tells why a hook did nothing, when somebody asked.
func debugGit(err error) {
	if err != nil && os.Getenv("CHATRAIL_DEBUG") != "" {
		fmt.Fprintln(os.Stderr, "chatrail githook:", err)
	}
}
