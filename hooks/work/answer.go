package work

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatrail/bundle"
)

// maxLookBack bounds the search for a revision that a review has already made.
const maxLookBack = 10_000

// question is what the answer to a review is held against.
type question struct {
	id     string            // as given: of the review, or an alias
	ids    []string          // of the review and all its aliases
	opened string            // tip when the review began, "" unknown
	since  string            // tip when the oldest alias began, "" unknown
	expect map[string]string // field digests when the review began; nil: unknown
	whole  map[string]string // target digests instead, from older receipts
}

// change is what an answer asks for: a patch, short forms, work items that come
// to another status, or several of them.
type change struct {
	Patch bundle.Patch `json:"patch"`
	Short bundle.Short `json:"short"`
	Moves []itemMove   `json:"moves,omitempty"`
}

func (c change) empty() bool { return c.onlyMoves() && len(c.Moves) == 0 }

// fields are the fields that the change names, sorted, each once.
func (c change) fields() []bundle.Field {
	f := append(c.Patch.Fields(), c.Short.Fields()...)
	slices.Sort(f)
	return slices.Compact(f)
}

// on applies the change to a state. Short forms are expanded against the state
// as it is, so that "done" means what is next now.
func (c change) on(s bundle.State) (bundle.State, error) {
	short, err := bundle.ExpandShort(s, c.Short)
	if err != nil {
		return s, err
	}
	patch, err := c.Patch.Merge(short)
	if err != nil {
		return s, err
	}
	return patch.Apply(s)
}

// errRepeated ends a transaction whose review has been recorded before.
var errRepeated = errors.New("recorded before")

// prior is a revision that the review, or an alias of it, has made.
type prior struct {
	rev *bundle.Revision
	// settles says that it answers the review itself, not only an older one
	// that the review replaced.
	settles bool
}

// record makes one revision out of an answer with a change. It is safe to
// repeat: a review that has made a revision since it began makes no second one.
func record(ctx context.Context, store bundle.Store, q question, c change, meta bundle.EventMeta) (rev *bundle.Revision, found *prior, changes []string, err error) {
	rev, changed, err := store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		var err error
		if found, err = recorded(ctx, store, present, q); err != nil {
			return bundle.Draft{}, err
		}
		if found != nil {
			return bundle.Draft{}, errRepeated
		}
		if moved := q.moved(c.fields(), present.State); len(moved) > 0 {
			return bundle.Draft{}, &StaleError{Fields: moved, Present: present}
		}
		next, err := c.on(present.State)
		if err != nil {
			return bundle.Draft{}, err
		}
		notes, moved, err := c.notes(ctx, store, present, meta)
		if err != nil {
			return bundle.Draft{}, err
		}
		changes = append(bundle.Changes(present.State, next), moved...)
		return bundle.Draft{State: next, Notes: notes, Meta: meta}, nil
	})
	switch {
	case errors.Is(err, errRepeated):
		return found.rev, found, nil, nil
	case err != nil:
		return nil, nil, nil, err
	case !changed:
		return rev, nil, nil, nil
	}
	return rev, nil, changes, nil
}

// recorded looks for a revision that answers the id as given, or the review by
// another of its ids, from the present tip down to where they began. What an
// alias made before the review began is no answer to the review.
func recorded(ctx context.Context, store bundle.Store, present *bundle.Revision, q question) (*prior, error) {
	if present.ID == q.since {
		return nil, nil
	}
	var found *prior
	n, above := 0, true
	err := store.Walk(ctx, present.ID, func(r *bundle.Revision) (bool, error) {
		n++
		above = above && r.ID != q.opened
		if r.Event.ReviewID == q.id || above && slices.Contains(q.ids, r.Event.ReviewID) {
			found = &prior{rev: r, settles: above}
			return false, nil
		}
		return r.ID != q.since && n < maxLookBack, nil
	})
	return found, err
}

// moved tells which of the named fields differ from what the review expects.
func (q question) moved(named []bundle.Field, s bundle.State) []bundle.Field {
	var moved []bundle.Field
	now := s.FieldDigests()
	for _, f := range named {
		switch {
		case q.expect != nil:
			if q.expect[string(f)] != now[f] {
				moved = append(moved, f)
			}
		case q.whole != nil:
			if q.whole[target(f)] != wholeDigest(s, f) {
				moved = append(moved, f)
			}
		}
	}
	return moved
}

// target is the live truth that a field belongs to.
func target(f bundle.Field) string {
	t, _, _ := strings.Cut(string(f), ".")
	return t
}

func wholeDigest(s bundle.State, f bundle.Field) string {
	if target(f) == string(bundle.TargetCompass) {
		return s.Compass.Digest()
	}
	return s.Rail.Digest()
}

// MovedLines tells what moved since a review began, one line a field.
func movedLines(fields []bundle.Field, present *bundle.Revision) []string {
	var lines []string
	for _, l := range Lines(present.State) {
		if slices.Contains(fields, bundle.Field(l.Field)) {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// present lines are what a stale answer shows.
func presentLines(s bundle.State) []string {
	var lines []string
	for _, l := range Lines(s) {
		lines = append(lines, l.Text)
	}
	return lines
}

// oneLine folds a reason into one line, as a commit's subject has to be. What
// else it holds is kept as it was said.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fieldDigests are the digests of a state's fields, as receipts keep them.
func fieldDigests(s bundle.State) map[string]string {
	digests := map[string]string{}
	for f, digest := range s.FieldDigests() {
		digests[string(f)] = digest
	}
	return digests
}
