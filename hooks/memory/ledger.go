package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ledgerVersion is the form of a ledger. One of a later form is read as far as
// it goes and not written.
const ledgerVersion = 1

// maxSettled bounds a ledger: beyond it the oldest go of what is no longer
// there.
const maxSettled = 10_000

// State is where a note stands.
type State string

// The states of a note. The first two are obligations.
const (
	New      State = "new"      // never settled
	Changed  State = "changed"  // another generation of it was settled
	Resolved State = "resolved" // what it says is kept elsewhere
	Ignored  State = "ignored"  // it need not be
)

// Open tells whether a note in this state is an obligation.
func (s State) Open() bool { return s == New || s == Changed }

// ErrDamaged says that the bytes are no ledger.
var ErrDamaged = errors.New("damaged")

// ErrLater says that a later version of ChatRail wrote a ledger.
var ErrLater = errors.New("a later version of ChatRail wrote the ledger of project memory: update this one")

// Ledger remembers which generations of notes were settled. It holds no text of
// a note and no name but that of its file.
type Ledger struct {
	Version int                `json:"version"`
	Folder  string             `json:"folder"`  // for people who read the file
	Settled map[string]Settled `json:"settled"` // by generation
}

// Settled is what became of one generation of a note.
type Settled struct {
	State State     `json:"state"` // resolved, ignored
	File  string    `json:"file"`
	At    time.Time `json:"at"`
	Task  string    `json:"task,omitempty"` // short key of the task that did it
}

// ID names the ledger of a folder: 32 hex digits.
func ID(folder string) string {
	sum := sha256.Sum256([]byte("chatrail-memory-v1\x00" + folder))
	return hex.EncodeToString(sum[:16])
}

// DecodeLedger reads the bytes of a ledger; none are an empty one. It fails with
// ErrDamaged, and with ErrLater beside what could be read.
func DecodeLedger(data []byte) (Ledger, error) {
	if data == nil {
		return Ledger{Version: ledgerVersion}, nil
	}
	var l Ledger
	if json.Unmarshal(data, &l) != nil || l.Version < 1 {
		return Ledger{Version: ledgerVersion}, ErrDamaged
	}
	if l.Version > ledgerVersion {
		return l, ErrLater
	}
	return l, nil
}

// Encode is the ledger as it is kept.
func (l Ledger) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(l, "", "  ")
	return append(data, '\n'), err
}

// State tells where a note stands.
func (l Ledger) State(n Note) State {
	if s := l.Settled[n.Generation].State; s == Resolved || s == Ignored {
		return s
	}
	for _, s := range l.Settled {
		if s.File == n.File {
			return Changed
		}
	}
	return New
}

// Settle remembers what became of notes. present are all that are there now.
func (l *Ledger) Settle(notes []Note, state State, at time.Time, task string, present []Note) {
	if l.Settled == nil {
		l.Settled = map[string]Settled{}
	}
	for _, n := range notes {
		l.Settled[n.Generation] = Settled{State: state, File: n.File, At: at.UTC().Truncate(time.Second), Task: task}
	}
	if len(l.Settled) > maxSettled {
		l.prune(present)
	}
}

func (l *Ledger) prune(present []Note) {
	var gone []string
	for g := range l.Settled {
		if !slices.ContainsFunc(present, func(n Note) bool { return n.Generation == g }) {
			gone = append(gone, g)
		}
	}
	slices.SortFunc(gone, func(a, b string) int { return l.Settled[a].At.Compare(l.Settled[b].At) })
	for _, g := range gone[:min(len(gone), len(l.Settled)-maxSettled)] {
		delete(l.Settled, g)
	}
}

// Find is the note of a listing that a person or an agent calls by this name:
// the name it gives itself, or its file, with or without the ending. The error
// says in one line why there is none.
func (l Listing) Find(name string) (Note, error) {
	var byName []Note
	for _, n := range l.Notes {
		if n.File == name || n.File == name+".md" {
			return n, nil
		}
		if n.Name == name {
			byName = append(byName, n)
		}
	}
	switch len(byName) {
	case 1:
		return byName[0], nil
	case 0:
		return Note{}, fmt.Errorf("no note %q of type project: `chatrail memory scan` lists them", name)
	}
	files := make([]string, len(byName))
	for i, n := range byName {
		files[i] = n.File
	}
	return Note{}, fmt.Errorf("%d notes are called %q: give the file, %s", len(files), name, strings.Join(files, " or "))
}
