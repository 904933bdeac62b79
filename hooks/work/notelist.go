package work

import (
	"context"

	"chatrail/bundle/chronicle"
)

// NoteList chooses notes of the chronicle. The zero value lists all entries.
type NoteList struct {
	WorkItems        bool // in place of entries
	Tag              string
	Task             string // the beginning of a task's key
	Since            string // a day
	Status           chronicle.Status
	Draft, Published bool   // only those, of entries
	At               string // as it was at a revision
	Limit            int    // at most so many, 0 for all
}

// List lists notes of a scope: entries newest first, work items by how near they
// are. more is how many the limit left out; warn is the cause where the bundle is
// frozen.
func (d *Desk) List(ctx context.Context, s *Scope, l NoteList) (items []chronicle.Item, more int, warn, err error) {
	f, err := NewFilter(l.Tag, l.Task, l.Since)
	if err != nil {
		return nil, 0, nil, err
	}
	switch f.Status = l.Status; {
	case l.Draft:
		f.State = chronicle.DraftState
	case l.Published:
		f.State = chronicle.PublishedState
	}
	x, _, warn, err := d.Notes(ctx, s, l.At)
	if err != nil {
		return nil, 0, nil, err
	}
	if items = x.Entries(f); l.WorkItems {
		items = x.WorkItems(f)
	}
	if l.Limit > 0 && len(items) > l.Limit {
		items, more = items[:l.Limit], len(items)-l.Limit
	}
	if items == nil {
		items = []chronicle.Item{}
	}
	return items, more, warn, nil
}
