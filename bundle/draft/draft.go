// Package draft turns what a Change returned into an event. The backends share
// it, so that all of them refuse the same drafts and fill in the same fields.
package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"

	"github.com/google/uuid"
)

// Check refuses a draft that breaks a rule of the format with a
// *bundle.RuleError: a state that is not valid, a note outside its place, or
// the same note twice.
func Check(d bundle.Draft) error {
	if err := d.State.Validate(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(d.Notes))
	for _, n := range d.Notes {
		if err := CheckNotePath(n.Path); err != nil {
			return err
		}
		if seen[n.Path] {
			return pathError(n.Path, "stands once in a draft")
		}
		seen[n.Path] = true
	}
	return nil
}

// Event makes the event of a draft: notes are those that really change. An
// empty event id becomes a new UUID and an empty time the present moment; times
// are kept in UTC and microseconds.
func Event(d bundle.Draft, before *bundle.State, notes []bundle.NoteDigest) (bundle.Event, error) {
	meta := d.Meta
	if meta.EventID == "" {
		meta.EventID = uuid.NewString()
	}
	if meta.Time.IsZero() {
		meta.Time = time.Now()
	}
	meta.Time = meta.Time.UTC().Truncate(time.Microsecond)
	slices.SortFunc(notes, func(a, b bundle.NoteDigest) int { return strings.Compare(a.Path, b.Path) })
	return bundle.NewEvent(meta, before, d.State, notes)
}

// Digest is the sha256 of a note's bytes, in hex, as an event carries it.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DuplicateID refuses an event id that the history already has.
func DuplicateID(id string) error {
	return &bundle.RuleError{Field: "event_id", Value: quote(id), Rule: "is already recorded; leave it empty for a new one"}
}

// Clone copies a state with what it refers to, so that nobody who changes the
// copy in place changes what a store keeps.
func Clone(s bundle.State) bundle.State {
	s.Rail.Route = slices.Clone(s.Rail.Route)
	s.Rail.Open = slices.Clone(s.Rail.Open)
	s.Rail.Parked = slices.Clone(s.Rail.Parked)
	if s.Rail.Next != nil {
		item := *s.Rail.Next
		s.Rail.Next = &item
	}
	return s
}
