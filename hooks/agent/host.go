// Package agent translates between the clients that run hooks and the turn:
// it reads a client's payload, however large, into a neutral event, and prints
// only what that client accepts for that event.
//
// A client is a row of data in hosts.go. The package decides nothing about a
// turn; package turn does.
package agent

import "chatrail/hooks/turn"

// Host names a client, as on the command line.
type Host string

// The clients.
const (
	Claude Host = "claude"
	Codex  Host = "codex"
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

func (h Host) host() *host {
	for i := range hosts {
		if hosts[i].name == h {
			return &hosts[i]
		}
	}
	return nil
}

// host is one client.
type host struct {
	name   Host
	events []event
	// turn picks the client's id of the turn out of a payload.
	turn func(*fields) string
	// unattended says that nobody watches the session.
	unattended func(p *Payload, f *fields, env func(string) string) bool
}

// event is one of the client's events: what it means, and all that may be
// printed for it.
type event struct {
	name   string
	kind   turn.Kind
	prints prints
}

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
	printContext prints = 1 << iota // context for the model, in the event's own object
	printBlock                      // a reason to go on
	printNote                       // a note to the person
	printPlain                      // plain text, in place of an object

	printNothing prints = 0
)
