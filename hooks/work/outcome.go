package work

import (
	"encoding/json"
	"errors"
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
	// Redacted counts the secrets that were replaced in what was said, by rule.
	Redacted map[string]int `json:"redacted,omitempty"`

	event string // of the revision of a repeated answer
	full  bool   // it was dropped for want of space
}

// RefusedError says why an answer was not taken. Nothing was written.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// SpooledError says where text went that could not be recorded.
type SpooledError struct {
	Err  error
	Path string

	redacted map[string]int // the secrets that were replaced in it, by rule
}

func (e *SpooledError) Error() string {
	text := e.Err.Error() + "; what you wrote is kept in " + e.Path
	for _, line := range replaced(e.redacted) {
		text += "; " + strings.TrimSuffix(line, ".")
	}
	return text
}

func (e *SpooledError) Unwrap() error { return e.Err }

// StaleError says that a field the answer names changed since the review began.
// Nothing was written.
type StaleError struct {
	Fields  []bundle.Field
	Present *bundle.Revision // nil where its words are not to be shown
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
		why := "from here it cannot be written"
		if a.full {
			why = "no space is left there"
		}
		lines = append(lines, "Not recorded yet: "+why+". The answer waits in "+a.Dropped+
			" and the next ChatRail hook of this task records it, once.")
	}
	if len(a.Moved) > 0 {
		lines = append(lines, "Moved by others since this review began, now:")
		lines = append(lines, a.Moved...)
	}
	return slices.Clip(append(lines, replaced(a.Redacted)...))
}

// MarshalJSON is the answer's form for programs.
func (e *StaleError) MarshalJSON() ([]byte, error) {
	v := struct {
		Outcome  string         `json:"outcome"`
		Fields   []bundle.Field `json:"fields"`
		Revision string         `json:"revision,omitempty"`
		Present  any            `json:"present,omitempty"`
	}{Outcome: "stale", Fields: e.Fields}
	if e.Present != nil {
		v.Revision = e.Present.ID
		v.Present = map[string]any{"compass": e.Present.State.Compass.JSON(), "rail": e.Present.State.Rail.JSON()}
	}
	return json.Marshal(v)
}

// PresentWords shows the present state to whoever gave a stale answer.
func (e *StaleError) PresentWords() string {
	if e.Present == nil {
		return "Present state: not shown, a person has not trusted this bundle."
	}
	return "Present state:\n" + strings.Join(presentLines(e.Present.State), "\n")
}

// hush takes the words of a bundle that nobody has trusted out of what an agent
// is told: its own words are all it hears.
func hush(a *Answer, err error) (*Answer, error) {
	var stale *StaleError
	var rule *bundle.RuleError
	switch {
	case errors.As(err, &stale):
		return nil, &StaleError{Fields: stale.Fields}
	case errors.As(err, &rule):
		return nil, &RefusedError{rule.Field + " breaks a rule of the format; what is there is not shown, a person has not trusted this bundle"}
	case a != nil:
		quiet := *a
		quiet.Changes = nil
		if len(a.Moved) > 0 {
			quiet.Moved = []string{"(not shown, a person has not trusted this bundle)"}
		}
		return &quiet, err
	}
	return a, err
}
