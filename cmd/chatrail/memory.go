package main

import (
	"fmt"

	"chatrail/hooks/memory"
	"chatrail/hooks/words"
	"chatrail/hooks/work"
)

type memoryCmd struct {
	Scan    memoryScanCmd    `cmd:"" help:"What is there, and where each note stands."`
	Status  memoryStatusCmd  `cmd:"" help:"What nobody settled; exit 1 if there is any."`
	Resolve memoryResolveCmd `cmd:"" help:"What these notes say is kept elsewhere by now."`
	Ignore  memoryIgnoreCmd  `cmd:"" help:"What these notes say need not be kept elsewhere."`
}

type memoryScanCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

func (c *memoryScanCmd) Run(a *app) error {
	m, err := a.memory(c.SessionID)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(m)
	}
	a.lines("folder: " + words.Harmless(m.Folder))
	for _, n := range m.Notes {
		a.lines(fmt.Sprintf("%-9s %s", n.State, noteLine(n)))
	}
	if len(m.Notes) == 0 {
		a.lines("No notes of type project.")
	}
	for _, p := range m.Held {
		a.lines("held back " + passedLine(p))
	}
	for _, p := range m.Passed {
		a.lines("not read  " + passedLine(p))
	}
	if m.Others > 0 {
		a.lines(fmt.Sprintf("Notes of other types: %d.", m.Others))
	}
	if m.Partial {
		a.lines("There is more than was looked at.")
	}
	a.warn(m.Warning)
	return nil
}

type memoryStatusCmd struct {
	session
	JSON bool `help:"Print JSON."`
}

func (c *memoryStatusCmd) Run(a *app) error {
	m, err := a.memory(c.SessionID)
	if err != nil {
		return err
	}
	open := m.Open()
	if c.JSON {
		err = a.json(map[string]any{"unresolved": open, "held": len(m.Held)})
	} else {
		for _, n := range open {
			a.lines(noteLine(n))
		}
		if len(open) == 0 {
			a.lines("Nothing is unresolved.")
		}
		if n := len(m.Held); n > 0 {
			a.lines(fmt.Sprintf("Held back, since they look like they hold a secret: %d.", n))
		}
		a.warn(m.Warning)
	}
	if err == nil && len(open) > 0 {
		return &quietError{exitRefused}
	}
	return err
}

type memoryResolveCmd struct {
	session
	Names []string `arg:"" optional:"" name:"name" help:"Names or files of notes."`
	All   bool     `help:"All that are unresolved."`
	JSON  bool     `help:"Print JSON."`
}

func (c *memoryResolveCmd) Run(a *app) error {
	if c.All == (len(c.Names) > 0) {
		return &usageError{"memory resolve takes names or files of notes, or --all"}
	}
	return a.settle(c.SessionID, c.Names, c.All, memory.Resolved, c.JSON)
}

type memoryIgnoreCmd struct {
	session
	Names []string `arg:"" name:"name" help:"Names or files of notes."`
	JSON  bool     `help:"Print JSON."`
}

func (c *memoryIgnoreCmd) Run(a *app) error {
	return a.settle(c.SessionID, c.Names, false, memory.Ignored, c.JSON)
}

// memory reads the memory of the caller's project.
func (a *app) memory(session string) (*work.Memory, error) {
	d, err := a.desk()
	if err != nil {
		return nil, err
	}
	return d.MemoryScan(a.ctx, session)
}

// settle resolves or ignores notes and says so.
func (a *app) settle(session string, names []string, all bool, state memory.State, asJSON bool) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	m, err := d.MemorySettle(a.ctx, session, names, all, state)
	if err != nil {
		return err
	}
	if m.Aside != "" {
		a.warn("the ledger could not be read; it is kept as " + m.Aside)
	}
	if asJSON {
		return a.json(m)
	}
	for _, n := range m.Notes {
		already := ""
		if n.State == state {
			already = "already "
		}
		a.lines(already + string(state) + ": " + n.Name)
	}
	if len(m.Notes) == 0 {
		a.lines("Nothing is unresolved.")
	}
	return nil
}

// noteLine is a note in one line; its words are harmless already.
func noteLine(n work.MemoryNote) string {
	line := n.Name
	if n.Description != "" {
		line += ": " + n.Description
	}
	if n.State == memory.Changed {
		line += " (changed since it was settled)"
	}
	return line + " [" + words.Harmless(n.File) + "]"
}

func passedLine(p memory.Passed) string {
	if p.File == "" {
		return "a file that is not named here: " + p.Reason
	}
	return p.File + ": " + p.Reason
}

// warn says something beside a command's answer.
func (a *app) warn(text string) {
	if text != "" {
		fmt.Fprintln(a.err, "chatrail: "+work.Fold(text))
	}
}
