package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// PushLimit is how long a push of the user's waits for ours at most. CarryLimit
// is what the full program is given of it.
const (
	PushLimit  = 5 * time.Second
	CarryLimit = PushLimit - (GitLimit - Limit)
)

// Carrying is the environment variable that marks everything a pre-push hook of
// ours starts: a pre-push hook that finds it does nothing, whoever pushes.
const Carrying = "CHATRAIL_CARRYING"

// said begins every line that ChatRail says to a person.
const said = "chatrail: "

// leanPush hands a pre-push hook to the full program. Nothing that becomes of it
// is anything to the push, which gets one line at most.
func leanPush(full string, args []string) {
	if os.Getenv(Carrying) != "" || dryRun(os.Getppid()) {
		return
	}
	limit := patience(PushLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	within := strconv.FormatInt((limit - (PushLimit - CarryLimit)).Milliseconds(), 10)
	cmd := exec.CommandContext(ctx, full, append([]string{"githook", "--within", within}, args...)...)
	cmd.Stdin = os.Stdin
	cmd.Env = append(os.Environ(), Carrying+"=1")
	for _, line := range carry(ctx, cmd, os.Getenv("CHATRAIL_DEBUG") != "") {
		fmt.Fprintln(os.Stderr, line)
	}
}

// carry runs the full program apart and returns the lines that it said, or the one
// that says that it broke off. Whatever else it wrote, as a bug does, is shown only
// when somebody asked, and then as it comes.
func carry(ctx context.Context, cmd *exec.Cmd, debug bool) (lines []string) {
	apart(cmd)
	heard := &head{left: maxHeard}
	cmd.Stderr = heard
	if debug {
		cmd.Stderr = io.MultiWriter(heard, os.Stderr)
	}
	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Start(); err != nil {
		return nil // as where there is no program
	}
	err := cmd.Wait()
	if debug {
		return nil
	}
	for line := range strings.Lines(heard.String()) {
		if strings.HasPrefix(line, said) && len(lines) < maxSaid {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	var exit *exec.ExitError
	switch {
	case len(lines) > 0:
		return lines
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return []string{said + "the orientation did not go along: there was no end to it in time"}
	case ctx.Err() == nil && errors.As(err, &exit) && !endedApart(exit.ProcessState):
		return []string{said + "the orientation did not go along: chatrail broke off (" + exit.String() + "); CHATRAIL_DEBUG=1 shows why"}
	}
	return nil
}

// Bounds of what is kept of what the full program writes, and of what is said.
const (
	maxHeard = 16 << 10
	maxSaid  = 2
)

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.left)]
	h.left -= len(kept)
	h.Buffer.Write(kept)
	return len(p), nil
}
