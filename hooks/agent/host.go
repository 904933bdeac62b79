// Package agent translates between the clients that run hooks and the turn:
// it reads a client's payload, however large, into a neutral event, and prints
// only what that client accepts for that event.
//
// A client is a row of data in hosts.go, which installers, documents and tests
// read as well. The package decides nothing about a turn; package turn does.
package agent

import (
	"slices"
	"time"

	"chatrail/hooks/turn"
)

// Host names a client, as on the command line.
type Host string

// The clients.
const (
	Claude   Host = "claude"
	Codex    Host = "codex"
	Gemini   Host = "gemini"
	Copilot  Host = "copilot"
	OpenCode Host = "opencode"
)

// Hosts lists the known clients.
func Hosts() []Host {
	names := make([]Host, len(hosts))
	for i := range hosts {
		names[i] = hosts[i].name
	}
	return names
}

// Known says whether the client is known.
func (h Host) Known() bool { return h.host() != nil }

// Title is what people call the client, "" for an unknown one.
func (h Host) Title() string { return h.facts().title }

// Executable is the name of the client's program on the search path.
func (h Host) Executable() string { return h.facts().executable }

// Unit is the unit of a Registration's time-out.
func (h Host) Unit() time.Duration { return h.facts().unit }

// Registration is one event that the client is to call the hook for.
type Registration struct {
	Event   string
	Timeout int // in the client's own unit
}

// Wired lists what is to be registered with the client, in order.
func (h Host) Wired() []Registration {
	var list []Registration
	for _, e := range h.facts().events {
		if e.timeout > 0 {
			list = append(list, Registration{e.name, e.timeout})
		}
	}
	return list
}

// Arguments are what follows the program in the command that is registered for
// an event: the client, and the event where the client's payload does not name
// it.
func (h Host) Arguments(eventName string) []string {
	if h.facts().nameless {
		return []string{string(h), eventName}
	}
	return []string{string(h)}
}

// Events lists the names of the client's events that mean something to a turn,
// nil for an unknown client.
func (h Host) Events() []string {
	row := h.host()
	if row == nil {
		return nil
	}
	names := make([]string, len(row.events))
	for i := range row.events {
		names[i] = row.events[i].name
	}
	return names
}

// Ends says whether an event is the end of a session, when time is short.
func (h Host) Ends(eventName string) bool {
	row := h.host()
	return row != nil && row.event(eventName).kind == turn.SessionEnd
}

// Hears says whether a context that is printed for an event reaches the model of
// the root, beside whoever sums its context up.
func (h Host) Hears(eventName string, source turn.Source) bool {
	row := h.host()
	if row == nil {
		return false
	}
	e := row.event(eventName)
	return e.prints&printContext != 0 && e.speaksToRoot() && !slices.Contains(e.deaf, source)
}

// Tells says whether a note for the person that is printed for an event gets
// anywhere: to them, or to the agent in its place.
func (h Host) Tells(eventName string) bool {
	row := h.host()
	if row == nil {
		return false
	}
	e := row.event(eventName)
	return e.prints&printNote != 0 || row.noteInContext(e)
}

// noteInContext says that a note follows the context, since nothing else reaches
// the person: the agent may pass it on.
func (h *host) noteInContext(e event) bool {
	return h.form != formSpecific && e.prints&printContext != 0 && e.speaksToRoot()
}

// SessionVariables are the environment variables in which the client tells the
// commands of its agent the session, the surest first.
func (h Host) SessionVariables() []string { return h.facts().sessionIn }

// Marks are other environment variables that only such a command sees.
func (h Host) Marks() []string { return h.facts().marks }

// ProjectVariable is the environment variable in which the client tells hooks and
// commands the folder that a session began in, "" for none.
func (h Host) ProjectVariable() string { return h.facts().projectIn }

// StartsUntold says that the client's session start of this kind does not tell
// whether a person cleared a context.
func (h Host) StartsUntold(source turn.Source) bool {
	return h.facts().clearsUntold && source == turn.Startup
}

// TellsSession says whether the commands of the client's agent know the session.
func (h Host) TellsSession() bool { return len(h.facts().sessionIn) > 0 && !h.facts().blind }

// InChild says whether the environment is that of a sub-agent's command, as far as
// the client tells.
func (h Host) InChild(env func(string) string) bool {
	row := h.host()
	return row != nil && row.inChild != nil && row.inChild(env)
}

// OwnPath says that the commands of the client's agent have another search path
// than its hooks.
func (h Host) OwnPath() bool { return h.facts().ownPath }

func (h Host) host() *host {
	for i := range hosts {
		if hosts[i].name == h {
			return &hosts[i]
		}
	}
	return nil
}

// facts are the facts of a client, none for an unknown one.
func (h Host) facts() host {
	if row := h.host(); row != nil {
		return *row
	}
	return host{}
}

// host is one client.
type host struct {
	name              Host
	title, executable string
	version           string // the one that was measured
	unit              time.Duration
	user, project     string // where its hooks are registered
	events            []event
	// nameless says that a payload does not name its event: the command does.
	nameless bool
	form     form
	// limit is the longest text that was seen to arrive whole, in units; blocks
	// how many stops in a row may be held up, 0 where no end was seen.
	limit  int
	units  string
	blocks int

	// sessionIn are the variables in which the client's shell tells a command the
	// session, marks others that only such a command sees. blind says that the
	// shell does not tell the session after all.
	sessionIn, marks []string
	blind            bool
	// projectIn is the variable that names the folder that a session began in.
	projectIn string
	// clearsUntold says that a session start after a clear is a start like any other.
	clearsUntold bool
	// recordsFork says that the first record of a transcript names the session that
	// it was forked from.
	recordsFork bool
	// inChild says that a command is a sub-agent's, nil where nothing tells.
	inChild func(env func(string) string) bool
	// ownPath says that the shell has another search path than a hook.
	ownPath bool

	// noAnswer is what stands where a turn ended without a word, beside nothing.
	noAnswer string
	// tags says that the client closes a context with a tag on the context's own
	// last line, which may hold the command of a review.
	tags bool
	// wrapsHooks says that what a hook said at the start of a session stands in
	// front of the first prompt, in a tag.
	wrapsHooks bool

	// turn picks the client's id of the turn out of a payload, or what else is
	// the same in two deliveries of one event and in no other.
	turn func(*fields) string
	// unattended says that nobody watches the session.
	unattended func(p *Payload, f *fields, env func(string) string) bool
	// summary names the summary that the context goes on from, "" where the
	// record of the session says nothing of one; nil where an event tells.
	summary func(transcript string) string

	headless, child, lacks string // how documents put it
}

// event is one of the client's events: what it means, all that may be printed
// for it, and the time-out to register it with, 0 where there is no need to.
type event struct {
	name    string
	kind    turn.Kind
	prints  prints
	timeout int
	trigger string        // the only trigger at which it means that, "" for any
	deaf    []turn.Source // of a session start: where no context reaches the model
}

// speaksToRoot says that a context at this event is for the agent of the root.
func (e event) speaksToRoot() bool { return e.kind == turn.SessionStart || e.kind == turn.Prompt }

func (h *host) event(name string) event {
	for _, e := range h.events {
		if e.name == name {
			return e
		}
	}
	return event{name: name, kind: turn.Other}
}

// prints is a set of ways to print words.
type prints uint8

const (
	printContext prints = 1 << iota // context for the model
	printBlock                      // a reason to go on
	printNote                       // a note to the person
	printPlain                      // plain text, in place of an object
)

// form is how a client's objects are laid out.
type form uint8

const (
	formSpecific form = iota // hookSpecificOutput.additionalContext; decision and reason
	formTop                  // additionalContext; decision and reason
	formBare                 // additionalContext; block
)
