package turn

import (
	"maps"
	"slices"
	"time"
)

// Bounds of what a state remembers.
const (
	MaxAliases = 8 // older ids that still mean the open review, newest first
	MaxDone    = 8 // ids of completed reviews, newest first
	MaxWarned  = 8 // causes that were warned of, newest first
	MaxStops   = 5 // stops held up in a row without an answer: then whoever is there does not hear it
)

// Status of a review.
type Status string

// A review is pending until somebody answered it.
const (
	Pending Status = "pending"
	Done    Status = "done"
)

// Review is the question of one turn: did reality or the road change?
type Review struct {
	ID     string `json:"id"`
	Turn   string `json:"turn_id,omitempty"`
	Status Status `json:"status"`
	// Blocked says that a stop has been held up for it.
	Blocked bool `json:"stop_blocked,omitempty"`
	// Unattended says that nobody watched when the turn began.
	Unattended bool `json:"unattended,omitempty"`
	// BaseTip and Fields are what an answer is held against: the newest
	// revision and the digest of each field, when the review began or when a
	// stale answer was shown them.
	BaseTip string            `json:"base_tip,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
	// Opened is the newest revision when the review began, where that is no
	// longer BaseTip: an answer to it lies above. Since is the same of the oldest
	// review that this one stands for, where that is not Opened.
	Opened string `json:"opened_tip,omitempty"`
	Since  string `json:"since,omitempty"`
	// Aliases are the ids of the pending reviews that this one replaced.
	Aliases  []string  `json:"aliases,omitempty"`
	OpenedAt time.Time `json:"opened_at,omitzero"`
}

// OpenedAbove is the newest revision when the review began.
func (r Review) OpenedAbove() string {
	if r.Opened != "" {
		return r.Opened
	}
	return r.BaseTip
}

// Begun is the newest revision when the oldest review that this one stands for
// began.
func (r Review) Begun() string {
	if r.Since != "" {
		return r.Since
	}
	return r.OpenedAbove()
}

// Rebase is the review held against another state from now on: one that a
// stale answer was shown.
func (r Review) Rebase(tip string, fields map[string]string) Review {
	r.Opened = r.OpenedAbove()
	r.BaseTip, r.Fields = tip, fields
	return r
}

// Move is the review asked of another bundle, whose newest revision is tip: what
// it expects stays, so that an answer about another state is stale there.
func (r Review) Move(tip string) Review {
	r.BaseTip, r.Opened, r.Since = tip, "", ""
	return r
}

// Said is the orientation as it was last given in a context.
type Said struct {
	Tip    string            `json:"tip,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	// Untrusted says that it was the fixed line in place of the bundle's words.
	Untrusted bool `json:"untrusted,omitempty"`
}

// Mark remembers an event, so that its second delivery is recognised.
type Mark struct {
	Key string    `json:"key"`
	At  time.Time `json:"at"`
}

// State is what a task remembers from one event to the next. The zero value is
// a task that nothing happened to yet. Values are never changed in place.
type State struct {
	Review *Review  `json:"review,omitempty"`
	Done   []string `json:"done,omitempty"`
	// Lined says that the review line was said in full in this context, Said
	// what was last said of the orientation, nil for nothing.
	Lined bool  `json:"lined,omitempty"`
	Said  *Said `json:"said,omitempty"`
	// Unsaid says that the orientation could not be said when the context began.
	Unsaid bool `json:"unsaid,omitempty"`
	// Summary is the last summary that the context was known to go on from.
	Summary string `json:"summary,omitempty"`
	// OwedSince is when a compaction took the orientation away, zero where none
	// is owed, OwedLoop what would have been lost with it (see Health); SettledAt
	// is when the last such debt was paid.
	OwedSince time.Time `json:"owed_since,omitzero"`
	OwedLoop  string    `json:"owed_loop,omitempty"`
	SettledAt time.Time `json:"settled_at,omitzero"`
	// StoppedUnnamed says that the one stop for a task without a named North
	// has been used.
	StoppedUnnamed bool `json:"stopped_unnamed,omitempty"`
	// Stops counts the stops that were held up since a review was last answered.
	Stops int `json:"stops,omitempty"`
	// Before is what became of telling which task came before in this place.
	Before Telling `json:"before,omitempty"`
	// Which is the task that waits to be told of, as Health named it.
	Which string `json:"which,omitempty"`
	// Warned lists the causes of freezing that the person was told about.
	Warned []string `json:"warned,omitempty"`

	LastStart  Mark `json:"last_start,omitzero"`
	LastPrompt Mark `json:"last_prompt,omitzero"`
	LastEnd    Mark `json:"last_end,omitzero"`
}

// Telling is what became of something that is said once.
type Telling string

// The states of a telling. The zero value is that there was nothing to tell.
const (
	Waiting Telling = "waiting" // for an event that can say it
	Told    Telling = "told"
)

// Standing is what a review id means to a task.
type Standing string

// The standings of a review id.
const (
	Unknown  Standing = "unknown"  // never given out here, or too long ago
	Open     Standing = "open"     // the pending review, or an alias of it
	Recorded Standing = "recorded" // a completed review
)

// Resolve says what a review id means to the task.
func (s State) Resolve(id string) Standing {
	if r := s.Review; r != nil && (r.ID == id || slices.Contains(r.Aliases, id)) {
		if r.Status == Pending {
			return Open
		}
		return Recorded
	}
	if slices.Contains(s.Done, id) {
		return Recorded
	}
	return Unknown
}

// Complete is the state with its review answered. Without a review it is the
// same state.
func (s State) Complete() State {
	s = s.clone()
	if s.Review != nil {
		s.Review.Status = Done
		s.Stops = 0
	}
	return s
}

// Uncaptured is the state after an event whose checkpoint could not be written:
// the same event is no repetition.
func (s State) Uncaptured() State {
	s = s.clone()
	s.OwedLoop, s.LastEnd = "not captured", Mark{}
	return s
}

// pending says that a review waits for an answer.
func (s State) pending() bool { return s.Review != nil && s.Review.Status == Pending }

// clone shares nothing with s, and keeps nil what is nil.
func (s State) clone() State {
	if s.Review != nil {
		r := *s.Review
		r.Fields = maps.Clone(r.Fields)
		r.Aliases = slices.Clone(r.Aliases)
		s.Review = &r
	}
	if s.Said != nil {
		said := *s.Said
		said.Fields = maps.Clone(said.Fields)
		s.Said = &said
	}
	s.Done = slices.Clone(s.Done)
	s.Warned = slices.Clone(s.Warned)
	return s
}

// newest puts ids in front of a list, newest first, and bounds it.
func newest(bound int, list []string, ids ...string) []string {
	all := append(slices.Clone(ids), list...)
	return all[:min(bound, len(all))]
}
