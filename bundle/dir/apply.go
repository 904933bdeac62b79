package dir

import (
	"context"
	"errors"
	"os"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// optimistic is how often a change runs without the lock before it runs under
// it: a change may take its time and may read the store, but must not lose for
// ever against quick ones.
const optimistic = 2

// Apply runs change on the newest revision without a lock and records what it
// returns under the lock, if that revision is still the newest. After having
// lost that race a few times it runs change under the lock; it must then not
// call Apply itself.
//
// Under the lock, and before anything else, it finishes what a writer that died
// left, and records notes that were changed by hand as a revision of its own
// (review id bundle.ReviewRepair). Waiting for the lock ends with ctx, and then
// the error is bundle.ErrBusy. Where the folder cannot be written the error is a
// *bundle.UnwritableError, where the history does not explain what is there a
// *bundle.FrozenError; in both cases nothing was changed.
//
// Once the event is synced the change is recorded and Apply succeeds, even if
// the live files could not be replaced: the next one does that.
func (s *Store) Apply(ctx context.Context, change bundle.Change) (*bundle.Revision, bool, error) {
	for try := 0; ; try++ {
		v, err := s.look(ctx, false)
		if err != nil {
			return nil, false, err
		}
		if v.cause != "" {
			return v.revision(), false, v.frozen()
		}
		var ready *prepared
		if try < optimistic {
			d, err := change(v.revision())
			if err != nil {
				// A change that reads the store may have missed a note of its revision:
				// the files are those of the newest one.
				if now, lookErr := s.look(ctx, false); lookErr == nil && now.last != nil && now.last.ID != v.last.ID {
					continue
				}
				return nil, false, err
			}
			if err := draft.Check(d); err != nil {
				return nil, false, err
			}
			ready = &prepared{on: v.last.ID, draft: d}
		}
		rev, changed, err := s.transact(ctx, change, ready)
		if !errors.Is(err, errMoved) {
			return rev, changed, err
		}
	}
}

// prepared is a draft that was made on a revision, without the lock.
type prepared struct {
	on    string
	draft bundle.Draft
}

// transact takes the lock, brings the bundle up to date and records the draft
// that is ready, or else what change makes. The error is errMoved where somebody
// was first.
func (s *Store) transact(ctx context.Context, change bundle.Change, ready *prepared) (*bundle.Revision, bool, error) {
	lock, err := lockEvents(ctx, s.file(bundle.EventsFile))
	if err != nil && (missing(err) || errors.Is(err, errNotRegular)) {
		return nil, false, errMoved
	}
	if err != nil {
		return nil, false, writeError(err)
	}
	defer lock.release()
	tx, err := s.begin(ctx, lock)
	if err != nil {
		return nil, false, writeError(err)
	}
	if ready == nil {
		d, err := change(tx.revision())
		if err != nil {
			return nil, false, err
		}
		if err := draft.Check(d); err != nil {
			return nil, false, err
		}
		ready = &prepared{on: tx.last.ID, draft: d}
	}
	if ready.on != tx.last.ID {
		return nil, false, errMoved
	}
	rev, err := tx.record(ctx, ready.draft)
	if err != nil || rev == nil {
		return tx.revision(), false, writeError(err)
	}
	return rev, true, nil
}

// transaction is the time under the lock.
type transaction struct {
	*view
	s    *Store
	lock *held
}

// begin makes the bundle one that can be written: everything that was recorded
// is finished, and everything that is there is recorded.
func (s *Store) begin(ctx context.Context, lock *held) (*transaction, error) {
	tx := &transaction{s: s, lock: lock}
	if err := tx.look(ctx); err != nil {
		return nil, err
	}
	repaired, err := tx.recover()
	if err != nil {
		return nil, err
	}
	if repaired {
		if err := tx.look(ctx); err != nil {
			return nil, err
		}
	}
	changed, err := s.changedNotes(ctx, tx.recorded())
	if err != nil || len(changed) == 0 {
		return tx, err
	}
	meta := bundle.EventMeta{ReviewID: bundle.ReviewRepair, Reason: handReason}
	event, err := draft.Event(bundle.Draft{State: tx.last.State, Meta: meta}, &tx.last.State, changed)
	if err != nil {
		return nil, err
	}
	if err := tx.extend(event); err != nil {
		return nil, err
	}
	return tx, tx.look(ctx)
}

// handReason is the reason of the event of notes that have none. Somebody edited
// them, or a writer died between them and their event.
const handReason = "Record notes that were changed without an event"

// look looks again, at the file that is locked.
func (tx *transaction) look(ctx context.Context) error {
	v, err := tx.s.look(ctx, false)
	if err != nil {
		return err
	}
	if v.cause != "" {
		return v.frozen()
	}
	if !os.SameFile(v.info, tx.lock.info) {
		return errMoved
	}
	tx.view = v
	return nil
}

// extend appends an event to the history, or leaves the file as it was.
func (tx *transaction) extend(event bundle.Event) error {
	path := tx.s.file(bundle.EventsFile)
	if !tx.lock.stillAt(path) {
		return errMoved
	}
	err := tx.s.disk.extend(path, tx.fileSize(), append(event.Line, '\n'))
	if err != nil && !errors.Is(err, errMoved) {
		// What can be taken back is; what cannot is a torn line to the next one.
		_ = tx.s.disk.truncate(path, tx.fileSize())
	}
	if err == nil && !tx.lock.stillAt(path) {
		return errMoved
	}
	return err
}

// fileSize is the length of the events file, in bytes.
func (tx *transaction) fileSize() int64 { return tx.info.Size() }
