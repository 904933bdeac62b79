package dir

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// record makes a draft the newest revision, or returns nil where it changes
// nothing. Until the event is appended everything can be taken back, and is
// where something fails; all the space that is needed is taken before it.
func (tx *transaction) record(ctx context.Context, d bundle.Draft) (*bundle.Revision, error) {
	before := tx.last.State
	notes, err := tx.changedBy(d)
	if err != nil {
		return nil, err
	}
	if len(notes) == 0 && before.Equal(d.State) {
		return nil, nil
	}
	if err := tx.unused(ctx, d.Meta.EventID); err != nil {
		return nil, err
	}
	var digests []bundle.NoteDigest
	for _, n := range notes {
		digests = append(digests, bundle.NoteDigest{Path: n.Path, SHA256: draft.Digest(n.Data)})
	}
	event, err := draft.Event(d, &before, digests)
	if err != nil {
		return nil, err
	}
	after, err := event.Follow(&before)
	if err != nil {
		return nil, err
	}
	var targets []bundle.Target
	for _, t := range event.Transitions {
		targets = append(targets, t.Target)
	}
	live, err := tx.stageLive(after, targets)
	defer live.drop()
	if err != nil {
		return nil, err
	}
	written, err := tx.writeNotes(notes)
	defer func() { written.end(err == nil) }()
	if err != nil {
		return nil, err
	}
	if err = ctx.Err(); err != nil {
		return nil, err
	}
	if err = tx.extend(event); err != nil {
		return nil, err
	}
	// Recorded. Live files that stay behind are finished by the next Apply, and
	// no reader misses them.
	_ = live.place()
	return &bundle.Revision{ID: event.EventID, Parents: []string{tx.last.ID}, Event: event, State: draft.Clone(after)}, nil
}

// changedBy lists the notes of a draft whose bytes are not the present ones.
func (tx *transaction) changedBy(d bundle.Draft) ([]bundle.Note, error) {
	var changed []bundle.Note
	for _, n := range d.Notes {
		present, err := tx.s.readNote(n.Path)
		switch {
		case errors.Is(err, bundle.ErrNotFound):
			changed = append(changed, n)
		case err != nil:
			return nil, err
		case !bytes.Equal(present, n.Data):
			changed = append(changed, n)
		}
	}
	return changed, nil
}

// unused refuses an event id that was given and that the history has: a second
// one would freeze the bundle.
func (tx *transaction) unused(ctx context.Context, id string) error {
	if len(id) < minPrefix {
		return nil
	}
	f, err := tx.s.openEvents()
	if err != nil {
		return err
	}
	defer f.Close()
	switch at, err := f.find(ctx, id); {
	case errors.Is(err, bundle.ErrNotFound):
		return nil
	case err != nil:
		return err
	case at.event.EventID == id:
		return draft.DuplicateID(id)
	}
	return nil
}

// written are notes in place whose event is not there yet.
type written struct {
	s       *Store
	notes   []placed
	folders []string // made for them, outermost first
	kept    staged   // the bytes that were there before, each with its place
}

// placed is a note in its place.
type placed struct {
	path   string
	file   string
	digest string
	backup bool // kept has what was there
}

// writeNotes puts notes in their places. The caller has to end it, also after
// an error.
func (tx *transaction) writeNotes(notes []bundle.Note) (*written, error) {
	w := &written{s: tx.s, kept: staged{s: tx.s}}
	fresh := staged{s: tx.s}
	defer fresh.drop()
	for _, n := range notes {
		made, err := tx.s.makeFolders(n.Path)
		w.folders = append(w.folders, made...)
		if err != nil {
			return w, err
		}
		if err := fresh.add(tx.s.file(n.Path), n.Data); err != nil {
			return w, err
		}
		p := placed{path: n.Path, file: tx.s.file(n.Path), digest: draft.Digest(n.Data)}
		old, err := tx.s.readNote(n.Path)
		if err == nil {
			p.backup = true
			err = w.kept.add(p.file, old)
		}
		if err != nil && !errors.Is(err, bundle.ErrNotFound) {
			return w, err
		}
		w.notes = append(w.notes, p)
	}
	return w, fresh.place()
}

// end leaves the notes in place, or else puts back what was there before. A note
// that somebody changed meanwhile is left alone.
func (w *written) end(recorded bool) {
	defer w.kept.drop()
	if recorded {
		return
	}
	back := map[string]string{}
	for _, m := range w.kept.moves {
		back[m.to] = m.temp
	}
	for _, p := range w.notes {
		now, err := w.s.readNote(p.path)
		if err != nil || draft.Digest(now) != p.digest {
			continue
		}
		if p.backup {
			_ = w.s.disk.rename(back[p.file], p.file)
		} else {
			_ = w.s.disk.remove(p.file)
		}
		_ = w.s.disk.syncDir(filepath.Dir(p.file))
	}
	for i := len(w.folders) - 1; i >= 0; i-- {
		_ = w.s.disk.remove(w.folders[i]) // refused where something is in it
	}
}
