package gitstore

import (
	"context"
	"crypto/sha256"
	"slices"

	"chatrail/gitstore/objects"

	"github.com/google/uuid"
)

// examiner holds revisions to the rules one after another, parents before their
// children. It is the one check of a history: of the local one and of one that
// comes from elsewhere. Of the revisions it went through it keeps no more than a
// digest of the event id.
type examiner struct {
	*loader
	recall    recall
	admit     func(*stored) error                        // asked before anything is checked, may be nil
	merge     func(ctx context.Context, id string) error // recomputes a merge, may be nil
	events    map[digest]digest                          // by the id: the line, where it is an import
	revisions int
	merges    int
	newer     int // merges by a rule that is not known here
	odd       int // event ids that are no UUIDs, other than imported ones
}

// digest stands for a text that can be long, where many are remembered.
type digest [16]byte

func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest(sum[:len(digest{})])
}

func newExaminer(l *loader) *examiner {
	return &examiner{loader: l, events: map[digest]digest{}, recall: newRecents().over(l.load)}
}

// run examines revisions, and calls fn with the outcome of each until it
// returns an error.
func (e *examiner) run(ctx context.Context, ids []string, fn func(id string, err error) error) error {
	for some := range slices.Chunk(ids, window) {
		e.prefetch(ctx, some)
		for _, id := range some {
			if err := fn(id, e.revision(ctx, id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// revision holds one revision to the rules.
func (e *examiner) revision(ctx context.Context, id string) error {
	r, err := e.recall(ctx, id)
	if err != nil {
		return err
	}
	e.revisions++
	merge := len(r.commit.Parents) > 1
	if merge {
		e.merges++
	}
	if mergeMarkOf(r.commit.Message) == newerMark {
		e.newer++
	}
	if e.admit != nil {
		if err := e.admit(r); err != nil {
			return err
		}
	}
	if err := e.unique(r); err != nil {
		return err
	}
	if err := e.check(ctx, r, e.recall); err != nil {
		return err
	}
	if merge && e.merge != nil {
		return e.merge(ctx, id)
	}
	return nil
}

// unique wants no event to stand twice in a history. Two imports of one
// directory may have the same last event with other notes: those were edited in
// one of two clones, and both are right.
func (e *examiner) unique(r *stored) error {
	imported := carriesImport(r)
	if _, err := uuid.Parse(r.event.EventID); err != nil && !imported {
		e.odd++
	}
	var line digest
	if imported {
		line = digestOf(r.event.Line)
	}
	id := digestOf([]byte(r.event.EventID))
	other, twice := e.events[id]
	if twice && (!imported || other != line && other != knownLine) {
		return frozenf("revision %s has the event id of another one", short(r.id))
	}
	e.events[id] = line
	return nil
}

// knownLine stands for the line of an event of which only the id was read.
var knownLine = digest{1}

// recents are the revisions lately read: the parent of the next one is most
// often among them.
type recents struct {
	byID   map[string]*stored
	weight int // bytes, roughly
}

func newRecents() *recents { return &recents{byID: map[string]*stored{}} }

// Bounds of what is kept of revisions lately read.
const (
	maxRecents     = 128
	maxRecentBytes = 16 << 20
)

// over is a recall that asks load for what is not kept.
func (c *recents) over(load recall) recall {
	return func(ctx context.Context, id string) (*stored, error) {
		if r, ok := c.byID[id]; ok {
			return r, nil
		}
		r, err := load(ctx, id)
		if err != nil {
			return nil, err
		}
		// An event is held as its line and as what was read from it.
		weight := 4*len(r.event.Line) + len(r.commit.Message) + objects.SHA256.Len()*len(r.tree)
		if len(c.byID) >= maxRecents || c.weight+weight > maxRecentBytes {
			clear(c.byID)
			c.weight = 0
		}
		c.byID[id] = r
		c.weight += weight
		return r, nil
	}
}
