// Package dir is the backend of bundle.Store that keeps a bundle in a folder:
// the two live files, the events file with the whole history, and the notes
// below entries/ and tasks/. Revision ids are event ids.
//
// The events file is the truth: it is only appended to, under an OS lock, and
// synced before anything else counts. The live files are what a person reads;
// they are replaced after it, Compass first. A process that dies in between
// leaves a state that the next one explains by the last event and finishes. What
// the history does not explain is frozen: readable, and never written.
package dir

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"chatrail/bundle"
)

// ErrExists says that there is a bundle already where one should be created.
var ErrExists = errors.New("there is a bundle already")

// Options say how a bundle is kept.
type Options struct {
	// Private gives files and folders the modes 0600 and 0700, and refuses a
	// link in place of the folder. Otherwise the umask decides.
	Private bool
	// Cache, where it is not nil, spares a new Store the verification of what
	// was verified before.
	Cache Cache
}

// Store is one bundle in a folder.
//
// Reads take no lock. Where the live files lag behind the last event, because a
// writer is at work or died, they give the state after it. The notes of the
// newest revision are the present files, also where a person changed one by
// hand: Apply gives such a change an event of its own first. An older note is
// there as long as the present file still has its bytes.
type Store struct {
	path string
	opts Options
	disk disk
	// patience is what a reader waits before it looks again.
	patience time.Duration

	mu   sync.Mutex
	memo prefix // what this Store verified; its maps are never changed
}

var _ bundle.Store = (*Store)(nil)

// Open names the bundle at path. It touches nothing: whether there is one, the
// first method says.
func Open(path string, opts Options) *Store {
	// A process may change its working directory later.
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &Store{path: path, opts: opts, disk: osDisk{}, patience: retryPause}
}

// Root is the id of the first event.
func (s *Store) Root(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f, err := s.openEvents()
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := newForward(f, 0, f.size)
	for {
		l, err := lines.next()
		switch {
		case err == io.EOF:
			return "", &bundle.FrozenError{Cause: noEvent}
		case err != nil && !errors.Is(err, errLongLine):
			return "", err
		case err == nil && l.blank():
			continue
		}
		event, err := bundle.ParseEvent(l.text)
		if err != nil {
			return "", &bundle.FrozenError{Cause: unreadable(err, 1, 1, l.text)}
		}
		return event.EventID, nil
	}
}

// Tip reads the newest revision. Of a frozen bundle it gives the newest that the
// history still explains, or one without an id that has the live state alone, or
// nil.
func (s *Store) Tip(ctx context.Context) (*bundle.Revision, error) {
	v, err := s.look(ctx, false)
	if err != nil {
		return nil, err
	}
	return v.revision(), v.frozen()
}

// verified gives what is known to hold of an events file.
func (s *Store) verified(r io.ReaderAt, size int64) prefix {
	s.mu.Lock()
	p := s.memo
	s.mu.Unlock()
	if p.size > 0 && p.fits(r, size) {
		return p
	}
	if s.opts.Cache != nil {
		if p, ok := decodePrefix(s.opts.Cache.Load()); ok && p.fits(r, size) {
			return p
		}
	}
	return prefix{}
}

// remember keeps what was verified for the next look; relied is the size of the
// part that was known before.
func (s *Store) remember(p prefix, relied int64) {
	s.mu.Lock()
	s.memo = p
	s.mu.Unlock()
	if s.opts.Cache == nil || p.size == relied {
		return
	}
	if data, err := p.encode(); err == nil {
		s.opts.Cache.Save(data)
	}
}

// forget drops what was verified.
func (s *Store) forget() {
	s.mu.Lock()
	s.memo = prefix{}
	s.mu.Unlock()
}

// events is the open events file with the size that counts.
type events struct {
	*os.File
	size int64
}

// openEvents opens the events file for reading.
func (s *Store) openEvents() (*events, error) {
	if s.opts.Private && linked(s.path) {
		return nil, &bundle.FrozenError{Cause: linkedFolder}
	}
	f, err := openNoFollow(s.file(bundle.EventsFile), os.O_RDONLY)
	if err == nil {
		info, statErr := f.Stat()
		if statErr != nil {
			f.Close()
			return nil, statErr
		}
		return &events{f, info.Size()}, nil
	}
	// Why it cannot be opened is told by the folder.
	switch shape, cause, shapeErr := inspect(s.path); {
	case shapeErr != nil || shape == Complete:
		return nil, err
	case shape == Absent:
		return nil, errNoBundle
	default:
		return nil, &bundle.FrozenError{Cause: cause}
	}
}
