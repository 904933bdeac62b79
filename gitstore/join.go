package gitstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
	"chatrail/refs"
)

// ErrMoved says that a reference was not where it was expected to be.
var ErrMoved = errors.New("somebody else moved it")

// Merge makes the revision in which the histories of two tips come together, and
// stores it without moving the reference: on every machine it is the same
// commit. Both tips have to be verified.
func (s *Store) Merge(ctx context.Context, a, b string) (string, error) {
	l := s.loader()
	defer l.Close()
	w := s.writer(l, fixedIdentity)
	made, err := w.merge(ctx, s.past(l), []string{a, b})
	if err != nil {
		return "", err
	}
	if err := s.db.Write(ctx, w.objs); err != nil {
		return "", writeError(err)
	}
	s.journal.add(made.id, w.objs)
	return made.id, nil
}

// Remake makes the merge at a revision again, and refuses one that comes out
// differently with a *bundle.FrozenError, one of a later version with a *NewerMergeError.
func (s *Store) Remake(ctx context.Context, id string) error {
	l := s.loader()
	defer l.Close()
	return l.remake(ctx, s, id)
}

// Remaker is Remake for many merges of one history, which share what they read.
// The caller ends it with done.
func (s *Store) Remaker() (remake func(ctx context.Context, id string) error, done func()) {
	l := s.loader()
	p := s.past(l)
	return func(ctx context.Context, id string) error {
		if len(p.revs) > maxRemembered {
			p = s.past(l)
		}
		return l.remakeOn(ctx, s, p, id)
	}, l.Close
}

// maxRemembered bounds the revisions that merges share.
const maxRemembered = 5000

// Move sets the reference from one verified revision to another that holds
// everything of it, "" for none yet. Where it is somewhere else it returns
// ErrMoved. Move does not ask whether to follows from: what is merged and what
// gives way is decided by whoever calls.
func (s *Store) Move(ctx context.Context, from, to, why string) error {
	guard, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer guard.Unlock()
	return s.move(ctx, guard, from, to, why)
}

// MoveOn sets the reference to what next makes of where it is, while nobody else
// can write: for when others write faster than next answers. Where next returns
// what it was given, nothing moves.
func (s *Store) MoveOn(ctx context.Context, why string, next func(ctx context.Context, from string) (to string, err error)) error {
	guard, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer guard.Unlock()
	from, err := s.Present()
	if err != nil {
		return err
	}
	to, err := next(ctx, from)
	if err != nil || to == from {
		return err
	}
	return s.move(ctx, guard, from, to, why)
}

func (s *Store) move(ctx context.Context, guard *refs.Guard, from, to, why string) error {
	who := objects.Signature{}
	if who = s.identity(ctx)(); who.Name == "" {
		who = fixedIdentity()
	}
	err := guard.Swap(ctx, refs.Swap{
		Name: s.opts.Ref, Old: from, New: to,
		Who:  refs.Who{Name: who.Name, Email: who.Email},
		When: time.Now(), Message: "chatrail: " + why,
	})
	var moved *refs.MovedError
	if errors.As(err, &moved) {
		return fmt.Errorf("%s: %w", s.opts.Ref, ErrMoved)
	}
	// A swap that failed after the move has moved the reference all the same.
	if now, readErr := s.repo.Read(s.opts.Ref); err != nil && (readErr != nil || now != to) {
		return writeError(err)
	}
	s.saw(to)
	return nil
}

// Present is the id at the reference, "" where there is no bundle. A reference
// that is gone while a tip is known is a *bundle.FrozenError, as everywhere.
func (s *Store) Present() (string, error) {
	id, err := s.tip()
	if errors.Is(err, bundle.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return id, nil
}
