package gitstore

import (
	"context"
	"errors"
	"fmt"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"
	"chatrail/refs"
)

// Create makes the first revision of a bundle. Where the reference is there it
// returns ErrExists beside the tip; of several processes at once exactly one
// creates. A reference that is gone while a tip is known is a
// *bundle.FrozenError: it is repaired, not replaced.
func (s *Store) Create(ctx context.Context, genesis bundle.Draft) (*bundle.Revision, error) {
	return s.create(ctx, func(w *writer) (*stored, error) {
		if genesis.Meta.ReviewID == "" {
			genesis.Meta.ReviewID = bundle.ReviewGenesis
		}
		return w.next(ctx, nil, genesis)
	}, s.identity(ctx))
}

// Import moves the history of a directory onto the reference: every event
// becomes one commit with the event's time and its original bytes, and nothing
// of this machine, so that the same history gets the same ids everywhere. The
// notes, of which a directory keeps only the present text, come with the last
// one. final is the state in which the events have to end. The reference is
// created at the very end; where it is there, Import returns ErrExists beside
// the tip.
func (s *Store) Import(ctx context.Context, events []bundle.Event, final bundle.State, notes []bundle.Note) (*bundle.Revision, error) {
	if len(events) == 0 {
		return nil, errors.New("a history without events cannot be imported")
	}
	return s.create(ctx, func(w *writer) (*stored, error) {
		return w.history(ctx, events, final, notes)
	}, fixedIdentity)
}

// create makes revisions while nobody else can, and then the reference.
func (s *Store) create(ctx context.Context, make func(*writer) (*stored, error), identity func() objects.Signature) (*bundle.Revision, error) {
	if rev, err := s.absent(ctx); err != nil {
		return rev, err
	}
	guard, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer guard.Unlock()
	if rev, err := s.absent(ctx); err != nil {
		return rev, err
	}
	l := s.loader()
	defer l.Close()
	w := s.writer(l, identity)
	last, err := make(w)
	if err != nil {
		return nil, err
	}
	err = s.publish(ctx, guard, w, "", last)
	var moved *refs.MovedError
	if errors.As(err, &moved) {
		return s.existing(ctx)
	}
	if err != nil {
		return nil, err
	}
	return last.revision(), nil
}

// absent is nil where there is no bundle and none is known to have been.
func (s *Store) absent(ctx context.Context) (*bundle.Revision, error) {
	_, err := s.tip()
	switch {
	case isNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return s.existing(ctx)
}

func (s *Store) existing(ctx context.Context) (*bundle.Revision, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return tip, fmt.Errorf("%w, but %w", ErrExists, err)
	}
	return tip, ErrExists
}

// history makes a line of revisions out of events.
func (w *writer) history(ctx context.Context, events []bundle.Event, final bundle.State, notes []bundle.Note) (*stored, error) {
	if err := draft.Check(bundle.Draft{State: final, Notes: notes}); err != nil {
		return nil, err
	}
	changed, err := w.changedNotes(ctx, nil, notes)
	if err != nil {
		return nil, err
	}
	tree := map[string]objects.Entry{}
	var last *stored
	var before *bundle.State
	for i, event := range events {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		after, err := event.FollowNth(i+1, before)
		if err != nil {
			return nil, err
		}
		var parents []string
		if last != nil {
			parents = []string{last.id}
		}
		if i == len(events)-1 {
			if !after.Equal(final) {
				return nil, &bundle.FrozenError{Cause: fmt.Sprintf("event %d does not end in the live files", i+1)}
			}
			if err := w.putNotes(ctx, tree, w.placed(changed)); err != nil {
				return nil, err
			}
		}
		if last, err = w.revision(tree, parents, event, before, after, true); err != nil {
			return nil, err
		}
		before = &after
	}
	return last, nil
}

func isNotFound(err error) bool { return errors.Is(err, bundle.ErrNotFound) }
