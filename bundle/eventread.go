package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// MaxEventLine is the length, in bytes, of the longest line that is read as
	// an event.
	MaxEventLine = 4 << 20

	eventVersion = 1
	sha256Digits = 64
)

// ParseEvent reads one line of an events file, with or without its line break.
// Keys that it does not know are ignored and survive in Line. It checks the
// shape of the event; that its content fits its digests and what came before
// is Follow's to say.
//
// A time may have any precision and offset, and a reason that an older version
// wrote over several lines is put on one.
//
// It returns a *SyntaxError for what is not JSON, else a *RuleError.
func ParseEvent(line []byte) (Event, error) {
	r, line, err := readEventLine(line)
	if err != nil {
		return Event{}, err
	}
	e := Event{Version: eventVersion, Line: bytes.Clone(line)}
	e.EventMeta = r.meta()
	r.transitions("transitions", func(t Transition, of *eventReader) {
		t.Before, t.After = of.raw("before"), of.raw("after")
		e.Transitions = append(e.Transitions, t)
	})
	e.Notes = r.notes("notes")
	e.Parents = r.strings("parents")
	if aside := r.object["set_aside"]; aside != nil {
		e.SetAside = mustCanonical(aside)
	}
	if r.err != nil {
		return Event{}, r.err
	}
	return e, nil
}

// readEventLine reads the object of an event of our version. Beside it comes the
// line without its break.
func readEventLine(line []byte) (*eventReader, []byte, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > MaxEventLine {
		return nil, nil, &RuleError{Field: "event", Value: fmt.Sprintf("%d bytes long", len(line)),
			Rule: fmt.Sprintf("must hold at most %d bytes", MaxEventLine)}
	}
	tree, err := parseJSON(line, true)
	if err != nil {
		return nil, nil, err
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, nil, &RuleError{Field: "event", Value: show(tree), Rule: "must be a JSON object"}
	}
	if version := object["version"]; version != int64(eventVersion) {
		return nil, nil, &RuleError{Field: "event.version", Value: show(version),
			Rule: fmt.Sprintf("must be %d; a newer version needs a newer chatrail", eventVersion)}
	}
	return &eventReader{path: "event", object: object}, line, nil
}

// eventReader reads the keys of one object and keeps the first refusal.
type eventReader struct {
	path   string
	object map[string]any
	err    error
}

// meta reads what describes the event.
func (r *eventReader) meta() EventMeta {
	return EventMeta{
		EventID:  r.name("event_id"),
		ReviewID: r.name("review_id"),
		Time:     r.time("ts"),
		Reason:   onLine(r.required("reason")),
		Task:     r.optional("task"), Agent: r.optional("agent"),
		Branch: r.optional("branch"), Head: r.optional("head"),
	}
}

func (r *eventReader) refuse(key string, rule string) {
	if r.err != nil {
		return
	}
	refusal := &RuleError{Field: r.path + "." + key, Rule: rule}
	if value, present := r.object[key]; present {
		refusal.Value = show(value)
	} else {
		refusal.Rule = "is missing: " + rule
	}
	r.err = refusal
}

func (r *eventReader) required(key string) string {
	s, ok := r.object[key].(string)
	if !ok {
		r.refuse(key, "must be a string")
	}
	return s
}

// optional reads a text of one line, "" where there is none.
func (r *eventReader) optional(key string) string {
	if r.object[key] == nil {
		return ""
	}
	return onLine(r.required(key))
}

// onLine puts on one line what is not.
func onLine(s string) string {
	if isName(s) {
		return s
	}
	return OneLine(s, MaxString)
}

// name reads what identifies something: one line, not empty.
func (r *eventReader) name(key string) string {
	s := r.required(key)
	if !isName(s) {
		r.refuse(key, nameRule)
	}
	return s
}

func (r *eventReader) time(key string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.required(key))
	if err != nil {
		r.refuse(key, "must be a time as in RFC 3339")
		return t
	}
	// Another year cannot be written again, neither as a date nor in an event.
	if t = t.UTC(); t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		r.refuse(key, "must be a time in the years 1 to 9999")
	}
	return t
}

func (r *eventReader) digest(key string) string {
	s := r.required(key)
	if !isDigest(s) {
		r.refuse(key, "must be 64 lower-case hex digits")
	}
	return s
}

func (r *eventReader) list(key string) []any {
	list, ok := r.object[key].([]any)
	if !ok {
		r.refuse(key, "must be a list")
	}
	return list
}

func (r *eventReader) strings(key string) []string {
	if r.object[key] == nil {
		return nil
	}
	var all []string
	for _, element := range r.list(key) {
		s, ok := element.(string)
		if !ok {
			r.refuse(key, "must be a list of strings")
		}
		all = append(all, s)
	}
	return all
}

// objects calls read for each object of a list.
func (r *eventReader) objects(key string, read func(element *eventReader)) {
	for i, tree := range r.list(key) {
		object, ok := tree.(map[string]any)
		if !ok {
			r.refuse(key, "must be a list of objects")
			return
		}
		element := &eventReader{path: fmt.Sprintf("%s.%s[%d]", r.path, key, i), object: object}
		read(element)
		if r.err == nil {
			r.err = element.err
		}
	}
}

func (r *eventReader) notes(key string) []NoteDigest {
	if r.object[key] == nil {
		return nil
	}
	var notes []NoteDigest
	r.objects(key, func(note *eventReader) {
		notes = append(notes, NoteDigest{Path: note.name("path"), SHA256: note.digest("sha256")})
	})
	return notes
}

// transitions calls take for each transition, which reads the values that it
// wants of it.
func (r *eventReader) transitions(key string, take func(t Transition, of *eventReader)) {
	var last Target
	r.objects(key, func(of *eventReader) {
		t := Transition{Target: Target(of.required("target")), AfterSHA256: of.digest("after_sha256")}
		switch t.Target {
		case TargetCompass, TargetRail:
		default:
			of.refuse("target", "must be compass or rail")
		}
		if last != "" && last >= t.Target {
			of.refuse("target", "must stand once, compass before rail")
		}
		last = t.Target
		if of.object["after"] == nil {
			of.refuse("after", "must be the whole value")
		}
		if of.object["before"] != nil {
			t.BeforeSHA256 = of.digest("before_sha256")
		} else if of.object["before_sha256"] != nil {
			of.refuse("before_sha256", "must be null like the value before")
		}
		take(t, of)
	})
}

// raw is the canonical form of a value, null where it is missing.
func (r *eventReader) raw(key string) json.RawMessage { return mustCanonical(r.object[key]) }

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func isDigest(s string) bool {
	if len(s) != sha256Digits {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}
