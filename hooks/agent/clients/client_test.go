//go:build agents

package clients

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatrail/hooks/agent"
)

// client is how one of the clients is set up and talked to.
type client struct {
	host agent.Host
	// setup writes what the client wants to find in its home before it asks a
	// person. The hooks are registered after it.
	setup func(r *run)
	// env is what the client needs in its environment.
	env func(r *run) []string
	// headless and attended are the arguments of a run.
	headless func(prompt string, o options) []string
	attended func(o options) []string
	// limit are flags by which a long input is compacted by itself.
	limit []string
	// ready matches the screen when the client takes a prompt; blanks are taken
	// out of it.
	ready *regexp.Regexp
	// cleared matches the screen when a session was cleared, where the new one
	// starts with its first prompt only.
	cleared *regexp.Regexp
	// tellsChild says that a command of a sub-agent is told from the root's.
	tellsChild bool
	// forks says that it can go on with a session in another one.
	forks bool
	// quit, compact and clear are what a person types.
	quit, compact, clear string
	// prompt, stop, start and so on are the client's names of events.
	start, prompt, stop, childStart, before, after string
	// complaint matches what the client prints of a hook that failed.
	complaint *regexp.Regexp
	// logs are files of a scenario that the client writes about its hooks.
	logs func(r *run) []string
}

// options of a run of a client.
type options struct {
	resume string // the session to go on with
	fork   bool   // in a session of its own
	flags  []string
	env    []string
	dir    string // another folder than the repository
}

// all are the clients that every scenario is for. opencode has one of its own.
var all = []*client{claude, codex, gemini, copilot}

// set puts the client into a scenario: its home, and ChatRail's hooks in it, as a
// person has them put in.
func (r *run) set(c *client, flags ...string) {
	r.t.Helper()
	installed(r.t, c.host)
	c.setup(r)
	r.chatrail(append([]string{"install", string(c.host)}, flags...)...)
}

// headless runs the client with one prompt and without a terminal.
func (r *run) headless(c *client, prompt string, o options) *turn {
	r.t.Helper()
	m := r.mark()
	cmd := exec.Command(installed(r.t, c.host), c.headless(prompt, o)...)
	cmd.Dir, cmd.Env = cmp.Or(o.dir, r.work), r.environment(append(c.env(r), o.env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, 5*time.Second
	must(r.t, cmd.Start())
	r.running.Store(cmd.Process)
	late := time.AfterFunc(2*limit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	inTime := late.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	r.allEnded()
	tu := r.since(m)
	tu.host, tu.prompt, tu.out, tu.errs, tu.exit = c.host, prompt, strings.TrimSpace(out.String()), errs.String(), cmd.ProcessState.ExitCode()
	if !inTime {
		r.t.Fatalf("%q: the client did not come to an end", prompt)
	}
	return tu
}

// allEnded waits until every hook call has ended, or was killed with its
// recorder, which the checks at the end of a scenario tell.
func (r *run) allEnded() {
	r.waits(5*time.Second, func() bool {
		for _, c := range r.calls() {
			if !c.Done {
				return false
			}
		}
		return true
	})
}

// answers wants a headless run to have ended well with an answer and nothing
// else.
func (tu *turn) answers(want string) {
	tu.run.t.Helper()
	if tu.exit != 0 || tu.out != want {
		tu.run.t.Errorf("%q: exit %d and %q, want %q", tu.prompt, tu.exit, tu.out, want)
	}
}

// ends wants the last that a headless run said to be an answer: Copilot also
// prints what a sub-agent said.
func (tu *turn) ends(want string) {
	tu.run.t.Helper()
	if tu.exit != 0 || !strings.HasSuffix(tu.out, want) {
		tu.run.t.Errorf("%q: exit %d and %q, want %q at the end", tu.prompt, tu.exit, tu.out, want)
	}
}

// session is the id of the session that the last prompt came from.
func (r *run) session(c *client) string {
	r.t.Helper()
	calls := r.calls()
	for i := len(calls) - 1; i >= 0; i-- {
		if p := calls[i].payload; p.Event == c.prompt && p.Agent == "" {
			return p.Session
		}
	}
	r.t.Fatal("no prompt reached a hook")
	return ""
}

// sound is what holds in every scenario: no hook was rejected, killed or loud,
// and nothing of the user was touched. Only at the end of a session may a client
// go without waiting for the hook.
func (r *run) sound(c *client) {
	t := r.t
	t.Helper()
	calls := r.calls()
	if len(calls) == 0 {
		t.Fatal("no hook was called")
	}
	for _, call := range calls {
		if cut := c.host.Ends(call.payload.Event) && (call.Killed != "" || !call.Done); !cut && (!call.Done || call.Exit != 0 || call.Killed != "") {
			t.Errorf("a hook did not end well: %s", call)
		}
		if call.Stderr != "" {
			t.Errorf("a hook was loud: %s", call)
		}
		if err := agent.Accepts(agent.Host(call.Args[0]), call.payload.Event, []byte(call.Stdout)); err != nil {
			t.Errorf("%v: %s", err, call)
		}
	}
	for _, line := range r.complaints(c) {
		t.Errorf("%s complains in %s", c.host, tail(line, 400))
	}
	if now := r.everythingOfTheUser(); now != r.settled {
		t.Errorf("something of the user was touched:\n%s\nwas\n%s", now, r.settled)
	}
}

// complaints are the lines in which the client says that a hook failed, or that
// it does not take what a hook printed.
func (r *run) complaints(c *client) []string {
	var lines []string
	for where, text := range r.spoken(c) {
		for _, line := range strings.Split(text, "\n") {
			// Logs quote what a hook printed: those are our words, not a complaint.
			said := quoted.ReplaceAllString(line, "")
			if c.complaint.MatchString(said) && !cutShort.MatchString(said) {
				lines = append(lines, where+": "+line)
			}
		}
	}
	return lines
}

// cutShort matches that a client went without waiting for a hook. Claude Code
// gives those of a plugin about a second at the end, whatever they ask for.
var cutShort = regexp.MustCompile(`SessionEnd.*cancelled`)

var quoted = regexp.MustCompile(`\{\\?".*`)

// spoken is all that the client said: to a person, and to its own logs.
func (r *run) spoken(c *client) map[string]string {
	said := map[string]string{}
	for _, tu := range r.ran {
		if tu.host == c.host {
			said["its output"] += tu.out + "\n" + tu.errs + "\n"
		}
	}
	for _, term := range r.terms {
		if term.host == c.host {
			said["the terminal"] += term.text()
		}
	}
	if c.logs != nil {
		for _, pattern := range c.logs(r) {
			files, err := filepath.Glob(pattern)
			must(r.t, err)
			for _, file := range files {
				data, err := os.ReadFile(file)
				must(r.t, err)
				said[filepath.Base(file)] = string(data)
			}
		}
	}
	return said
}

// each runs a scenario with each of the clients.
func each(t *testing.T, scenario func(t *testing.T, c *client), clients ...*client) {
	for _, c := range clients {
		t.Run(string(c.host), func(t *testing.T) { scenario(t, c) })
	}
}
