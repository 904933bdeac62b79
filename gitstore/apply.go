package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
	"chatrail/refs"
)

// Apply makes one revision out of change, or none where nothing differs. It
// returns the newest revision and whether it is new. A tip that its event does
// not explain is a *bundle.FrozenError, a repository that this process may not
// write a *bundle.UnwritableError; bundle.ErrBusy says that the lock was not
// free in time. Nothing moved then.
//
// The change runs without the lock first, so that it may take its time and that
// no change needs no right to write. When somebody else was first it runs again
// under the lock, where only a git command could overtake it.
func (s *Store) Apply(ctx context.Context, change bundle.Change) (*bundle.Revision, bool, error) {
	a := attempt{store: s, change: change, identity: sync.OnceValue(s.identity(ctx))}
	defer a.unlock()
	for range maxTries {
		rev, changed, err := a.run(ctx)
		var moved *refs.MovedError
		if !errors.As(err, &moved) {
			a.unlock()
			if changed {
				s.trimJournal(ctx)
			}
			return rev, changed, err
		}
		if err := a.lock(ctx); err != nil {
			return nil, false, err
		}
	}
	return nil, false, bundle.ErrBusy
}

// maxTries is how often a change runs while git commands that move the
// reference are first each time.
const maxTries = 100

// maxWait bounds the wait for our lock where the context does not.
const maxWait = time.Minute

// attempt is one Apply.
type attempt struct {
	store    *Store
	change   bundle.Change
	identity func() objects.Signature
	guard    *refs.Guard // nil while the lock is not held
}

func (a *attempt) lock(ctx context.Context) (err error) {
	if a.guard == nil {
		a.guard, err = a.store.lock(ctx)
	}
	return err
}

func (a *attempt) unlock() {
	if a.guard != nil {
		a.guard.Unlock()
		a.guard = nil
	}
}

// run tries once. It returns a *refs.MovedError when the tip moved meanwhile.
func (a *attempt) run(ctx context.Context) (*bundle.Revision, bool, error) {
	s := a.store
	l := s.loader()
	defer l.Close()
	tip, err := s.tip()
	if err != nil {
		return nil, false, err
	}
	present, err := l.healthy(ctx, tip)
	if err != nil {
		return nil, false, err
	}
	draft, err := a.change(present.revision())
	if err != nil {
		return nil, false, err
	}
	w := s.writer(l, a.identity)
	next, err := w.next(ctx, present, draft)
	if err != nil {
		return nil, false, err
	}
	if next == nil {
		return present.revision(), false, ctx.Err()
	}
	if err := a.lock(ctx); err != nil {
		return nil, false, err
	}
	if now, err := s.tip(); err != nil || now != tip {
		return nil, false, cmp.Or(err, error(&refs.MovedError{Name: s.opts.Ref, Current: now}))
	}
	if err := s.publish(ctx, a.guard, w, tip, next); err != nil {
		return nil, false, err
	}
	return next.revision(), true, nil
}

func (s *Store) trimJournal(ctx context.Context) {
	l := s.loader()
	defer l.Close()
	s.journal.trim(ctx, l.Reader)
}

// lock takes our own lock on the reference.
func (s *Store) lock(ctx context.Context) (*refs.Guard, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for start := time.Now(); ; {
		guard, err := s.repo.Exclusive(ctx, s.opts.Ref)
		if err == nil {
			return guard, nil
		}
		// The system frees this lock when its holder dies: it is worth waiting for.
		var locked *refs.LockedError
		if !errors.As(err, &locked) || ctx.Err() != nil || time.Since(start) > maxWait {
			return nil, writeError(err)
		}
	}
}

// writeError tells apart what ends a write: no right to, no time to, anything
// else.
func writeError(err error) error {
	var locked *refs.LockedError
	switch {
	case refs.Unwritable(err):
		return &bundle.UnwritableError{Err: err}
	case errors.As(err, &locked):
		return fmt.Errorf("%w (%w)", bundle.ErrBusy, err)
	}
	return err
}

// publish writes the objects of w, a copy for the journal, and moves the
// reference from old ("" where there must be none) to next.
func (s *Store) publish(ctx context.Context, guard *refs.Guard, w *writer, old string, next *stored) error {
	if err := s.db.Write(ctx, w.objs); err != nil {
		return writeError(err)
	}
	s.journal.add(next.id, w.objs)
	err := ctx.Err()
	if err == nil {
		err = guard.Swap(ctx, refs.Swap{
			Name:    s.opts.Ref,
			Old:     old,
			New:     next.id,
			Who:     refs.Who{Name: w.who.Name, Email: w.who.Email},
			When:    time.Now(),
			Message: "chatrail: " + strings.TrimSpace(subject(next.event)),
		})
	}
	// A swap that failed after the move has moved the reference all the same.
	if now, readErr := s.repo.Read(s.opts.Ref); err != nil && (readErr != nil || now != next.id) {
		s.journal.drop(next.id)
		return writeError(err)
	}
	s.saw(next.id)
	return nil
}

// fixedName and fixedEmail stand where git's configuration names nobody, and
// where a commit must not depend on the machine that made it.
const (
	fixedName  = "ChatRail"
	fixedEmail = "chatrail@localhost"
)

// maxIdentity bounds a name and an address, in bytes: a commit has to stay one
// that is read.
const maxIdentity = 4 << 10

func fixedIdentity() objects.Signature {
	return objects.Signature{Name: fixedName, Email: fixedEmail}
}

// identity asks who writes, once it is needed.
func (s *Store) identity(ctx context.Context) func() objects.Signature {
	return func() objects.Signature {
		var who objects.Signature
		if s.opts.Identity != nil {
			who.Name, who.Email = s.opts.Identity(ctx)
		} else {
			who.Name, who.Email, _ = s.repo.Identity(ctx)
		}
		if who = who.Clean(); who.Name == "" || who.Email == "" || len(who.Name)+len(who.Email) > maxIdentity {
			return fixedIdentity()
		}
		return who
	}
}
