package main

import (
	"io"
	"strings"

	"chatrail/hooks/work"
)

// note carries out a change of the chronicle and says what became of it.
func (a *app) note(n work.Noting, session string, json bool) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	noted, err := d.Note(a.ctx, n, session)
	if err != nil {
		return err
	}
	if json {
		return a.json(noted)
	}
	a.lines(noted.Words()...)
	return nil
}

type newCmd struct {
	session
	given
	Title    string   `arg:"" help:"What it is about, in a few words."`
	Text     []string `arg:"" optional:"" help:"The text."`
	Body     *string  `help:"The text, in place of words." placeholder:"TEXT" xor:"text"`
	Tag      []string `help:"A tag." placeholder:"TAG" sep:"none"`
	Summary  string   `help:"One line for lists." placeholder:"TEXT"`
	Closes   []string `help:"A work item that it finishes." placeholder:"ITEM" sep:"none"`
	Advances []string `help:"A work item that it moves." placeholder:"ITEM" sep:"none"`
	JSON     bool     `help:"Print JSON."`
}

func (c *newCmd) Run(a *app) error {
	text, err := c.body(a, c.Text, c.Body)
	if err != nil {
		return err
	}
	return a.note(work.Noting{
		Do: work.DoNew, Title: c.Title, Text: text, Tags: c.Tag, Summary: c.Summary, Closes: c.Closes, Advances: c.Advances,
	}, c.SessionID, c.JSON)
}

// body is the optional text of a new note.
func (g given) body(a *app, words []string, body *string) (string, error) {
	if body == nil {
		return g.text(a, words, false)
	}
	if len(words) > 0 {
		return "", &usageError{"text as words and --body: give one of them"}
	}
	return *body, nil
}

type appendCmd struct {
	session
	given
	Text  []string `arg:"" optional:"" help:"The text."`
	Entry string   `help:"The note, in place of the active draft." placeholder:"NOTE"`
	JSON  bool     `help:"Print JSON."`
}

func (c *appendCmd) Run(a *app) error {
	text, err := c.text(a, c.Text, true)
	if err != nil {
		return err
	}
	return a.note(work.Noting{Do: work.DoAppend, Note: c.Entry, Text: text}, c.SessionID, c.JSON)
}

type stampCmd struct {
	session
	Commits []string `arg:"" optional:"" name:"commit" help:"Commits; HEAD unless given."`
	Entry   string   `help:"The entry, in place of the active draft." placeholder:"ENTRY"`
	Closes  []string `help:"A work item that it finishes." placeholder:"ITEM" sep:"none"`
	JSON    bool     `help:"Print JSON."`
}

func (c *stampCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	commits, err := d.Commits(a.ctx, c.Commits)
	if err != nil {
		return err
	}
	return a.note(work.Noting{Do: work.DoStamp, Note: c.Entry, Commits: commits, Closes: c.Closes}, c.SessionID, c.JSON)
}

type listCmd struct {
	session
	past
	Tag       string `help:"Only those with this tag." placeholder:"TAG"`
	Task      string `help:"Only those that this task opened: its key, or the beginning of it." placeholder:"KEY"`
	Since     string `help:"Only those of this day or later." placeholder:"YYYY-MM-DD"`
	Draft     bool   `help:"Only drafts." xor:"state"`
	Published bool   `help:"Only those that a commit was stamped on." xor:"state"`
	Limit     int    `help:"At most this many." placeholder:"N"`
	JSON      bool   `help:"Print JSON."`
}

func (c *listCmd) Run(a *app) error {
	return a.list(c.SessionID, c.JSON, work.NoteList{
		Tag: c.Tag, Task: c.Task, Since: c.Since, Draft: c.Draft, Published: c.Published, At: c.At, Limit: c.Limit,
	})
}

// list prints notes.
func (a *app) list(session string, json bool, l work.NoteList) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Scope(a.ctx, session)
	if err != nil {
		return err
	}
	items, _, warn, err := d.List(a.ctx, s, l)
	if err != nil {
		return err
	}
	if json {
		if err := a.json(items); err != nil {
			return err
		}
		return warn
	}
	var text strings.Builder // one write, however long the list
	for _, item := range items {
		text.WriteString(work.ItemLine(item) + "\n")
	}
	if _, err := io.WriteString(a.out, text.String()); err != nil {
		return err
	}
	return warn
}

type readCmd struct {
	session
	past
	Note string `arg:"" optional:"" help:"A note by path or name; the active draft unless given."`
	JSON bool   `help:"Print JSON."`
}

func (c *readCmd) Run(a *app) error {
	d, err := a.desk()
	if err != nil {
		return err
	}
	s, err := d.Scope(a.ctx, c.SessionID)
	if err != nil {
		return err
	}
	n, warn, err := d.Read(a.ctx, s, c.Note, c.At)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.json(n); err != nil {
			return err
		}
		return warn
	}
	if err := a.document(n.Text); err != nil {
		return err
	}
	return warn
}

// past chooses the revision at which notes are read.
type past struct {
	At string `help:"As it was at a revision." placeholder:"REV"`
}
