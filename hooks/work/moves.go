package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
)

// itemMove is a work item on its way to another status, as a part of an answer.
type itemMove struct {
	Path  string           `json:"path"`
	Title string           `json:"title,omitempty"`
	To    chronicle.Status `json:"to"`           // doing or done
	By    string           `json:"by,omitempty"` // the entry that finishes it
}

func (m itemMove) name() string {
	if title := bundle.OneLine(m.Title, 80); title != "" {
		return title
	}
	return m.Path
}

// slug is what a person calls the work item.
func (m itemMove) slug() string { return slug(m.Path) }

func slug(notePath string) string { return strings.TrimSuffix(path.Base(notePath), ".md") }

// onlyMoves says that nothing but work items changes.
func (c change) onlyMoves() bool { return c.Patch.Empty() && c.Short.Empty() }

// moveReason is the reason of an answer that only moves work items.
func (c change) moveReason() string {
	if len(c.Moves) == 0 || !c.onlyMoves() {
		return ""
	}
	var parts []string
	for _, m := range c.Moves {
		verb := "Start "
		if m.To == chronicle.Done {
			verb = "Finish "
		}
		parts = append(parts, verb+m.name())
	}
	return bundle.OneLine(strings.Join(parts, "; "), 200)
}

// leftLines say which work items stay where they are, and what moves them.
func (c change) leftLines() []string {
	var lines []string
	for _, m := range c.Moves {
		did, command := "started", "start"
		if m.To == chronicle.Done {
			did, command = "finished", "done"
		}
		lines = append(lines, fmt.Sprintf("%s was not %s: `chatrail task %s %s` does it, or the next review.", m.Path, did, command, m.slug()))
	}
	return lines
}

// notes carries the moves out on the notes of a revision, and says in lines what
// changes.
func (c change) notes(ctx context.Context, store bundle.Store, present *bundle.Revision, meta bundle.EventMeta) (notes []bundle.Note, lines []string, err error) {
	who := chronicle.Who{Agent: meta.Agent}
	if meta.Task != "" {
		who.Task = task.Short(meta.Task)
	}
	for _, m := range c.Moves {
		before, err := store.Note(ctx, present.ID, m.Path)
		if errors.Is(err, bundle.ErrNotFound) {
			return nil, nil, &RefusedError{m.Path + " is no longer there: `chatrail task list` shows what there is"}
		}
		if err != nil {
			return nil, nil, err
		}
		var after []byte
		if m.To == chronicle.Done {
			after, err = chronicle.Finish(before, m.By, who, meta.Time)
		} else {
			after, err = chronicle.Start(before, who, meta.Time)
		}
		if err != nil {
			return nil, nil, &RefusedError{m.Path + ": " + err.Error()}
		}
		if !bytes.Equal(before, after) {
			notes = append(notes, bundle.Note{Path: m.Path, Data: after})
			lines = append(lines, m.Path+": "+status(before)+" -> "+status(after))
		}
	}
	return notes, lines, nil
}

func status(note []byte) string {
	if s := chronicle.Read(note).Status; s != "" {
		return string(s)
	}
	return string(chronicle.Todo)
}

// items finds what a declaration names: the items as the ledger keeps them, and
// the work items that come to another status by it.
func (d *Desk) items(ctx context.Context, receipt task.Receipt, c change, x Declare) (items []string, moves []itemMove, err error) {
	if len(x.Advance) == 0 && len(x.Close) == 0 {
		return nil, nil, nil
	}
	if receipt.Pin == nil {
		return nil, nil, errNoBundleYet
	}
	place := receipt.Pin.Place
	if moved, ok, err := d.Successor(ctx, place, d.Dir); err == nil && ok {
		place = moved
	}
	b, err := d.open(ctx, place)
	if err != nil {
		return nil, nil, err
	}
	present, err := b.tip(ctx)
	if err != nil {
		return nil, nil, err
	}
	f := finder{show: d.mayShow(place), rail: railIDs(present.State.Rail)}
	if after, err := c.on(present.State); err == nil { // else the answer says what is wrong
		f.rail = append(f.rail, railIDs(after.Rail)...)
	}
	if f.notes, err = d.index(ctx, b.place, b.store, present.ID); err != nil {
		return nil, nil, err
	}
	draft, _ := f.notes.ActiveDraft(callers(receipt.TaskKey, receipt.Adopted)...)
	for i, name := range slices.Concat(x.Close, x.Advance) {
		item, id, err := f.find(name)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(items, id) {
			continue
		}
		items = append(items, id)
		switch closing := i < len(x.Close); {
		case item == nil: // of the Rail
		case closing && item.Status != chronicle.Done:
			moves = append(moves, itemMove{Path: item.Path, Title: item.Title, To: chronicle.Done, By: draft.Path})
		case !closing && (item.Status == chronicle.Todo || item.Status == chronicle.Specced):
			moves = append(moves, itemMove{Path: item.Path, Title: item.Title, To: chronicle.Doing})
		}
	}
	return items, moves, nil
}

// finder finds items by the names that people give them.
type finder struct {
	notes *chronicle.Index
	rail  []string // ids on the Rail before and after the answer
	show  bool     // names of the bundle may be said
}

// find returns a work item, or nil for an item of the Rail, and its id.
func (f finder) find(name string) (*chronicle.Item, string, error) {
	name = strings.TrimSpace(name)
	paths := f.notes.Resolve(chronicle.KindWorkItem, name)
	switch {
	case len(paths) > 1:
		return nil, "", &RefusedError{fmt.Sprintf("%q names %d work items: say which, as in %s", bundle.OneLine(name, 80), len(paths), paths[0])}
	case len(paths) == 1:
		for _, item := range f.notes.WorkItems(chronicle.Filter{}) {
			if item.Path == paths[0] {
				return &item, item.Path, nil
			}
		}
	}
	if slices.Contains(f.rail, name) {
		return nil, name, nil
	}
	return nil, "", f.unknown(name)
}

func railIDs(r bundle.Rail) []string {
	var ids []string
	if r.Next != nil {
		ids = append(ids, r.Next.ID)
	}
	for _, item := range slices.Concat(r.Route, r.Open, r.Parked) {
		ids = append(ids, item.ID)
	}
	return ids
}

// maxNamed bounds the names that a refusal lists.
const maxNamed = 6

// unknown refuses a name, with those that there are.
func (f finder) unknown(name string) error {
	text := "no work item and no item of the Rail is named " + strconv.Quote(bundle.OneLine(name, 80)) + "; nothing was written: "
	var names []string
	for _, item := range f.notes.WorkItems(chronicle.Filter{}) {
		if item.Status != chronicle.Done && item.Status != chronicle.Cut {
			names = append(names, slug(item.Path))
		}
	}
	for _, id := range f.rail {
		if !slices.Contains(names, id) {
			names = append(names, id)
		}
	}
	switch {
	case !f.show:
		return &RefusedError{text + "`chatrail task list` and `chatrail show rail` list what there is"}
	case len(names) == 0:
		return &RefusedError{text + "there is none; --no-task declares the changes as work on none"}
	}
	more := ""
	if len(names) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(names)-maxNamed)
		names = names[:maxNamed]
	}
	for i := range names {
		names[i] = bundle.OneLine(names[i], 60)
	}
	return &RefusedError{text + "there are " + strings.Join(names, ", ") + more}
}
