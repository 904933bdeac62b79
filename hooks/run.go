package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// How long a hook works at most, reading its input included. It has to be done
// within two seconds, and at the end of a session, when hosts kill it much
// earlier, within 0.7; the rest is for starting and ending.
const (
	Limit    = 1800 * time.Millisecond
	EndLimit = 500 * time.Millisecond

	maxPatience = time.Minute
)

// Patience is the environment variable that lengthens the limits, in
// milliseconds, for a slow disk whose host was given a longer time-out.
const Patience = "CHATRAIL_HOOK_TIMEOUT"

// Call is one call of a hook by a host.
type Call struct {
	Host    string // "claude", "codex", …
	Event   string // where the host's payload does not name it
	In      io.Reader
	Out     io.Writer
	Env     func(string) string
	Program string        // see Engine
	Reduced bool          // In holds what agent.Reduce made, not the host's payload
	Limit   time.Duration // in place of Limit, where less is left

	// Store opens the bundles of a state home, or their caches.
	Store func(task.Home) Store
	// Away hands a reduced payload to the full program and returns what it
	// printed. Nil in the full program itself.
	Away func(ctx context.Context, host string, reduced []byte) ([]byte, error)

	end  time.Time // when it has to be over at the end of a session
	at   *atomic.Pointer[at]
	fail *failure
}

// Lighten makes a process that lives for some milliseconds cheaper: with one
// processor the runtime wakes no threads to look for work that is not there. A
// thread that waits for the disk or for another program is not counted.
func Lighten() { runtime.GOMAXPROCS(1) }

// Run carries out a call. It prints nothing or what the host accepts for the
// event, never fails, and returns within the limit: a host waits for it on
// every turn, and nothing that goes wrong here may cost a person a message.
func Run(c Call) {
	start := time.Now()
	Lighten()
	signal.Ignore(syscall.SIGPIPE) // a host that no longer listens is no failure
	limit, end := Limit, EndLimit
	if ms, err := strconv.Atoi(c.Env(Patience)); err == nil && ms > 0 {
		limit = time.Duration(min(ms, int(maxPatience.Milliseconds()))) * time.Millisecond
		end = max(end, limit/4)
	}
	if c.Limit > 0 && c.Limit < limit {
		limit = c.Limit
	}
	c.end = start.Add(end)
	c.at, c.fail = new(atomic.Pointer[at]), new(failure)
	ctx, cancel := context.WithDeadline(context.Background(), start.Add(limit))
	defer cancel()
	soon := func() { time.AfterFunc(time.Until(c.end), cancel) }
	if agent.Host(c.Host).Ends(c.Event) {
		soon()
	}
	c.In = &ending{Reader: c.In, seen: soon}
	answer := make(chan []byte, 1)
	go func() {
		// A bug is ours to find (CHATRAIL_DEBUG), never the host's to suffer.
		defer func() {
			if bug := recover(); bug != nil {
				answer <- c.failed(fmt.Errorf("bug: %v", bug))
			}
		}()
		out, err := c.answer(ctx)
		if err != nil {
			out = c.failed(err)
		}
		answer <- out
	}()
	select {
	case out := <-answer:
		if len(out) > 0 {
			c.Out.Write(out) // a closed pipe is the host's choice
		}
	case <-ctx.Done():
		select {
		case out := <-answer: // just in time: what is remembered as said has to be
			c.Out.Write(out)
		default:
			c.late(ctx.Err())
		}
	}
}

// answer reads the payload, delivers it and returns what is to be printed.
func (c Call) answer(ctx context.Context) ([]byte, error) {
	host := agent.Host(c.Host)
	payload, err := c.payload(host)
	if err != nil {
		return nil, err
	}
	if payload.Event.At.IsZero() { // the lean program may have set it
		payload.Event.At = time.Now()
	}
	if payload.Event.Kind == turn.SessionEnd {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, c.end)
		defer cancel()
	}
	if !slices.Contains(host.Events(), payload.EventName) {
		return nil, nil
	}
	home, err := task.FindHome(c.Env)
	if err != nil {
		return nil, err
	}
	if task.Off(c.Env) {
		return nil, nil
	}
	if !payload.Event.Child && !c.Reduced {
		_ = home.Touch(c.Host, payload.EventName) // only for status to show: no reason to stop
	}
	if payload.Event.Kind == turn.Other {
		return nil, nil
	}
	c.at.Store(&at{home, payload})
	engine := &Engine{Home: home, Env: c.Env, Now: time.Now, Store: c.Store(home), Program: c.Program, Failed: c.noted}
	said, err := engine.Deliver(ctx, payload)
	if errors.Is(err, ErrAway) && c.Away != nil {
		out, err := c.Away(ctx, c.Host, agent.Reduce(payload))
		if err != nil {
			err = fmt.Errorf("chatrail, which chatrail-hook runs: %w", err)
		}
		return out, err
	}
	if err != nil {
		return nil, err
	}
	c.catchUp(ctx, home, payload, &said)
	return agent.Render(host, payload.EventName, said), nil
}

// ending watches the input for the name of the event that ends a session, whose
// time is short: it has to be known before the input has ended. Every host whose
// payload names its event calls it the same. A quote inside a string is escaped, so
// the name with both its quotes is no part of a text.
type ending struct {
	io.Reader
	seen func()
	tail []byte // what may begin the name
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if e.seen == nil {
		return n, err
	}
	const name = `"SessionEnd"`
	window := append(e.tail, p[:n]...)
	if bytes.Contains(window, []byte(name)) {
		e.seen()
		e.seen, e.tail = nil, nil
		return n, err
	}
	e.tail = append(e.tail[:0], window[max(0, len(window)-len(name)):]...)
	return n, err
}

func (c Call) payload(host agent.Host) (agent.Payload, error) {
	if !c.Reduced {
		return agent.ParseEvent(host, c.Event, c.In, c.Env)
	}
	data, err := io.ReadAll(io.LimitReader(c.In, 1<<20))
	if err != nil {
		return agent.Payload{}, err
	}
	return agent.ParseReduced(bytes.TrimSpace(data))
}
