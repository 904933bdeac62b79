package bundle

import "context"

// Revision is one immutable state of a bundle.
type Revision struct {
	// ID names the revision in its store: a commit id in git, an event id in a
	// directory.
	ID string
	// Parents are the revisions it came from, none for the root.
	Parents []string
	// Event made the revision.
	Event Event
	// State is the whole state after the event.
	State State
}

// Note is one chronicle file of a bundle.
type Note struct {
	Path string // slash-separated, below entries/ or tasks/
	Data []byte
}

// NoteRef names a note of a revision.
type NoteRef struct {
	Path string
	// Stamp differs where the bytes do: of one store, two notes with the same
	// path and the same stamp are the same. "" is no stamp.
	Stamp string
}

// Draft is what a Change wants to be recorded.
type Draft struct {
	State State
	// Notes are written with the same revision. A note whose bytes equal the
	// present ones is no change.
	Notes []Note
	// Meta describes the event. The store fills in what is empty: EventID with
	// a new UUID, Time with the present moment.
	Meta EventMeta
}

// Change is a function from the present revision to the next state. A store
// runs it again whenever somebody else was first, so it must have no effect of
// its own. An error from it ends the transaction with nothing written.
type Change func(present *Revision) (Draft, error)

// Store is the only door to a bundle. All methods may be called from several
// goroutines and processes at once; reads take no lock.
type Store interface {
	// Root is the id of the root revision: the identity of the bundle.
	Root(ctx context.Context) (string, error)
	// Tip reads the newest revision. It returns ErrNotFound when there is no
	// bundle, and a *FrozenError beside whatever could be read.
	Tip(ctx context.Context) (*Revision, error)
	// Apply makes one revision out of change, or none where the draft equals
	// the present state. It returns the newest revision and whether it is new.
	Apply(ctx context.Context, change Change) (rev *Revision, changed bool, err error)
	// Walk calls fn for the revision named from (the tip where from is "") and
	// everything below it, newest first, a child always before its parents,
	// until fn returns false or an error.
	Walk(ctx context.Context, from string, fn func(*Revision) (bool, error)) error
	// Read reads one revision by its id, or by a unique prefix of at least four
	// characters.
	Read(ctx context.Context, id string) (*Revision, error)
	// Notes lists the paths of the notes of a revision, sorted.
	Notes(ctx context.Context, id string) ([]string, error)
	// Note reads one note as it was at a revision.
	Note(ctx context.Context, id, path string) ([]byte, error)
	// EachNote goes through the notes of a revision, sorted by path: it asks want
	// for each, and calls fn with the bytes of those that are wanted, until one of
	// them returns an error. A note whose bytes are no longer kept has none.
	EachNote(ctx context.Context, id string, want func(NoteRef) bool, fn func(NoteRef, []byte) error) error
	// Verify checks every revision against its parents and every digest, and
	// reports what it found. It writes nothing.
	Verify(ctx context.Context) (*Report, error)
}

// Report is the verdict of Verify.
type Report struct {
	Valid    bool     // no cause to freeze
	Events   int      // complete events in the history
	Frozen   string   // the cause, "" while Valid
	Pending  []Target // transitions recorded but not finished in the live files
	Warnings []string // such as a torn last line, set aside
}
