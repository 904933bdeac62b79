package work

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
)

// Deed is what a chronicle command does.
type Deed string

// The deeds.
const (
	DoNew        Deed = "new"        // a new entry, a draft
	DoAppend     Deed = "append"     // text under a note
	DoCheckpoint Deed = "checkpoint" // as append; opens a draft where there is none
	DoStamp      Deed = "stamp"      // commits on an entry, which publishes it
	DoWorkItem   Deed = "task new"   // a new work item
	DoSpec       Deed = "task spec"
	DoStart      Deed = "task start"
	DoDone       Deed = "task done"
	DoCut        Deed = "task cut"
)

// Noting is one change of the chronicle as somebody asked for it. Its JSON form
// is what waits in a drop box or in the spool.
type Noting struct {
	Do Deed `json:"op"`
	// Note names the note that is meant: by path, or by any name that is enough.
	// "" is the active draft of the caller.
	Note     string             `json:"note,omitempty"`
	Title    string             `json:"title,omitempty"`
	Text     string             `json:"text,omitempty"`
	Tags     []string           `json:"tags,omitempty"`
	Summary  string             `json:"summary,omitempty"`
	Effort   string             `json:"effort,omitempty"`
	Closes   []string           `json:"closes,omitempty"`
	Advances []string           `json:"advances,omitempty"`
	Ref      string             `json:"ref,omitempty"` // of spec; what finished a work item, or why it was cut
	Commits  []chronicle.Commit `json:"commits,omitempty"`
	State    string             `json:"state,omitempty"`  // of a checkpoint, see chronicle.Block
	Covers   []string           `json:"covers,omitempty"` // of a checkpoint

	// Who and where, filled in when it is asked for.
	ID    string    `json:"id"`
	At    time.Time `json:"at"`
	Task  string    `json:"task,omitempty"` // key
	Agent string    `json:"agent,omitempty"`
	// Adopted are the keys of the tasks that it goes on with.
	Adopted []string `json:"adopted,omitempty"`
	Branch  string   `json:"branch,omitempty"`
	Head    string   `json:"head,omitempty"`

	// render makes the text of a checkpoint out of the notes as they are then, of
	// those that were derived where they are nil.
	render func(*chronicle.Index) (text, state string)
}

// written is what a noting comes to on the notes of one revision.
type written struct {
	notes   []bundle.Note
	path    string
	title   string
	made    bool // the note is new
	draft   bool
	reason  string
	drafts  []string // all that a commit is stamped on
	missing []string // work items that the entry closes and that are not there
}

func (n Noting) who() chronicle.Who {
	return chronicle.Who{Agent: n.Agent, Task: n.short()}
}

func (n Noting) short() string {
	if n.Task == "" {
		return ""
	}
	return task.Short(n.Task)
}

func (n Noting) block(text string) chronicle.Block {
	return chronicle.Block{Time: n.At, ID: n.ID, Task: n.short(), Text: text, State: n.State, Covers: n.Covers}
}

func (n Noting) meta() bundle.EventMeta {
	return bundle.EventMeta{
		EventID: n.ID, ReviewID: bundle.ReviewChronicle, Time: n.At.UTC(),
		Task: n.Task, Agent: n.Agent, Branch: n.Branch, Head: n.Head,
	}
}

// write carries the noting out on notes that are read through read. It has no
// effect of its own.
func (n Noting) write(x *chronicle.Index, read func(path string) ([]byte, error)) (w written, err error) {
	switch n.Do {
	case DoNew:
		return n.open(x, n.Title, n.Text)
	case DoAppend, DoCheckpoint:
		return n.add(x, read)
	case DoStamp:
		return n.stamp(x, read)
	case DoWorkItem:
		note, err := chronicle.NewWorkItem(n.front(), n.who(), n.At, x.Paths())
		if err == nil && n.Text != "" {
			note.Data, err = chronicle.AppendBlock(note.Data, n.block(n.Text))
		}
		return written{notes: []bundle.Note{note}, path: note.Path, title: n.Title, made: true, reason: "Note to do: " + n.Title}, err
	}
	return n.move(x, read)
}

// front is the front matter of a new note.
func (n Noting) front() chronicle.Meta {
	return chronicle.Meta{
		Title: n.Title, Tags: n.Tags, Summary: n.Summary, Effort: n.Effort,
		Task: n.short(), Closes: n.Closes, Advances: n.Advances,
	}
}

// open makes a new entry.
func (n Noting) open(x *chronicle.Index, title, text string) (written, error) {
	meta := n.front()
	meta.Title, meta.Effort = title, ""
	note, err := chronicle.NewEntry(meta, n.At, x.Paths())
	if err == nil && text != "" {
		note.Data, err = chronicle.AppendBlock(note.Data, n.block(text))
	}
	return written{notes: []bundle.Note{note}, path: note.Path, title: title, made: true, draft: true, reason: "Open an entry: " + title}, err
}

// add puts text under a note.
func (n Noting) add(x *chronicle.Index, read func(string) ([]byte, error)) (written, error) {
	text := n.Text
	if n.render != nil {
		text, n.State = n.render(x)
	}
	item, found, err := n.target(x)
	if err != nil {
		return written{}, err
	}
	if !found && n.Do == DoCheckpoint {
		w, err := n.open(x, n.Title, text)
		w.reason = n.Title
		return w, err
	}
	if !found {
		return written{}, &RefusedError{"no draft is open here: start one with `chatrail new TITLE`, or name a note with --entry"}
	}
	data, err := read(item.Path)
	if err != nil {
		return written{}, err
	}
	if data, err = chronicle.AppendBlock(data, n.block(text)); err != nil {
		return written{}, inNote(err, item.Path)
	}
	verb := "Add to "
	if n.Do == DoCheckpoint {
		verb = "Checkpoint in "
	}
	return written{
		notes: []bundle.Note{{Path: item.Path, Data: data}}, path: item.Path, title: item.Title,
		draft: item.Kind == chronicle.KindEntry && !item.Published(), reason: verb + named(item),
	}, nil
}

// stamp publishes an entry, and finishes what it closes.
func (n Noting) stamp(x *chronicle.Index, read func(string) ([]byte, error)) (written, error) {
	item, found, err := n.target(x)
	if err != nil {
		return written{}, err
	}
	if !found {
		return written{}, &RefusedError{"no draft is open here to stamp: name an entry with --entry"}
	}
	if item.Kind != chronicle.KindEntry {
		return written{}, &RefusedError{item.Path + " is a work item: commits are stamped on entries"}
	}
	data, err := read(item.Path)
	if err != nil {
		return written{}, err
	}
	if data, err = chronicle.Stamp(data, n.Commits); err != nil {
		return written{}, inNote(err, item.Path)
	}
	meta := chronicle.Read(data).Meta
	for _, name := range n.Closes {
		if !slices.Contains(meta.Closes, name) {
			meta.Closes = append(meta.Closes, name)
		}
	}
	if data, err = chronicle.Update(data, meta); err != nil {
		return written{}, inNote(err, item.Path)
	}
	w := written{notes: []bundle.Note{{Path: item.Path, Data: data}}, path: item.Path, title: item.Title, reason: "Stamp " + commitWords(n.Commits) + " on " + named(item)}
	closed, missing, err := n.finish(x, read, meta.Closes, item.Path)
	w.notes, w.missing = append(w.notes, closed...), missing
	return w, err
}

// finish closes work items by name. Those that are finished or cut already stay.
func (n Noting) finish(x *chronicle.Index, read func(string) ([]byte, error), names []string, by string) (notes []bundle.Note, missing []string, err error) {
	for _, name := range names {
		paths := x.Resolve(chronicle.KindWorkItem, name)
		if len(paths) != 1 {
			missing = append(missing, name)
			continue
		}
		if slices.ContainsFunc(notes, func(b bundle.Note) bool { return b.Path == paths[0] }) {
			continue
		}
		data, err := read(paths[0])
		if err != nil {
			return nil, nil, err
		}
		if status := chronicle.Read(data).Status; status == chronicle.Done || status == chronicle.Cut {
			continue
		}
		if data, err = chronicle.Finish(data, by, n.who(), n.At); err != nil {
			return nil, nil, inNote(err, paths[0])
		}
		notes = append(notes, bundle.Note{Path: paths[0], Data: data})
	}
	return notes, missing, nil
}

// move carries a work item to another status.
func (n Noting) move(x *chronicle.Index, read func(string) ([]byte, error)) (written, error) {
	item, err := one(x, n.Note, chronicle.KindWorkItem)
	if err != nil {
		return written{}, err
	}
	data, err := read(item.Path)
	if err != nil {
		return written{}, err
	}
	w := written{path: item.Path, title: item.Title}
	switch n.Do {
	case DoSpec:
		data, err = chronicle.Spec(data, n.Ref, n.who(), n.At)
		w.reason = "Specify " + named(item)
	case DoStart:
		data, err = chronicle.Start(data, n.who(), n.At)
		w.reason = "Start " + named(item)
	case DoDone:
		data, err = chronicle.Finish(data, n.Ref, n.who(), n.At)
		w.reason = "Finish " + named(item)
	case DoCut:
		data, err = chronicle.Drop(data, n.Ref, n.who(), n.At)
		w.reason = "Cut " + named(item)
	default:
		return w, fmt.Errorf("%q is no change of the chronicle that this version knows", n.Do)
	}
	w.notes = []bundle.Note{{Path: item.Path, Data: data}}
	return w, inNote(err, item.Path)
}

// target is the note that is meant, the active draft of the caller where none
// is named.
func (n Noting) target(x *chronicle.Index) (chronicle.Item, bool, error) {
	if n.Note == "" {
		item, ok := x.ActiveDraft(callers(n.Task, n.Adopted)...)
		return item, ok, nil
	}
	item, err := one(x, n.Note, chronicle.KindEntry, chronicle.KindWorkItem)
	return item, err == nil, err
}

// one finds the note that a name means, of the first kind that has one.
func one(x *chronicle.Index, name string, kinds ...chronicle.Kind) (chronicle.Item, error) {
	for _, kind := range kinds {
		paths := x.Resolve(kind, name)
		switch {
		case len(paths) == 1:
			return x.At(paths[0]), nil
		case len(paths) > 1:
			return chronicle.Item{}, &RefusedError{fmt.Sprintf("%q names %d notes: say which, as in %s", name, len(paths), paths[0])}
		}
	}
	list := "`chatrail list`"
	if len(kinds) == 1 && kinds[0] == chronicle.KindWorkItem {
		list = "`chatrail task list`"
	}
	return chronicle.Item{}, &RefusedError{fmt.Sprintf("nothing is named %q: %s shows what there is", bundle.OneLine(name, 80), list)}
}

// named is what a reason calls a note.
func named(item chronicle.Item) string {
	if title := bundle.OneLine(item.Title, 120); title != "" {
		return title
	}
	return item.Path
}

func commitWords(commits []chronicle.Commit) string {
	if len(commits) == 1 {
		return shortID(commits[0].ID)
	}
	return fmt.Sprintf("%d commits", len(commits))
}

// shortID is the part of a commit id that people read.
func shortID(id string) string { return id[:min(len(id), 12)] }

// inNote says which note an edit was refused in.
func inNote(err error, path string) error {
	var broken *chronicle.BrokenError
	if errors.As(err, &broken) {
		return &RefusedError{path + ": " + broken.Error()}
	}
	return err
}
