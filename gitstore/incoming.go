package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Inspection says what is to be looked at.
type Inspection struct {
	// Tip is the commit that was fetched.
	Tip string
	// Known are revisions that are trusted with everything below them, such as
	// the local tip. There may be none.
	Known []string
	// Root is the root that the history has to have, and no other; "" for any.
	Root string
	// Merge recomputes a merge and compares. It is called once for each merge
	// that is not below Known, after the merge was held to what can be said
	// without recomputing it. May be nil.
	Merge func(ctx context.Context, id string) error
}

// Incoming is what an inspection found.
type Incoming struct {
	Tip       string
	Root      string   // the first of Roots; that of the Inspection where nothing starts anew
	Revisions int      // that are not below what is known
	Merges    int      // among them
	Roots     []string // those of them that have no parent
}

// BrokenRuleError says that a history which came from elsewhere breaks a rule.
type BrokenRuleError struct {
	Revision string // the short id of the one at which the inspection ended
	Rule     string // one line that names the revision, without text from the history
}

func (e *BrokenRuleError) Error() string { return e.Rule }

// RootsError says that a history which came from elsewhere is another project's,
// or several projects' in one: its roots are not the one that was asked for.
// Beyond that nothing was looked at.
type RootsError struct {
	Want  string
	Roots []string
}

func (e *RootsError) Error() string {
	if len(e.Roots) == 1 {
		return fmt.Sprintf("it starts at revision %s and not at %s: they are different projects", short(e.Roots[0]), short(e.Want))
	}
	return fmt.Sprintf("it starts at %d revisions and not only at %s: it joins different projects", len(e.Roots), short(e.Want))
}

// NewerMergeError says that a history which came from elsewhere holds a merge by
// a rule that is not known here. What is below the merge was held to the rules.
type NewerMergeError struct{ Revision string }

func (e *NewerMergeError) Error() string {
	return fmt.Sprintf("revision %s was made by a newer ChatRail: update to read it", short(e.Revision))
}

// knownError is about a revision that is trusted: a fault of this repository,
// not of what came.
type knownError struct{ error }

func (e knownError) Unwrap() error { return e.error }

// Inspect checks every revision of a fetched tip that is not below what is
// known. It touches no reference and writes nothing: a fetched history gets
// nothing from the journal. Only what the repository lost of what is known comes
// back from there, as for every reader.
//
// What breaks a rule is a *BrokenRuleError, a history with other roots a
// *RootsError, a merge of a later version a *NewerMergeError. A *FrozenError is
// about what is known: the local bundle cannot be read. Beside a *RootsError
// comes what was found.
//
// The checks are those of Verify. That an event stands only once is checked
// among the new revisions and against the youngest of the known ones, see
// knownEvents.
func (s *Store) Inspect(ctx context.Context, i Inspection) (*Incoming, error) {
	if !s.db.Hash().Valid(i.Tip) {
		return nil, &BrokenRuleError{Rule: "the tip is not named by the full id of a revision"}
	}
	for _, id := range i.Known {
		if !s.db.Hash().Valid(id) {
			return nil, errors.New("what is known is not named by the full id of a revision")
		}
	}
	if slices.Contains(i.Known, i.Tip) {
		return &Incoming{Tip: i.Tip, Root: i.Root}, nil
	}
	own := s.loader()
	defer own.Close()
	l := &loader{Reader: s.db.Reader(nil), hash: own.hash, compass: own.compass, rail: own.rail}
	defer l.Close()
	in := &inspector{Inspection: i, examiner: newExaminer(l), own: own}
	in.lister = func(ctx context.Context) (*listing, error) { return s.listNew(ctx, l, own, i.Tip, i.Known) }
	in.eventer = func(ctx context.Context) error { return s.knownEvents(ctx, i.Known, in.events) }
	return in.verdict(ctx)
}

// inspector is one inspection.
type inspector struct {
	Inspection
	*examiner
	own     *loader                                     // for what is known
	lister  func(ctx context.Context) (*listing, error) // lists what is not
	eventer func(ctx context.Context) error             // adds known events
	list    *listing
	at      string // the revision that is looked at
}

// verdict inspects and says of what an error is.
func (in *inspector) verdict(ctx context.Context) (*Incoming, error) {
	found, err := in.inspect(ctx)
	var known knownError
	if errors.As(err, &known) {
		return nil, known.error
	}
	if frozen := asFrozen(err); frozen != nil {
		return nil, &BrokenRuleError{Revision: short(in.at), Rule: frozen.Cause}
	}
	return found, err
}

func (in *inspector) inspect(ctx context.Context) (*Incoming, error) {
	in.at = in.Tip
	if _, err := in.commit(ctx, in.Tip); err != nil {
		return nil, err
	}
	var err error
	if in.list, err = in.lister(ctx); err != nil {
		return nil, err
	}
	found := &Incoming{Tip: in.Tip, Root: in.Root, Revisions: len(in.list.ids), Roots: in.list.roots}
	if len(found.Roots) > 0 {
		if in.Root != "" && !slices.Equal(found.Roots, []string{in.Root}) {
			return found, &RootsError{Want: in.Root, Roots: found.Roots}
		}
		found.Root = found.Roots[0]
	}
	if found.Revisions == 0 {
		return found, nil
	}
	if err := in.eventer(ctx); err != nil {
		return nil, err
	}
	in.recall = newRecents().over(in.either)
	in.admit = in.sound
	in.merge = in.Merge
	err = in.run(ctx, in.list.ids, func(id string, err error) error {
		in.at = id
		return err
	})
	if err != nil {
		return nil, err
	}
	found.Merges = in.merges
	return found, nil
}

// either reads a revision. Of those that are known the journal gives back what
// the repository lost.
func (in *inspector) either(ctx context.Context, id string) (*stored, error) {
	r, err := in.load(ctx, id)
	if asFrozen(err) == nil || !in.list.known[id] {
		return r, err
	}
	if r, err = in.own.load(ctx, id); asFrozen(err) != nil {
		err = knownError{err}
	}
	return r, err
}

// sound says whether a revision can be checked here at all.
func (in *inspector) sound(r *stored) error {
	if !in.list.explains(r.commit.Parents) {
		return frozenf("revision %s has other parents for git than for ChatRail", short(r.id))
	}
	if mergeMarkOf(r.commit.Message) == newerMark {
		return &NewerMergeError{Revision: r.id}
	}
	return nil
}

// maxKnownEvents is how many of the known revisions, the youngest, no new one
// may have an event id of. To read them all would make the time of an
// inspection that of the whole history.
const maxKnownEvents = 1000

// knownEvents adds the event ids of known revisions. It reads their trailers,
// which costs one process; where git does not answer none are known.
func (s *Store) knownEvents(ctx context.Context, known []string, events map[digest]digest) error {
	if len(known) == 0 {
		return nil
	}
	args := []string{"rev-list", fmt.Sprint("--max-count=", maxKnownEvents), "--format=%(trailers:key=" + eventTrailer + ",valueonly)"}
	out, err := s.db.Git(ctx, append(append(args, known...), "--")...).Output()
	if err != nil {
		return ctx.Err()
	}
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 && !bytes.HasPrefix(line, []byte("commit ")) {
			events[digestOf(line)] = knownLine
		}
	}
	return nil
}
