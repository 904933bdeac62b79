package chronicle

import (
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
)

// NewEntry makes an entry, a draft without text, with a path that is none of
// the given ones. Date, time and path are those of the moment in the zone that
// it carries; everything else comes from meta.
func NewEntry(meta Meta, at time.Time, paths []string) (bundle.Note, error) {
	meta.stampMoment(at)
	return newNote(EntryPath(at, meta.Title, paths), meta)
}

func newNote(path string, meta Meta) (bundle.Note, error) {
	if strings.TrimSpace(meta.Title) == "" {
		return bundle.Note{}, &bundle.RuleError{Field: "title", Rule: "is empty; say in a few words what the note is about"}
	}
	data, err := Update(nil, meta)
	return bundle.Note{Path: path, Data: data}, err
}

// Commit is one commit with the size of its diff.
type Commit struct {
	ID      string // hex, in full
	Files   int
	Added   int
	Deleted int
}

// Stamp attaches commits to an entry, which publishes it: their ids join those
// it has, their sizes are added to its stat. A commit that the entry has
// already is passed over, so that stamping twice is stamping once.
func Stamp(entry []byte, commits []Commit) ([]byte, error) {
	m := Read(entry).Meta
	m.Hashes = slices.Clone(m.Hashes)
	for _, c := range commits {
		if err := checkCommit(c.ID); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(m.Hashes, func(h string) bool { return SameCommit(h, c.ID) }) {
			continue
		}
		m.Hashes = append(m.Hashes, c.ID)
		m.Stat.Files += c.Files
		m.Stat.Added += c.Added
		m.Stat.Deleted += c.Deleted
	}
	return Update(entry, m)
}

// Published tells whether a commit has been stamped on an entry.
func Published(entry []byte) bool {
	n := Read(entry)
	return n.Published()
}

// Restamp carries the stamps of an entry over an amend or a rebase: moved maps
// the id of each rewritten commit to the id of what it became. Commits that
// became one are listed once. The stat stays; SetStat replaces it.
func Restamp(entry []byte, moved map[string]string) ([]byte, error) {
	m := Read(entry).Meta
	var hashes []string
	for _, h := range m.Hashes {
		if to := successor(h, moved); to != "" {
			if err := checkCommit(to); err != nil {
				return nil, err
			}
			h = to
		}
		if !slices.ContainsFunc(hashes, func(has string) bool { return SameCommit(has, h) }) {
			hashes = append(hashes, h)
		}
	}
	m.Hashes = hashes
	return Update(entry, m)
}

// SetStat replaces the stat of an entry, for a caller who measured all of its
// commits anew.
func SetStat(entry []byte, stat Stat) ([]byte, error) {
	m := Read(entry).Meta
	m.Stat = stat
	return Update(entry, m)
}

// successor is what a commit became, "" where it was not rewritten. A person
// may have written an id that is shorter than the one we look for.
func successor(hash string, moved map[string]string) string {
	if to, ok := moved[hash]; ok {
		return to
	}
	found := ""
	for from, to := range moved {
		if SameCommit(hash, from) && (found == "" || to < found) {
			found = to
		}
	}
	return found
}

// SameCommit tells whether two ids, either of them perhaps abbreviated, name
// the same commit.
func SameCommit(a, b string) bool {
	const least = 7 // of an abbreviation, as git makes them
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= least && strings.HasPrefix(b, a)
}

func checkCommit(id string) error {
	if len(id) < 7 || len(id) > 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return &bundle.RuleError{Field: "hash", Value: bundle.OneLine(id, 40), Rule: "must be the id of a commit in lower-case hex"}
	}
	return nil
}
