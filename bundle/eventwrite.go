package bundle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// tsLayout is RFC 3339 in UTC with all six digits of the microseconds.
const tsLayout = "2006-01-02T15:04:05.000000Z"

// NewEvent makes the event of a change, with its Line. It records a transition
// for each truth that changed, and where before is nil, which makes it the
// first event, the whole state.
//
// EventID, ReviewID, Time and Reason have to be given. The time is cut to
// microseconds. A branch name that is not UTF-8 is kept as far as it is; every
// other broken rule is a *RuleError.
func NewEvent(meta EventMeta, before *State, after State, notes []NoteDigest) (Event, error) {
	return newEvent(Event{EventMeta: meta, Notes: notes}, before, after)
}

// NewMergeEvent makes the event of a merge: NewEvent with the parents and, as
// one JSON value, what was set aside. Of both only what is not empty is
// written.
func NewMergeEvent(meta EventMeta, before, after State, notes []NoteDigest, parents []string, setAside json.RawMessage) (Event, error) {
	e := Event{EventMeta: meta, Notes: notes, Parents: slices.Clone(parents)}
	if !isNull(setAside) {
		tree, err := ParseJSON(setAside)
		if err != nil {
			return Event{}, err
		}
		e.SetAside = mustCanonical(tree)
	}
	return newEvent(e, &before, after)
}

func newEvent(e Event, before *State, after State) (Event, error) {
	e.Version = eventVersion
	e.Time = e.Time.UTC().Truncate(time.Microsecond)
	e.Branch = text(e.Branch)
	e.Notes = slices.SortedFunc(slices.Values(e.Notes), func(a, b NoteDigest) int { return cmp.Compare(a.Path, b.Path) })
	if err := e.check(); err != nil {
		return Event{}, err
	}
	if err := after.Validate(); err != nil {
		return Event{}, err
	}
	e.Transitions = transitions(before, after)
	line, err := Canonical(e.tree())
	if err != nil {
		return Event{}, err
	}
	if len(line) > MaxEventLine {
		return Event{}, &RuleError{Field: "event", Value: fmt.Sprintf("%d bytes long", len(line)),
			Rule: fmt.Sprintf("must hold at most %d bytes; write fewer notes at once", MaxEventLine)}
	}
	e.Line = line
	return e, nil
}

func transitions(before *State, after State) []Transition {
	var changed []Transition
	for _, target := range []Target{TargetCompass, TargetRail} {
		t := Transition{Target: target, Before: json.RawMessage("null"), After: after.json(target), AfterSHA256: after.digest(target)}
		if before != nil {
			t.Before, t.BeforeSHA256 = before.json(target), before.digest(target)
		}
		if t.BeforeSHA256 != t.AfterSHA256 {
			changed = append(changed, t)
		}
	}
	return changed
}

// check holds what is not derived to the rules of an event.
func (e Event) check() error {
	if !isUUID(e.EventID) {
		return &RuleError{Field: "event.event_id", Value: quote(e.EventID), Rule: "must be a UUID in lower case"}
	}
	if e.Time.IsZero() || e.Time.Year() < 1 || e.Time.Year() > 9999 {
		return &RuleError{Field: "event.ts", Rule: "must be a time in the years 1 to 9999"}
	}
	if strings.TrimSpace(e.Reason) == "" {
		return &RuleError{Field: "event.reason", Rule: "must say in one line why"}
	}
	if !isName(e.ReviewID) {
		return &RuleError{Field: "event.review_id", Value: quote(e.ReviewID), Rule: nameRule}
	}
	for _, line := range []struct{ key, text string }{
		{"reason", e.Reason}, {"task", e.Task}, {"agent", e.Agent}, {"branch", e.Branch}, {"head", e.Head},
	} {
		if line.text != "" && !isName(line.text) {
			return &RuleError{Field: "event." + line.key, Value: quote(line.text), Rule: nameRule}
		}
	}
	for i, note := range e.Notes {
		path := fmt.Sprintf("event.notes[%d]", i)
		if !isName(note.Path) || i > 0 && e.Notes[i-1].Path == note.Path {
			return &RuleError{Field: path + ".path", Value: quote(note.Path), Rule: "must be one line, not empty, and stand once"}
		}
		if !isDigest(note.SHA256) {
			return &RuleError{Field: path + ".sha256", Value: quote(note.SHA256), Rule: "must be 64 lower-case hex digits"}
		}
	}
	for i, parent := range e.Parents {
		if !isName(parent) {
			return &RuleError{Field: fmt.Sprintf("event.parents[%d]", i), Value: quote(parent), Rule: nameRule}
		}
	}
	return nil
}

const nameRule = "must be one line without control characters, not empty, at most 2000 characters"

// isName reports whether s can stand in one line of a log.
func isName(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= MaxString &&
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 })
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if hyphen := i == 8 || i == 13 || i == 18 || i == 23; hyphen != (s[i] == '-') {
			return false
		} else if !hyphen && (unhex(s[i]) < 0 || 'A' <= s[i] && s[i] <= 'F') {
			return false
		}
	}
	return true
}

// tree is the event as it is written.
func (e Event) tree() map[string]any {
	changes := []any{}
	for _, t := range e.Transitions {
		change := map[string]any{
			"target":        string(t.Target),
			"before":        written(t.Before),
			"before_sha256": nil,
			"after":         written(t.After),
			"after_sha256":  t.AfterSHA256,
		}
		if t.BeforeSHA256 != "" {
			change["before_sha256"] = t.BeforeSHA256
		}
		changes = append(changes, change)
	}
	tree := map[string]any{
		"version":     e.Version,
		"event_id":    e.EventID,
		"review_id":   e.ReviewID,
		"ts":          e.Time.Format(tsLayout),
		"reason":      e.Reason,
		"transitions": changes,
	}
	for key, value := range map[string]string{"task": e.Task, "agent": e.Agent, "branch": e.Branch, "head": e.Head} {
		if value != "" {
			tree[key] = value
		}
	}
	var notes, parents []any
	for _, note := range e.Notes {
		notes = append(notes, map[string]any{"path": note.Path, "sha256": note.SHA256})
	}
	for _, parent := range e.Parents {
		parents = append(parents, parent)
	}
	if len(notes) > 0 {
		tree["notes"] = notes
	}
	if len(parents) > 0 {
		tree["parents"] = parents
	}
	if !isNull(e.SetAside) {
		tree["set_aside"] = written(e.SetAside)
	}
	return tree
}
