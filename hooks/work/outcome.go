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
	// Declared is how many changed paths were declared. Partial says that there
	// may be more, Approximate that they were found without git.
	Declared    int  `json:"declared,omitempty"`
	Partial     bool `json:"partial,omitempty"`
	Approximate bool `json:"approximate,omitempty"`
	// Left says which work items stay where they are, and what moves them.
	Left []string `json:"left,omitempty"`
	// Redacted counts the secrets that were replaced in what was said, by rule.
	Redacted map[string]int `json:"redacted,omitempty"`

	event string // of the revision of a repeated answer
	full  bool   // it was dropped for want of space

	declaring bool // something was to be declared
	outside   bool // there was no work tree to declare anything in
	waiting   bool // the declaration waits in the drop box
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
		if a.declaring {
			return append([]string{line + "; " + a.declaredWords()}, a.Left...)
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
	if a.declaring {
		words := a.declaredWords()
		lines = append(lines, strings.ToUpper(words[:1])+words[1:])
	}
	if len(a.Moved) > 0 {
		lines = append(lines, "Moved by others since this review began, now:")
		lines = append(lines, a.Moved...)
	}
	return slices.Clip(append(lines, replaced(a.Redacted)...))
}

// declares notes what is declared with an answer.
func (a *Answer) declares(x *declaring) {
	a.declaring, a.outside, a.Approximate = true, len(x.Trees) == 0, x.approximate
	for _, tree := range x.Trees {
		a.Declared += len(tree.Contents)
		a.Partial = a.Partial || !tree.Whole
	}
}

// declaredWords is the end of a sentence.
func (a *Answer) declaredWords() string {
	var text string
	switch {
	case a.outside:
		return "this folder is in no git repository, so there are no changed paths to declare."
	case a.Declared == 0 && !a.Partial:
		return "no path is changed, so none is declared."
	case a.Declared == 1:
		text = "1 changed path"
	default:
		text = fmt.Sprintf("%d changed paths", a.Declared)
	}
	switch {
	case a.waiting && a.Outcome == Kept:
		text += " will be declared with it"
	case a.waiting:
		text += " will be declared by the next ChatRail hook of this task, from " + a.Dropped
	case a.Declared == 1:
		text += " is declared"
	default:
		text += " are declared"
	}
	switch {
	case a.Approximate:
		text += " (approximate: found without git)"
	case a.Partial:
		text += " (partial: there may be more than could be listed and read)"
	}
	return text + "."
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
