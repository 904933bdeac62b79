package turn

import (
	"reflect"
	"slices"
)

// Step is the transition of a task: from its state, an event and the health of
// its bundle to the next state and what is to be done. It has no effect of its
// own and does not touch its arguments.
func Step(s State, e Event, h Health) (State, Outcome) {
	m := &move{s: s.clone(), e: e, h: h}
	m.e.At = e.At.UTC().Round(0)
	for _, p := range table {
		if m.play(p) && p.final {
			return m.s, m.out
		}
	}
	if changed := !reflect.DeepEqual(m.s, s); changed || m.out.speaks() || m.out.Checkpoint {
		m.remember()
	}
	m.out.Write = !reflect.DeepEqual(m.s, s)
	return m.s, m.out
}

// move is one step while it is being made.
type move struct {
	s   State
	e   Event
	h   Health
	out Outcome
}

// play applies the first row of a part that fits, and says whether one did.
func (m *move) play(p part) bool {
	for _, r := range p.rows {
		if r.fits(m) {
			for _, act := range r.then {
				act.do(m)
			}
			return true
		}
	}
	return false
}

func (r row) fits(m *move) bool {
	if len(r.on) > 0 && !slices.Contains(r.on, m.e.Kind) {
		return false
	}
	for _, c := range r.when {
		if !c.holds(m) {
			return false
		}
	}
	return true
}

// remember marks the event as the last of its kind. Only events that had an
// effect are marked, so that a task to which nothing happened leaves no trace.
func (m *move) remember() {
	switch mark := m.mark(); m.e.Kind {
	case SessionStart:
		m.s.LastStart = mark
	case SessionEnd:
		m.s.LastEnd = mark
	}
}

// mark is what makes the event recognisable when it is delivered again.
func (m *move) mark() Mark {
	key := ""
	switch m.e.Kind {
	case SessionStart:
		key = string(m.e.Source) + " " + m.h.Tip
	case SessionEnd:
		key = m.h.Tip
		if m.h.Loop != "" {
			key += " " + m.h.Loop
		}
	case Prompt:
		key = m.e.Turn + " " + m.e.PromptHash
	}
	return Mark{Key: key, At: m.e.At}
}
