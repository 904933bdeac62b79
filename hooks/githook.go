package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// GitLimit is how long git waits for one of its hooks at most; the full program
// is given Limit of it.
const GitLimit = 2 * time.Second

// Blocks is the exit code by which the gate blocks a commit, from the full
// program to the hook that git runs. It is one that nothing else ends with: a
// wrapper or a missing interpreter that fails is no verdict.
const Blocks = 41

// LeanGit is the whole of the program that git's hooks call: NAME and the
// arguments of the hook, its input and environment as git gave them. It hands
// them to the full program, lets go of it when the time is up, and returns the
// exit code, which is not 0 only where the gate blocks.
func LeanGit(args []string) int {
	Lighten()
	signal.Ignore(syscall.SIGPIPE)
	if len(args) == 0 || task.Off(os.Getenv) || args[0] == "post-commit" && replayed() {
		return 0
	}
	full := FullProgram()
	if full == "" {
		return 0
	}
	if args[0] == "pre-push" {
		leanPush(full, args)
		return 0
	}
	limit := patience(GitLimit)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	within := strconv.FormatInt((limit - (GitLimit - Limit)).Milliseconds(), 10)
	cmd := exec.CommandContext(ctx, full, append([]string{"githook", "--within", within}, args...)...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == Blocks && args[0] == "pre-commit" {
		return Blocks
	}
	if err != nil && os.Getenv("CHATRAIL_DEBUG") != "" {
		fmt.Fprintln(os.Stderr, "chatrail git hook:", err)
	}
	return 0
}

// replayed tells the commits of a rebase, for which nothing is started:
// post-rewrite tells of all of them at once.
func replayed() bool {
	repo, err := refs.DiscoverEnv("", os.Getenv)
	return err == nil && worktree.Replayed(context.Background(), repo)
}

// patience is a limit, or what the environment lengthens it to.
func patience(limit time.Duration) time.Duration {
	if ms, err := strconv.Atoi(os.Getenv(Patience)); err == nil && ms > 0 {
		return max(limit, time.Duration(min(ms, int(maxPatience.Milliseconds())))*time.Millisecond)
	}
	return limit
}
