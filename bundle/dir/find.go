package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"chatrail/bundle"
)

// minPrefix is how much of a revision's id has to be given.
const minPrefix = 4

// found is an event with its place in the file.
type found struct {
	event      bundle.Event
	start, end int64
}

const brokenChain = "an event does not follow the one before it"

// olderEvents reads events from newest to oldest.
type olderEvents struct {
	lines *backward
	first bool // nothing was read yet
}

func newEvents(r io.ReaderAt, from int64) *olderEvents {
	return &olderEvents{lines: newBackward(r, from), first: true}
}

// next returns io.EOF behind the oldest event. What a writer that died left at
// the end of the file is no event.
func (o *olderEvents) next() (*found, error) {
	for {
		l, err := o.lines.next()
		if errors.Is(err, errLongLine) {
			return nil, &bundle.FrozenError{Cause: "an event is too long"}
		}
		if err != nil {
			return nil, err
		}
		first := o.first
		o.first = false
		if l.blank() {
			continue
		}
		event, err := bundle.ParseEvent(l.text)
		if err == nil {
			return &found{event, l.start, l.end}, nil
		}
		if !first || !l.torn || isMarker(l.text) {
			return nil, &bundle.FrozenError{Cause: "an event cannot be read"}
		}
	}
}

// stateBefore gives the state before the event at start, nil before the first.
// Each truth is found where it was changed last.
func (f *events) stateBefore(ctx context.Context, start int64) (*bundle.State, error) {
	var state bundle.State
	want := map[bundle.Target][]byte{
		bundle.TargetCompass: []byte(`"compass"`), bundle.TargetRail: []byte(`"rail"`),
	}
	lines := newBackward(f, start)
	for empty := true; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, err := lines.next()
		switch {
		case err == io.EOF && empty:
			return nil, nil
		case err == io.EOF || errors.Is(err, errLongLine):
			return nil, &bundle.FrozenError{Cause: brokenChain}
		case err != nil:
			return nil, err
		case l.blank():
			continue
		}
		empty = false
		hopeless := true
		for _, mark := range want {
			hopeless = hopeless && !bytes.Contains(l.text, mark)
		}
		if hopeless {
			continue
		}
		event, err := bundle.ParseEvent(l.text)
		if err != nil {
			return nil, &bundle.FrozenError{Cause: "an event cannot be read"}
		}
		for _, t := range event.Transitions {
			if want[t.Target] == nil {
				continue
			}
			if err := set(&state, t.Target, t.After); err != nil {
				return nil, &bundle.FrozenError{Cause: "an event holds a value that breaks a rule"}
			}
			delete(want, t.Target)
		}
		if len(want) == 0 {
			return &state, nil
		}
	}
}

// find looks for the one event whose id is id or begins with it.
func (f *events) find(ctx context.Context, id string) (*found, error) {
	if len(id) < minPrefix {
		return nil, fmt.Errorf("revision %q: give at least %d characters of its id", id, minPrefix)
	}
	var mark []byte
	if plain(id) {
		mark = []byte(`"` + id)
	}
	var match *found
	ambiguous := false
	err := f.each(ctx, f.size, mark, func(e *found) bool {
		switch {
		case e.event.EventID == id:
			match, ambiguous = e, false
			return false
		case strings.HasPrefix(e.event.EventID, id):
			ambiguous = match != nil
			match = e
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case ambiguous:
		return nil, fmt.Errorf("revision %q is ambiguous: give more characters of its id", id)
	case match == nil:
		return nil, fmt.Errorf("revision %q: %w", id, bundle.ErrNotFound)
	}
	return match, nil
}

// plain reports whether JSON writes s as it is.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e || r == '"' || r == '\\' })
}

// each calls fn for the events up to an offset whose line holds mark, oldest
// first, until it returns false. What cannot be read is passed over.
func (f *events) each(ctx context.Context, end int64, mark []byte, fn func(*found) bool) error {
	lines := newForward(f, 0, end)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		l, err := lines.next()
		if err == io.EOF || errors.Is(err, errLongLine) {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(l.text, mark) {
			continue
		}
		event, err := bundle.ParseEvent(l.text)
		if err == nil && !fn(&found{event, l.start, l.end}) {
			return nil
		}
	}
}
