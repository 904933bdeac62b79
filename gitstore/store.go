package gitstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
	"chatrail/refs"
)

// ErrExists says that a bundle is there already. It is not replaced.
var ErrExists = errors.New("a bundle is there already")

// Options says which bundle of a repository is meant, and what is known of it.
type Options struct {
	// Ref is the full name of the reference, as in "refs/chatrail/project".
	Ref string
	// JournalDir is a folder for copies of recent revisions of this
	// repository, "" for none. It is made when it is needed.
	JournalDir string
	// KnownTip is the last tip that this user saw, "" for none. A reference
	// that is gone while a tip is known is frozen, not absent.
	KnownTip string
	// Identity replaces git's configuration as the source of the author. An
	// empty answer means the fixed identity of ChatRail.
	Identity func(context.Context) (name, email string)
	// Objects are the objects of the repository, nil for a reader of its own: who
	// opens several bundles of one repository needs no git process for each.
	Objects *objects.DB
}

// Store is a bundle on a reference. It implements bundle.Store; its methods may
// be called from several goroutines and processes at once.
type Store struct {
	repo    *refs.Repo
	db      *objects.DB
	journal journal
	opts    Options

	mu    sync.Mutex
	known string // the last tip seen, by this process or before it
}

var _ bundle.Store = (*Store)(nil)

// Open gives access to the bundle on a reference, which need not exist yet. It
// reads nothing.
func Open(repo *refs.Repo, o Options) *Store {
	db := o.Objects
	if db == nil {
		db = objects.Open(repo)
	}
	return &Store{
		repo:    repo,
		db:      db,
		journal: journal{dir: o.JournalDir, db: db, commonDir: repo.CommonDir},
		opts:    o,
		known:   o.KnownTip,
	}
}

// Place names the bundle for messages: the reference and the repository.
func (s *Store) Place() string {
	where := s.repo.WorkTree
	if where == "" {
		where = s.repo.CommonDir
	}
	return s.opts.Ref + " in " + where
}

// tip reads the reference. When it is gone or unreadable while a tip is known,
// that tip comes beside the *bundle.FrozenError.
func (s *Store) tip() (string, error) {
	id, err := s.repo.Read(s.opts.Ref)
	switch {
	case err == nil && !s.db.Hash().Valid(id):
		return s.lastKnown(), frozenf("%s does not name a revision", s.opts.Ref)
	case err == nil:
		s.saw(id)
		return id, nil
	case errors.Is(err, refs.ErrCorrupt):
		return s.lastKnown(), frozenf("%s is corrupt", s.opts.Ref)
	case errors.Is(err, refs.ErrNoRef):
		if known := s.lastKnown(); known != "" {
			return known, frozenf("%s is gone; it was at %s", s.opts.Ref, short(known))
		}
		return "", fmt.Errorf("%s: %w", s.opts.Ref, bundle.ErrNotFound)
	}
	return "", err
}

// readable is tip for those who only read: a reference that is gone still leads
// to what it was at.
func (s *Store) readable() (string, error) {
	id, err := s.tip()
	if id != "" {
		return id, nil
	}
	return "", err
}

func (s *Store) lastKnown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

func (s *Store) saw(tip string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = tip
}

// frozenf makes a *bundle.FrozenError. Its words never come from the bundle.
func frozenf(format string, args ...any) error {
	return &bundle.FrozenError{Cause: fmt.Sprintf(format, args...)}
}

// asFrozen gives the *bundle.FrozenError in err, nil where there is none.
func asFrozen(err error) *bundle.FrozenError {
	var frozen *bundle.FrozenError
	errors.As(err, &frozen)
	return frozen
}

// short is an id as people read it.
func short(id string) string { return id[:min(len(id), 12)] }
