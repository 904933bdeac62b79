package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/words"
	"chatrail/hooks/work"
)

// maxDocument bounds what is shown of one note, in bytes: an agent's context is
// no place for more.
const maxDocument = 32 << 10

func orient(c *call) (a answer, err error) {
	var args struct {
		common
		View, At string
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	view, err := oneOf("view", args.View, "lines", "full", "status")
	if err != nil {
		return a, err
	}
	if view == "status" {
		return c.status()
	}
	s, err := c.scope()
	if err != nil {
		return a, err
	}
	rev, warn, err := s.Revision(c.ctx, args.At)
	if err != nil {
		return a, err
	}
	a.warn = warn
	lines := work.FourLines(rev.State)
	if a.value = work.Reorient(rev); view == "full" {
		a.value, lines = work.Shown(rev, ""), work.Lines(rev.State)
	}
	a.words = texts(lines)
	return a, nil
}

// status says where the answer comes from in any case: what it is asked for is
// that something seems wrong.
func (c *call) status() (a answer, err error) {
	st, err := c.desk.Status(c.ctx, "")
	if err != nil {
		return a, err
	}
	if c.in == "" && c.desk.Dir != "" {
		c.in = work.Fold(c.desk.Dir)
	}
	data, err := marshal(st)
	return answer{value: st, words: string(data)}, err
}

func texts(lines []words.Line) string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = l.Text
	}
	return strings.Join(all, "\n")
}

func history(c *call) (a answer, err error) {
	var args struct {
		common
		At    string
		Limit *int
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	limit, err := limited(args.Limit, 10, 200)
	if err != nil {
		return a, err
	}
	s, err := c.scope()
	if err != nil {
		return a, err
	}
	entries, lines := []work.Entry{}, []string(nil)
	err = s.History(c.ctx, args.At, func(e work.Entry) (bool, error) {
		entries = append(entries, e)
		lines = append(lines, e.Words()...)
		return len(entries) < limit, nil
	})
	if err != nil && len(entries) == 0 {
		return a, err
	}
	return answer{value: map[string]any{"revisions": entries}, words: strings.Join(lines, "\n"), warn: err}, nil
}

func notes(c *call) (a answer, err error) {
	var args struct {
		common
		What, Note, Tag, Status, At string
		Limit                       *int
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	if args.Note != "" && args.What == "" {
		args.What = "note"
	}
	what, err := oneOf("what", args.What, "entries", "work_items", "note")
	if err != nil {
		return a, err
	}
	if args.Status, err = oneOf("status", args.Status, "", "todo", "specced", "doing", "done", "cut"); err != nil {
		return a, err
	}
	limit, err := limited(args.Limit, 30, 500)
	if err != nil {
		return a, err
	}
	s, err := c.scope()
	if err != nil {
		return a, err
	}
	if what == "note" {
		return c.document(s, args.Note, args.At)
	}
	l := work.NoteList{WorkItems: what == "work_items" || args.Status != "", Tag: args.Tag, Status: chronicle.Status(args.Status), At: args.At, Limit: limit}
	items, more, warn, err := c.desk.List(c.ctx, s, l)
	if err != nil {
		return a, err
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = work.ItemLine(item)
	}
	return answer{value: map[string]any{"notes": items}, words: strings.Join(lines, "\n"), warn: warn, more: more}, nil
}

// document reads one note, and cuts it where it is too long to be shown.
func (c *call) document(s *work.Scope, name, at string) (a answer, err error) {
	doc, warn, err := c.desk.Read(c.ctx, s, name, at)
	if err != nil {
		return a, err
	}
	a = answer{value: doc, words: doc.Text, warn: warn}
	if len(doc.Text) <= maxDocument {
		return a, nil
	}
	a.words = words.Cut(doc.Text, maxDocument)
	data, err := marshal(doc)
	if err != nil {
		return a, err
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		return a, err
	}
	keys["text"] = a.words
	keys["cut"] = fmt.Sprintf("%d of %d bytes; `chatrail read %s` prints all of it", len(a.words), len(doc.Text), doc.Path)
	a.value, a.words = keys, a.words+"\n"+keys["cut"].(string)
	return a, nil
}
