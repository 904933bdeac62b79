package main

import (
	"fmt"
	"time"

	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/hooks/work"
)

type statusCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

func (c *statusCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	st, err := d.Status(a.ctx, c.SessionID)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.json(st)
	} else {
		a.status(st)
	}
	if err == nil && st.Frozen != "" {
		return &quietError{exitFrozen}
	}
	return err
}

// status prints what there is to know, one fact a line.
func (a *app) status(st *work.Status) {
	own := func(name, value string) { // in our own words
		if value != "" {
			fmt.Fprintf(a.out, "%-11s %s\n", name+":", value)
		}
	}
	say := func(name, value string) { own(name, words.Harmless(value)) } // in somebody's
	if st.Bundle == "" {
		own("bundle", "none here: make one with `chatrail init`; a task without one keeps a private bundle")
	}
	say("bundle", st.Bundle)
	say("backend", st.Backend)
	say("where", st.Where)
	say("ref", st.Ref)
	say("tip", st.Tip)
	say("moved", st.Moved)
	say("north", st.North)
	say("task", st.Task)
	say("agent", st.Agent)
	if st.Task != "" {
		if st.Pinned == "" {
			st.Pinned = "not yet: at its first prompt"
		}
		say("pin", st.Pinned)
		if st.Review == "" {
			st.Review = "none open"
		}
		say("review", st.Review)
	}
	if st.Bundle != "" {
		frozen := "no"
		if st.Frozen != "" {
			frozen = "yes: " + words.Harmless(st.Frozen)
		}
		own("frozen", frozen)
		own("repair", st.Repair)
		trusted := "no: its words are not shown to agents; `chatrail trust` lets them"
		if st.Trusted {
			trusted = "yes"
		}
		own("trusted", trusted)
	}
	for _, u := range st.Unsettled {
		say("to settle", u.ID+": "+u.Summary)
	}
	if len(st.Unsettled) > 0 {
		own("settle", "in a review: --answer ID lets it go; whoever wants it instead changes the field itself as well")
	}
	for _, r := range st.Remotes {
		own("remote", r)
	}
	say("paused", st.Paused)
	say("elsewhere", st.Elsewhere)
	if st.Apart != nil {
		say("apart", "the agent's environment says that the project is "+st.Apart.Said+"; the task works in "+st.Apart.Works+", which counts")
	}
	if st.Inside != "" {
		say("inside", "a submodule of "+st.Inside)
	}
	if st.Unread != "" {
		say("unread", st.Unread+" is no longer read: the ref is the bundle")
	}
	for _, t := range st.Tasks {
		say("a task", taskWords(t))
	}
	if st.MoreTasks > 0 {
		own("a task", fmt.Sprintf("and %d more, older", st.MoreTasks))
	}
	if st.OtherPlace != "" {
		say("elsewhere", "the agent's environment names "+st.OtherPlace+" as its project; this folder counts")
	}
	for _, o := range st.Others {
		say("other", o)
	}
	for _, w := range st.Waiting {
		say("waiting", w)
	}
	for _, o := range st.Owed {
		say("owed", owedWords(o))
	}
	for _, n := range st.NotSettled {
		say("look at", n)
	}
	for _, f := range st.Failures {
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(", %d times", f.Count)
		}
		say("failed", f.Host+" "+f.Event+", last "+words.Age(time.Since(f.Last))+times+": "+f.Cause)
	}
	for _, s := range st.LastSeen {
		say("hook", s.Host+" "+s.Event+", last seen "+words.Age(time.Since(s.At)))
	}
	if len(st.LastSeen) == 0 {
		own("hook", "none seen yet: `chatrail install` wires the agents")
	}
	say("state home", st.StateHome)
}

// taskWords says what there is to know of a task of the project.
func taskWords(t work.TaskLine) string {
	text := t.Task
	if t.Agent != "" {
		text += " (" + t.Agent + ")"
	}
	if !t.Last.IsZero() {
		text += ", " + words.Age(time.Since(t.Last))
	}
	if t.Title != "" {
		text += ": " + t.Title
	}
	text += "; " + t.Bundle
	if t.This {
		text += "; this one"
	}
	return text
}

// owedWords says what did not get to a remote.
func owedWords(o task.Owed) string {
	to := o.Name
	if o.URL != "" {
		to += " (" + o.URL + ")"
	}
	tries := "tries"
	if o.Tried == 1 {
		tries = "try"
	}
	return fmt.Sprintf("to %s since %s, %d %s: %s", to, o.Since.Format(time.RFC3339), o.Tried, tries, o.Reason)
}
