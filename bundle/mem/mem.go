// Package mem is the in-memory backend of bundle.Store: the reference for what
// the contract means, and the store of tests that need no disk.
package mem

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// minPrefix is how much of a revision's id has to be given.
const minPrefix = 4

// Store is one bundle in memory. Its revision ids are the event ids.
type Store struct {
	mu   sync.RWMutex
	revs []revision // oldest first, never empty, only appended to
}

// revision is a revision with all the notes of its moment.
type revision struct {
	bundle.Revision
	notes map[string][]byte
}

// New starts a bundle with genesis as its root revision. A genesis that breaks
// a rule is refused with a *bundle.RuleError.
func New(genesis bundle.Draft) (*Store, error) {
	first, err := next(nil, genesis)
	if err != nil {
		return nil, err
	}
	return &Store{revs: []revision{*first}}, nil
}

// Root is the event id of the genesis.
func (s *Store) Root(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return s.all()[0].ID, nil
}

// Tip is the newest revision.
func (s *Store) Tip(ctx context.Context) (*bundle.Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	revs := s.all()
	return revs[len(revs)-1].copy(), nil
}

// Apply runs change without the lock, so that change may read the store, and
// runs it again when another revision came first. See bundle.Store.
func (s *Store) Apply(ctx context.Context, change bundle.Change) (*bundle.Revision, bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		revs := s.all()
		present := &revs[len(revs)-1]
		d, err := change(present.copy())
		if err != nil {
			return nil, false, err
		}
		rev, err := next(present, d)
		if err != nil {
			return nil, false, err
		}
		if rev == nil {
			return present.copy(), false, nil
		}
		if slices.ContainsFunc(revs, func(r revision) bool { return r.ID == rev.ID }) {
			return nil, false, draft.DuplicateID(rev.ID)
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if s.swap(len(revs), *rev) {
			return rev.copy(), true, nil
		}
	}
}

// Walk goes from the revision named from down to the root. See bundle.Store.
func (s *Store) Walk(ctx context.Context, from string, fn func(*bundle.Revision) (bool, error)) error {
	revs := s.all()
	at := len(revs) - 1
	if from != "" {
		var err error
		if at, err = find(revs, from); err != nil {
			return err
		}
	}
	for ; at >= 0; at-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err := fn(revs[at].copy()); err != nil || !more {
			return err
		}
	}
	return nil
}

// Read finds a revision by its id or a unique prefix of it.
func (s *Store) Read(ctx context.Context, id string) (*bundle.Revision, error) {
	rev, err := s.at(ctx, id)
	if err != nil {
		return nil, err
	}
	return rev.copy(), nil
}

// Notes lists the notes of a revision, sorted.
func (s *Store) Notes(ctx context.Context, id string) ([]string, error) {
	rev, err := s.at(ctx, id)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(rev.notes)), nil
}

// Note reads a note as it was at a revision.
func (s *Store) Note(ctx context.Context, id, path string) ([]byte, error) {
	if err := draft.CheckNotePath(path); err != nil {
		return nil, err
	}
	rev, err := s.at(ctx, id)
	if err != nil {
		return nil, err
	}
	data, ok := rev.notes[path]
	if !ok {
		return nil, fmt.Errorf("note %q: %w", path, bundle.ErrNotFound)
	}
	return bytes.Clone(data), nil
}

// EachNote goes through the notes of a revision. See bundle.Store.
func (s *Store) EachNote(ctx context.Context, id string, want func(bundle.NoteRef) bool, fn func(bundle.NoteRef, []byte) error) error {
	rev, err := s.at(ctx, id)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(rev.notes)) {
		ref := bundle.NoteRef{Path: path, Stamp: draft.Digest(rev.notes[path])}
		if !want(ref) {
			continue
		}
		if err := fn(ref, bytes.Clone(rev.notes[path])); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Verify reads every event again and follows the chain from the root.
func (s *Store) Verify(ctx context.Context) (*bundle.Report, error) {
	revs := s.all()
	report := &bundle.Report{Valid: true, Events: len(revs)}
	var before *bundle.State
	for i, rev := range revs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		event, err := bundle.ParseEvent(rev.Event.Line)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
		after, err := event.FollowNth(i+1, before)
		if err != nil {
			return nil, err
		}
		before = &after
	}
	return report, nil
}

func (s *Store) all() []revision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revs
}

// swap appends rev if there are still seen revisions.
func (s *Store) swap(seen int, rev revision) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.revs) != seen {
		return false
	}
	s.revs = append(s.revs, rev)
	return true
}

func (s *Store) at(ctx context.Context, id string) (*revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	revs := s.all()
	i, err := find(revs, id)
	if err != nil {
		return nil, err
	}
	return &revs[i], nil
}

// find returns the index of the revision that id names.
func find(revs []revision, id string) (int, error) {
	if len(id) < minPrefix {
		return 0, fmt.Errorf("revision %q: give at least %d characters of its id", id, minPrefix)
	}
	found := -1
	for i, rev := range revs {
		switch {
		case rev.ID == id:
			return i, nil
		case !strings.HasPrefix(rev.ID, id):
		case found >= 0:
			return 0, fmt.Errorf("revision %q is ambiguous: give more characters of its id", id)
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("revision %q: %w", id, bundle.ErrNotFound)
	}
	return found, nil
}

// next makes the revision that d asks for on top of present, or nil where d
// changes nothing.
func next(present *revision, d bundle.Draft) (*revision, error) {
	if err := draft.Check(d); err != nil {
		return nil, err
	}
	rev := revision{notes: map[string][]byte{}}
	var before *bundle.State
	if present != nil {
		before = &present.State
		rev.Parents = []string{present.ID}
		maps.Copy(rev.notes, present.notes)
	}
	var changed []bundle.NoteDigest
	for _, n := range d.Notes {
		if old, ok := rev.notes[n.Path]; ok && bytes.Equal(old, n.Data) {
			continue
		}
		rev.notes[n.Path] = bytes.Clone(n.Data)
		changed = append(changed, bundle.NoteDigest{Path: n.Path, SHA256: draft.Digest(n.Data)})
	}
	if before != nil && len(changed) == 0 && before.Equal(d.State) {
		return nil, nil
	}
	event, err := draft.Event(d, before, changed)
	if err != nil {
		return nil, err
	}
	rev.ID, rev.Event, rev.State = event.EventID, event, d.State
	rev.Revision = *rev.copy()
	return &rev, nil
}

// copy gives a caller a revision of its own: what it changes stays with it.
func (r *revision) copy() *bundle.Revision {
	c := r.Revision
	c.Parents = slices.Clone(c.Parents)
	c.State = draft.Clone(c.State)
	return &c
}
