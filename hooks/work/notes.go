package work

import (
	"context"
	"encoding/json"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
)

// knownNote is what the state home remembers of a note, so that a list of
// thousands reads only those that changed.
type knownNote struct {
	Stamp string         `json:"stamp"`
	Item  chronicle.Item `json:"item"`
}

// knownNotes is the file that holds them.
type knownNotes struct {
	Version int          `json:"version"`
	Notes   []*knownNote `json:"notes"`
}

const (
	knownVersion = 1
	// worthKeeping is how many notes have to be read anew before the file is
	// written again: it is long, and reading a few notes is not.
	worthKeeping = 32
)

// index reads what the front matter of all notes of a revision says.
func (d *Desk) index(ctx context.Context, p task.Place, store bundle.Store, id string) (*chronicle.Index, error) {
	remembered := d.rememberedNotes(p)
	x := &chronicle.Index{}
	x.Grow(len(remembered))
	all := make([]*knownNote, 0, len(remembered))
	fresh := 0
	err := store.EachNote(ctx, id,
		func(ref bundle.NoteRef) bool {
			known, ok := remembered[ref.Path]
			if ok && ref.Stamp != "" && known.Stamp == ref.Stamp {
				x.AddItem(&known.Item)
				all = append(all, known)
				return false
			}
			return chronicle.KindOf(ref.Path) != ""
		},
		func(ref bundle.NoteRef, data []byte) error {
			item, ok := chronicle.ItemOf(ref.Path, data)
			if !ok {
				return nil
			}
			x.AddItem(&item)
			if data != nil && ref.Stamp != "" {
				all = append(all, &knownNote{ref.Stamp, item})
				fresh++
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	if fresh >= worthKeeping && !d.Still {
		if data, err := json.Marshal(knownNotes{knownVersion, all}); err == nil {
			_ = d.Home.SaveNotes(p, data) // a cache that cannot be kept is made anew
		}
	}
	return x, nil
}

func (d *Desk) rememberedNotes(p task.Place) map[string]*knownNote {
	data, err := d.Home.LoadNotes(p)
	if err != nil || data == nil {
		return nil
	}
	var known knownNotes
	if json.Unmarshal(data, &known) != nil || known.Version != knownVersion {
		return nil
	}
	byPath := make(map[string]*knownNote, len(known.Notes))
	for _, n := range known.Notes {
		if n != nil {
			byPath[n.Item.Path] = n
		}
	}
	return byPath
}

// Notes is the index of a scope's notes as they were at a revision, the tip
// where at is "". warn is the cause where the bundle is frozen.
func (d *Desk) Notes(ctx context.Context, s *Scope, at string) (x *chronicle.Index, rev *bundle.Revision, warn, err error) {
	if rev, warn, err = s.Revision(ctx, at); err != nil {
		return nil, nil, nil, err
	}
	if s.Store == nil || rev == nil {
		return nil, nil, nil, warn
	}
	if at == "" {
		x, err = d.index(ctx, s.Place, s.Store, rev.ID)
		return x, rev, warn, err
	}
	// The cache is of the newest revision; an older one would spoil it.
	x = &chronicle.Index{}
	err = s.Store.EachNote(ctx, rev.ID, func(bundle.NoteRef) bool { return true }, func(ref bundle.NoteRef, data []byte) error {
		x.Add(ref.Path, data)
		return nil
	})
	return x, rev, warn, err
}
