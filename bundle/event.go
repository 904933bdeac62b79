package bundle

import (
	"encoding/json"
	"time"
)

// Review ids of events that no review caused. A restore is "restore:<rev>".
const (
	ReviewGenesis = "genesis"
	ReviewMerge   = "merge"
	ReviewRepair  = "repair"
	// ReviewChronicle is of an event that only wrote notes.
	ReviewChronicle = "chronicle"
)

// EventMeta is what describes an event, apart from what it changed.
type EventMeta struct {
	EventID  string    // UUID
	ReviewID string    // the review that caused it, or a constant above
	Time     time.Time // UTC, microseconds
	Reason   string    // one line
	Task     string    // task key, "" outside a task
	Agent    string    // "claude", "codex", … "" for a person
	Branch   string    // branch of the work tree, "" outside git
	Head     string    // commit of the work tree, "" where there is none
}

// Transition is the change of one live truth, whole before and whole after.
type Transition struct {
	Target       Target
	Before       json.RawMessage // null in the first event
	After        json.RawMessage
	BeforeSHA256 string // "" where Before is null
	AfterSHA256  string
}

// NoteDigest names a chronicle note that an event wrote.
type NoteDigest struct {
	Path   string
	SHA256 string
}

// Event is one recorded change. Line holds the bytes it was read from or will
// be written as, without the line break: readers keep them, so that unknown
// keys of other versions survive.
type Event struct {
	EventMeta
	Version     int
	Transitions []Transition // Compass first, then Rail
	Notes       []NoteDigest
	Parents     []string // of a merge
	SetAside    json.RawMessage
	Line        []byte
}
