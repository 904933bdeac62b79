// Package turn decides what one lifecycle event of an agent means for a task:
// what is said, what is recorded, and whether the end of a turn is held up
// once.
//
// Everything in it is a pure function of the task's state, the event and the
// health of the bundle. It reads no clock and no file, and it knows no client:
// the adapters of package agent translate. The rules stand as data in
// table.go; Table prints them.
package turn

import "time"

// Kind is a moment in the life of an agent's session.
type Kind string

// The moments that a client may report.
const (
	SessionStart Kind = "session start"
	Prompt       Kind = "prompt"
	PreCompact   Kind = "before compaction"
	PostCompact  Kind = "after compaction"
	Stop         Kind = "stop"
	ChildStart   Kind = "child start"
	ChildStop    Kind = "child stop"
	SessionEnd   Kind = "session end"
	Other        Kind = "other"
)

// Source says why a session starts. A start without a known source counts as
// Startup.
type Source string

// The reasons for a session start.
const (
	Startup Source = "startup"
	Resume  Source = "resume"
	Clear   Source = "clear"
	Compact Source = "compact"
	Fork    Source = "fork"
)

// PromptClass tells a person's words from what a client submits by itself. The
// zero value counts as Words.
type PromptClass string

// The classes of a prompt.
const (
	Words        PromptClass = "words"
	Empty        PromptClass = "empty"        // nothing but blanks
	Notification PromptClass = "notification" // the result of background work
	Echo         PromptClass = "echo"         // our own block reason, coming back
)

// Event is one lifecycle event in the words of no particular client.
type Event struct {
	Kind   Kind   `json:"kind"`
	Source Source `json:"source,omitempty"` // of a SessionStart
	// Deaf says that what is said at a SessionStart does not reach the model.
	Deaf bool `json:"deaf,omitempty"`
	// Noteless says that no note for the person gets anywhere.
	Noteless bool `json:"noteless,omitempty"`
	// Summary names the summary that the context goes on from, for a client that
	// reports no compaction; "" where none is known.
	Summary string `json:"summary,omitempty"`
	// Child says that a sub-agent is the cause.
	Child bool `json:"child,omitempty"`
	// Turn is the client's own id of the turn, "" where it gives none.
	Turn string `json:"turn,omitempty"`
	// Prompt is the class of a prompt, and PromptHash any digest of its text:
	// together with Turn it tells a prompt that was delivered twice.
	Prompt     PromptClass `json:"prompt,omitempty"`
	PromptHash string      `json:"prompt_hash,omitempty"`

	StopActive  bool `json:"stop_active,omitempty"`  // the turn goes on because of a stop hook
	Plan        bool `json:"plan,omitempty"`         // the agent only plans
	Background  bool `json:"background,omitempty"`   // background work of the agent is out
	EmptyAnswer bool `json:"empty_answer,omitempty"` // the turn ended without a word
	Unattended  bool `json:"unattended,omitempty"`   // nobody watches: a headless run

	// At is the present moment, and NewReview the id for a review that this
	// event opens, used as it is. Without NewReview none is opened.
	At        time.Time `json:"at,omitzero"`
	NewReview string    `json:"new_review,omitempty"`
}

// Health is what is known about the task's bundle at the moment of an event.
// The zero value means that nothing is known: nothing is said or asked then.
type Health struct {
	// Healthy says that the bundle was read and that history explains it.
	Healthy bool
	// Frozen is the cause where the bundle is frozen: one line, always the
	// same for the same cause.
	Frozen string
	// Named says that a North has been named; Default that the bundle is still
	// in the state it started in.
	Named   bool
	Default bool
	// Trusted says that words of the bundle may enter a context by themselves.
	Trusted bool
	// Tip is the newest revision, Fields the digest of each field's value.
	Tip    string
	Fields map[string]string
	// OpenLoop says that something would be lost with the context, Loop names
	// what: any text that is the same for the same.
	OpenLoop bool
	Loop     string
	// CameBefore names the task of the same client that was at work in this place
	// before a session that begins without its context: any text, "" for none.
	CameBefore string
}

// ok says that the bundle can be asked about and written.
func (h Health) ok() bool { return h.Healthy && h.Frozen == "" }
