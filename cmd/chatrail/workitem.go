package main

import (
	"strings"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/work"
)

// taskCmd groups the commands of work items.
type taskCmd struct {
	New   taskNewCmd   `cmd:"" help:"Note a piece of work, to do."`
	Spec  taskSpecCmd  `cmd:"" help:"Name what it is designed in: a note, or a path in the repository."`
	Start taskStartCmd `cmd:"" help:"Put it in flight."`
	Done  taskDoneCmd  `cmd:"" help:"It is finished."`
	Cut   taskCutCmd   `cmd:"" help:"It will not be done."`
	List  taskListCmd  `cmd:"" help:"Work items: in flight, owed, to do, done, cut."`
}

type taskNewCmd struct {
	session
	given
	Title   string   `arg:"" help:"What is to be done, in a few words."`
	Text    []string `arg:"" optional:"" help:"The text."`
	Body    *string  `help:"The text, in place of words." placeholder:"TEXT" xor:"text"`
	Tag     []string `help:"A tag." placeholder:"TAG" sep:"none"`
	Summary string   `help:"One line for lists." placeholder:"TEXT"`
	Effort  string   `help:"How much work it is, in your words." placeholder:"TEXT"`
	JSON    bool     `help:"Print JSON."`
}

func (c *taskNewCmd) Run(a *app) error {
	text, err := c.body(a, c.Text, c.Body)
	if err != nil {
		return err
	}
	return a.note(work.Noting{Do: work.DoWorkItem, Title: c.Title, Text: text, Tags: c.Tag, Summary: c.Summary, Effort: c.Effort}, c.SessionID, c.JSON)
}

// workItem is the work item that a command is about.
type workItem struct {
	session
	Task string `arg:"" help:"The work item, by path or name."`
	JSON bool   `help:"Print JSON."`
}

func (w workItem) move(a *app, do work.Deed, ref string) error {
	return a.note(work.Noting{Do: do, Note: w.Task, Ref: ref}, w.SessionID, w.JSON)
}

type taskSpecCmd struct {
	workItem
	Ref string `arg:"" help:"A note, or a path in the repository."`
}

func (c *taskSpecCmd) Run(a *app) error { return c.move(a, work.DoSpec, c.Ref) }

type taskStartCmd struct{ workItem }

func (c *taskStartCmd) Run(a *app) error { return c.move(a, work.DoStart, "") }

type taskDoneCmd struct {
	workItem
	By string `help:"What finished it: an entry, a commit." placeholder:"REF"`
}

func (c *taskDoneCmd) Run(a *app) error { return c.move(a, work.DoDone, c.By) }

type taskCutCmd struct {
	workItem
	Reason []string `arg:"" optional:"" help:"Why."`
}

func (c *taskCutCmd) Run(a *app) error {
	return c.move(a, work.DoCut, strings.Join(c.Reason, " "))
}

type taskListCmd struct {
	session
	past
	Status string `help:"Only those of this status: todo, specced, doing, done, cut." placeholder:"STATUS" enum:",todo,specced,doing,done,cut" default:""`
	Tag    string `help:"Only those with this tag." placeholder:"TAG"`
	Limit  int    `help:"At most this many." placeholder:"N"`
	JSON   bool   `help:"Print JSON."`
}

func (c *taskListCmd) Run(a *app) error {
	return a.list(c.SessionID, c.JSON, work.NoteList{
		WorkItems: true, Tag: c.Tag, Status: chronicle.Status(c.Status), At: c.At, Limit: c.Limit,
	})
}
