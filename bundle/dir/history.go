package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"chatrail/bundle"
)

// history is what the events file says, as far as it holds.
type history struct {
	prefix                   // everything before last
	last    *bundle.Revision // newest event that holds, nil in an empty history
	end     int64            // offset behind last
	line    int              // number of last's line, from 1
	fault   string           // cause to freeze, "" while the chain holds
	torn    int64            // bytes that a writer which died left behind end
	unended bool             // last has no line break yet
}

// count is the number of events that hold.
func (h *history) count() int {
	if h.last == nil {
		return h.events
	}
	return h.events + 1
}

// before is the state before the newest event, nil for the first.
func (h *history) before() *bundle.State {
	if h.events == 0 {
		return nil
	}
	state := h.state
	return &state
}

// after is the state behind the newest event, nil in an empty history.
func (h *history) after() *bundle.State {
	if h.last == nil {
		return h.before()
	}
	state := h.last.State
	return &state
}

// recorded maps each note that the history names to its newest digest.
func (h *history) recorded() map[string]string {
	notes := maps.Clone(h.notes)
	if notes == nil {
		notes = map[string]string{}
	}
	if h.last != nil {
		for _, n := range h.last.Event.Notes {
			notes[n.Path] = n.SHA256
		}
	}
	return notes
}

// follow verifies the events behind from, up to size: each is read, holds what
// its digests say, and continues the one before. No event id stands twice among
// them; that none of them stands in a prefix that comes from a cache is for
// Verify to find. A fault ends the reading and is no error; where ctx ends it, the
// history as far as it was read comes with the error.
func follow(ctx context.Context, r io.ReaderAt, size int64, from prefix) (*history, error) {
	h := &history{prefix: from, end: from.size, line: from.lines}
	seen := map[string]bool{from.id: true}
	lines := newForward(r, from.size, size)
	shared := true // h.notes belongs to from
	for number := from.lines + 1; h.fault == "" && h.torn == 0; number++ {
		if err := ctx.Err(); err != nil {
			return h, errors.Join(err, h.seal(r, from))
		}
		l, err := lines.next()
		switch {
		case err == io.EOF:
			return h, h.seal(r, from)
		case errors.Is(err, errLongLine):
			h.fault = fmt.Sprintf("event %d is longer than %d bytes", h.count()+1, bundle.MaxEventLine)
			continue
		case err != nil:
			return nil, err
		case l.blank():
			continue
		}
		event, err := bundle.ParseEvent(l.text)
		switch {
		case err != nil && l.torn && !isMarker(l.text):
			h.torn = size - h.end
			continue
		case err != nil:
			h.fault = unreadable(err, h.count()+1, number, l.text)
			continue
		case seen[event.EventID]:
			h.fault = fmt.Sprintf("event %d has the id of an earlier one", h.count()+1)
			continue
		}
		state, err := event.FollowNth(h.count()+1, h.after())
		if err != nil {
			h.fault = causeOf(err)
			continue
		}
		seen[event.EventID] = true
		h.shift(&shared)
		h.last = &bundle.Revision{ID: event.EventID, Event: event, State: state}
		if h.id != "" {
			h.last.Parents = []string{h.id}
		}
		h.end, h.line, h.unended = l.end, number, l.torn
	}
	return h, h.seal(r, from)
}

// shift takes the newest event into the prefix, to make room for the next.
func (h *history) shift(shared *bool) {
	if h.last == nil {
		return
	}
	if len(h.last.Event.Notes) > 0 {
		if *shared {
			h.notes, *shared = maps.Clone(h.notes), false
		}
		if h.notes == nil {
			h.notes = map[string]string{}
		}
		for _, n := range h.last.Event.Notes {
			h.notes[n.Path] = n.SHA256
		}
	}
	h.events++
	h.size, h.lines, h.id, h.state = h.end, h.line, h.last.ID, h.last.State
}

// seal makes the prefix fit to be remembered.
func (h *history) seal(r io.ReaderAt, from prefix) (err error) {
	if h.size != from.size {
		h.tail, err = tailDigest(r, h.size)
	}
	return err
}

// unreadable is the cause for a line that is no event.
func unreadable(err error, event, number int, text []byte) string {
	var rule *bundle.RuleError
	switch {
	case isMarker(text):
		return markerCause(bundle.EventsFile, number)
	case errors.As(err, &rule) && rule.Field == "event.version":
		return fmt.Sprintf("event %d has a version that this chatrail does not know", event)
	}
	return fmt.Sprintf("event %d cannot be read", event)
}

// isMarker reports whether a line is a conflict marker of a merge.
func isMarker(text []byte) bool {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if rest, ok := bytes.CutPrefix(text, []byte(mark)); ok && (len(rest) == 0 || rest[0] == ' ') {
			return true
		}
	}
	return false
}

func markerCause(file string, line int) string {
	return fmt.Sprintf("%s line %d is a conflict marker of a merge", file, line)
}

// causeOf takes the cause out of a *bundle.FrozenError.
func causeOf(err error) string {
	var frozen *bundle.FrozenError
	if errors.As(err, &frozen) {
		return frozen.Cause
	}
	return err.Error()
}
