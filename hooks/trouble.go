package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// at is where a call is, once its payload was read.
type at struct {
	home    task.Home
	payload agent.Payload
}

// failure is that of a call, which counts once: where the time is up, what the
// limit broke off says so as well.
type failure struct {
	once sync.Once
	line []byte
}

// failed writes down a failure inside a hook, for `status` to show, and returns
// what the host is told: nothing, but for one line to the person, once for each
// cause, where the event carries one.
func (c Call) failed(err error) []byte {
	c.debug(err)
	c.fail.once.Do(func() { c.fail.line = c.report(err) })
	return c.fail.line
}

func (c Call) report(err error) []byte {
	where := c.at.Load()
	if where == nil {
		return nil // no event of ours, or no place to remember it
	}
	p, t := where.payload, where.trouble(err)
	line := agent.Render(p.Host, p.EventName, agent.Words{UserNote: trouble(t)})
	if !where.home.NoteTrouble(t, len(line) > 0 && !p.Event.Child) {
		return nil
	}
	return line
}

// noted is failed where the event has words of its own: the line comes later.
func (c Call) noted(err error) {
	c.debug(err)
	if where := c.at.Load(); where != nil {
		where.home.NoteTrouble(where.trouble(err), false)
	}
}

func (a *at) trouble(err error) task.Trouble {
	return task.Trouble{Cause: words.Harmless(err.Error()), Host: string(a.payload.Host), Event: a.payload.EventName,
		Last: time.Now(), Passing: passing(err)}
}

// late is failed where the time is up. Writing it down may be what hangs.
func (c Call) late(err error) {
	done := make(chan []byte, 1)
	go func() {
		defer func() { _ = recover() }()
		done <- c.failed(err)
	}()
	select {
	case line := <-done:
		if len(line) > 0 {
			c.Out.Write(line)
		}
	case <-time.After(lateWait):
	}
}

// lateWait is within what is left between the limit and a host's patience.
const lateWait = 150 * time.Millisecond

// passing says that a failure may be gone the next time: somebody was faster.
func passing(err error) bool {
	return errors.Is(err, task.ErrBusy) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// catchUpWait bounds what there is to say already: it must not be lost over this.
const catchUpWait = 50 * time.Millisecond

// catchUp adds the line about a failure that happened where nothing can be said.
func (c Call) catchUp(ctx context.Context, home task.Home, p agent.Payload, said *agent.Words) {
	if p.Event.Child || p.Event.Kind != turn.SessionStart && p.Event.Kind != turn.Prompt || said.UserNote != "" ||
		len(agent.Render(p.Host, p.EventName, agent.Words{UserNote: "x"})) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, catchUpWait)
	defer cancel()
	if t, ok := home.UntoldTrouble(ctx, time.Now()); ok {
		said.UserNote = trouble(t)
	}
}

// trouble is the one line about a failure.
func trouble(t task.Trouble) string {
	return "ChatRail failed in a hook (" + t.Event + "), and the work went on without it: " + words.Cut(t.Cause, 300) + ". See `chatrail status`."
}

// debug tells on standard error why a hook stayed silent, when somebody asked.
// Hosts may take standard error for a message, so it is never used otherwise.
func (c Call) debug(err error) {
	if c.Env("CHATRAIL_DEBUG") != "" {
		fmt.Fprintln(os.Stderr, "chatrail hook:", err)
	}
}
