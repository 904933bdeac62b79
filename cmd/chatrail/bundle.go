package main

import (
	"fmt"

	"chatrail/hooks/words"
	"chatrail/hooks/work"
)

// session is how a command is told which task it is called in, where the
// environment does not say so.
type session struct {
	SessionID string `help:"The agent's session id, where the environment does not tell it." placeholder:"ID"`
}

type initCmd struct {
	session
	Here     bool `help:"For this folder, not for the top of the repository."`
	FromTask bool `help:"Start from the private road of this task."`
	Apart    bool `help:"Begin another history, whatever the remote has."`
	JSON     bool `help:"Print JSON."`
}

func (c *initCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	m, err := d.Init(a.ctx, work.InitOptions{Here: c.Here, FromTask: c.FromTask, Apart: c.Apart, Session: c.SessionID})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(m)
	}
	switch {
	case m.Imported > 0:
		a.lines(fmt.Sprintf("%s now lives on %s, with its %d events.", title(m), where(m), m.Imported))
		a.lines("The older files stay as they are and are no longer read.")
	case m.New:
		a.lines(fmt.Sprintf("%s: made on %s.", title(m), where(m)))
	default:
		a.lines(fmt.Sprintf("%s is there already, on %s. Nothing was changed.", title(m), where(m)))
		a.lines("North: " + words.Harmless(m.North))
	}
	if m.Unasked != "" {
		a.lines("Whether a remote has an orientation already is not known: " + words.Harmless(m.Unasked))
	}
	if !m.Trusted {
		a.lines("Its words are not shown to agents until a person runs `chatrail trust`.")
	}
	if m.Pinned {
		a.lines("This task now goes by it.")
	}
	if m.Offer {
		a.lines("This task has a road of its own so far: `chatrail init --from-task` carries it over.")
	}
	a.lines(m.RedactedWords()...)
	if offer := a.offerWiring(); offer != "" {
		a.lines(offer)
	}
	return nil
}

type ownCmd struct {
	session
	Name string `arg:"" optional:"" help:"What the road is called; the short key of the task unless given."`
}

func (c *ownCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	m, err := d.Own(a.ctx, c.Name, c.SessionID)
	if err != nil {
		return err
	}
	a.lines(fmt.Sprintf("This task now has a road of its own, on %s, starting from the present state.", where(m)))
	a.lines(m.RedactedWords()...)
	return nil
}

type adoptCmd struct {
	session
	Task string `arg:"" help:"The beginning of the other task's key, the name of an own road, or project."`
}

func (c *adoptCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	m, err := d.Adopt(a.ctx, c.Task, c.SessionID)
	if err != nil {
		return err
	}
	if m.Dropped != "" {
		a.lines("This process may not write here, so it waits in "+words.Harmless(m.Dropped)+".",
			"The next hook of this task moves it to the "+title(m)+".")
		return nil
	}
	a.lines("This task now goes by the " + title(m) + ".")
	if m.Draft != "" {
		a.lines("It goes on with the draft " + words.Harmless(m.Draft) + ".")
	}
	if !m.Trusted {
		a.lines("Its words are not shown to agents until a person runs `chatrail trust`.")
	}
	return nil
}

type trustCmd struct {
	Revoke bool `help:"Take it back."`
}

func (c *trustCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Trust(a.ctx, c.Revoke)
	if err != nil {
		return err
	}
	if c.Revoke {
		a.lines("Words of the " + s.Place.Title() + " are no longer put into an agent's context.")
		return nil
	}
	a.lines("Words of the " + s.Place.Title() + " may now enter an agent's context.")
	return nil
}

// title and where name a bundle to a person.
func title(m *work.Made) string { return words.Harmless(m.Place.Title()) }

func where(m *work.Made) string {
	if m.Place.Ref != "" {
		return m.Place.Ref
	}
	return m.Place.Path
}

type offCmd struct{ session }

func (c *offCmd) Run(a *app) error { return pause(a, true, c.SessionID) }

type onCmd struct{ session }

func (c *onCmd) Run(a *app) error { return pause(a, false, c.SessionID) }

func pause(a *app, off bool, session string) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	what, err := d.Pause(a.ctx, off, session)
	if err != nil {
		return err
	}
	if off {
		a.lines("Paused for the " + what + ". `chatrail on` goes on.")
	} else {
		a.lines("On for the " + what + ".")
	}
	return nil
}
