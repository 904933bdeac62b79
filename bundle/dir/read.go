package dir

import (
	"context"
	"io"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// Walk reads the history from its end, so that it costs no more than what fn
// asks for. Each event is checked against the one before it, and a history that
// does not hold ends the walk with a *bundle.FrozenError. See bundle.Store.
func (s *Store) Walk(ctx context.Context, from string, fn func(*bundle.Revision) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := s.openEvents()
	if err != nil {
		return err
	}
	defer f.Close()
	var at *found
	if from == "" {
		at, err = newEvents(f, f.size).next()
	} else {
		at, err = f.find(ctx, from)
	}
	if err == io.EOF {
		return &bundle.FrozenError{Cause: noEvent}
	}
	if err != nil {
		return err
	}
	return f.walk(ctx, at, fn)
}

func (f *events) walk(ctx context.Context, at *found, fn func(*bundle.Revision) (bool, error)) error {
	before, err := f.stateBefore(ctx, at.start)
	if err != nil {
		return err
	}
	older := newEvents(f, at.start)
	var child *bundle.State // the state that the event has to lead to
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		parent, err := older.next()
		if err != nil && err != io.EOF {
			return err
		}
		rev, err := revision(at, parent, before)
		if err != nil {
			return err
		}
		if child != nil && !rev.State.Equal(*child) {
			return &bundle.FrozenError{Cause: brokenChain}
		}
		if more, err := fn(rev); err != nil || !more || parent == nil {
			return err
		}
		child, at = before, parent
		if before, err = undo(*before, at.event); err != nil {
			return err
		}
	}
}

// Read finds a revision by its id or a unique prefix of it. See bundle.Store.
func (s *Store) Read(ctx context.Context, id string) (*bundle.Revision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := s.openEvents()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at, err := f.find(ctx, id)
	if err != nil {
		return nil, err
	}
	before, err := f.stateBefore(ctx, at.start)
	if err != nil {
		return nil, err
	}
	parent, err := newEvents(f, at.start).next()
	if err != nil && err != io.EOF {
		return nil, err
	}
	return revision(at, parent, before)
}

// notesAt maps the notes of a revision to their digests, and says whether it is
// the newest.
func (s *Store) notesAt(ctx context.Context, id string) (recorded map[string]string, newest bool, err error) {
	v, err := s.look(ctx, false)
	if err != nil {
		return nil, false, err
	}
	if v.history == nil || v.last == nil {
		return nil, false, v.frozen()
	}
	if v.last.ID == id {
		return v.recorded(), true, nil
	}
	f, err := s.openEvents()
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	at, err := f.find(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if at.event.EventID == v.last.ID {
		return v.recorded(), true, nil
	}
	recorded = map[string]string{}
	err = f.each(ctx, at.end, []byte(`"notes"`), func(e *found) bool {
		for _, n := range e.event.Notes {
			recorded[n.Path] = n.SHA256
		}
		return true
	})
	return recorded, false, err
}

// revision makes the revision of an event, given the event and the state before
// it.
func revision(at, parent *found, before *bundle.State) (*bundle.Revision, error) {
	if (parent == nil) != (before == nil) {
		return nil, &bundle.FrozenError{Cause: brokenChain}
	}
	state, err := at.event.Follow(before)
	if err != nil {
		return nil, err
	}
	rev := &bundle.Revision{ID: at.event.EventID, Event: at.event, State: draft.Clone(state)}
	if parent != nil {
		rev.Parents = []string{parent.event.EventID}
	}
	return rev, nil
}

// undo gives the state before an event from the one after it, nil before the
// first.
func undo(after bundle.State, event bundle.Event) (*bundle.State, error) {
	for _, t := range event.Transitions {
		if t.BeforeSHA256 == "" {
			return nil, nil
		}
		if err := set(&after, t.Target, t.Before); err != nil {
			return nil, &bundle.FrozenError{Cause: "an event holds a value that breaks a rule"}
		}
	}
	return &after, nil
}

func set(s *bundle.State, target bundle.Target, raw []byte) (err error) {
	if target == bundle.TargetCompass {
		s.Compass, err = bundle.CompassFromJSON(raw)
	} else {
		s.Rail, err = bundle.RailFromJSON(raw)
	}
	return err
}
