package work

import (
	"fmt"
	"slices"
	"strings"

	"chatrail/bundle"
)

// Outcome says what became of an answer to a review.
type Outcome string

// What can become of an answer that was not refused.
const (
	Recorded Outcome = "recorded"  // one new revision
	NoChange Outcome = "no change" // the review is done, nothing was written
	Repeated Outcome = "repeated"  // this review had been recorded before
	Kept     Outcome = "kept"      // left in the drop box for the next hook
)

// Answer says what became of a request that was not refused.
type Answer struct {
	Outcome  Outcome  `json:"outcome"`
	Review   string   `json:"review"`
	Revision string   `json:"revision,omitempty"`
	Changes  []string `json:"changes,omitempty"`
	// Moved are the fields that others changed since the review began, as they
	// are now.
	Moved []string `json:"moved,omitempty"`
	// Dropped is the file that the next hook will record.
	Dropped string `json:"dropped,omitempty"`
}

// RefusedError says why an answer was not taken. Nothing was written.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// SpooledError says where text went that could not be recorded.
type SpooledError struct {
	Err  error
	Path string
}

func (e *SpooledError) Error() string {
	return e.Err.Error() + "; what you wrote is kept in " + e.Path
}

func (e *SpooledError) Unwrap() error { return e.Err }

// StaleError says that a field the answer names changed since the review began.
// Nothing was written.
type StaleError struct {
	Fields  []bundle.Field
	Present *bundle.Revision
}

func (e *StaleError) Error() string {
	names := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		names[i] = string(f)
	}
	return fmt.Sprintf("stale: %s changed since this review began; nothing was written, the review stays open: look at the present state and answer again",
		strings.Join(names, ", "))
}

// Words tells an answer to whoever gave it.
func (a *Answer) Words() []string {
	var lines []string
	switch a.Outcome {
	case Recorded:
		lines = append(lines, "Recorded as "+a.Revision[:min(12, len(a.Revision))]+". The review is done.")
		lines = append(lines, a.Changes...)
	case NoChange:
		lines = append(lines, "No change. The review is done.")
	case Repeated:
		line := "This review was answered before"
		if a.Revision != "" {
			line += ", and recorded as " + a.Revision[:min(12, len(a.Revision))]
		}
		lines = append(lines, line+"; nothing was written again.")
	case Kept:
		lines = append(lines, "Not recorded yet: this sandbox may not write there. The answer waits in "+a.Dropped+
			" and the next ChatRail hook of this task records it, once.")
	}
	if len(a.Moved) > 0 {
		lines = append(lines, "Moved by others since this review began, now:")
		lines = append(lines, a.Moved...)
	}
	return slices.Clip(lines)
}

// PresentWords shows the present state to whoever gave a stale answer.
func (e *StaleError) PresentWords() string {
	return strings.Join(presentLines(e.Present.State), "\n")
}
