package chronicle

import (
	"slices"
	"strings"
)

// Status is how far a work item has come.
type Status string

// The statuses of a work item, in the order in which it comes to them. Done
// and Cut are final.
const (
	Todo    Status = "todo"
	Specced Status = "specced" // designed, not started: owed
	Doing   Status = "doing"   // in flight
	Done    Status = "done"
	Cut     Status = "cut"
)

const statusNames = "todo, specced, doing, done, cut"

// listing is the order of statuses in a list: what is in flight comes first.
var listing = []Status{Doing, Specced, Todo, Done, Cut}

func (s Status) known() bool { return slices.Contains(listing, s) }

// rank is the place of a status in a list. One that nobody knows comes with
// what is still to do, so that it is seen.
func (s Status) rank() int {
	if i := slices.Index(listing, s); i >= 0 {
		return i
	}
	return slices.Index(listing, Todo)
}

// Who acts: an agent in a task, or a person.
type Who struct {
	Agent string // "claude", "codex", …; "" for a person
	Task  string // short task key, "" outside a task
}

// String names an actor as a work item keeps it: "claude 3f9a1c0b7d2e",
// "claude", "task 3f9a1c0b7d2e", or "a person".
func (w Who) String() string {
	switch {
	case w.Agent == "" && w.Task == "":
		return "a person"
	case w.Agent == "":
		return "task " + w.Task
	}
	return strings.TrimSpace(w.Agent + " " + w.Task)
}
