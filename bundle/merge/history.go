package merge

import (
	"context"
	"time"

	"chatrail/bundle"
)

// Link is what the shape of a history is made of.
type Link struct {
	Parents []string
	When    time.Time // orders the search for where sides meet, nothing else
}

// Revision is what the rule needs to know of one revision.
type Revision struct {
	ID      string
	Parents []string // one or none; of a merge more
	EventID string
	Time    time.Time
	Task    string // task key, "" outside a task
	Agent   string
	State   bundle.State
	// Wrote are the paths of the notes that the revision wrote. Of a merge it is
	// not read.
	Wrote []string
}

// History is where the rule reads. An id names one revision for ever.
type History interface {
	// Link reads the parents of a revision.
	Link(ctx context.Context, id string) (Link, error)
	// Revisions reads whole revisions, in the order of their ids.
	Revisions(ctx context.Context, ids []string) ([]*Revision, error)
	// Note reads a note as it stood at a revision; bundle.ErrNotFound where there
	// was none.
	Note(ctx context.Context, id, path string) ([]byte, error)
	// HasNote tells whether there was one.
	HasNote(ctx context.Context, id, path string) (bool, error)
}
