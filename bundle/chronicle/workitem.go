package chronicle

import (
	"strconv"
	"time"

	"chatrail/bundle"
)

// NewWorkItem makes a work item, to do, with a path that is none of the given
// ones. Title, tags, summary and effort come from meta.
func NewWorkItem(meta Meta, who Who, at time.Time, paths []string) (bundle.Note, error) {
	meta.stampMoment(at)
	meta.Time = ""
	meta.Task = who.Task
	meta.Status = Todo
	meta.arrive(Todo, who, at)
	return newNote(WorkItemPath(meta.Title, paths), meta)
}

// Each transition takes the bytes of a work item and returns them as they
// should be; the same bytes where it has happened already. It refuses what the
// status does not allow with a *bundle.RuleError, and front matter that cannot
// be understood with a *BrokenError.
//
//	         Spec      Start   Finish   Drop
//	todo     specced   doing   done     cut
//	specced  -         doing   done     cut
//	doing    doing     -       done     cut
//	done     refused   refused -        refused
//	cut      refused   refused refused  -

// Spec records what a work item is designed in: a note or a path. One that was
// to do is now owed; one in flight stays in flight. Another reference replaces
// the first.
func Spec(note []byte, ref string, who Who, at time.Time) ([]byte, error) {
	return move(note, func(m *Meta) error {
		switch m.Status {
		case Todo:
			m.arrive(Specced, who, at)
		case Specced, Doing:
		default:
			return refused(m.Status, "specced")
		}
		if ref == "" {
			return &bundle.RuleError{Field: "spec", Rule: "is empty; name a note, or a path in the repository"}
		}
		m.Spec = ref
		return nil
	})
}

// Start puts a work item in flight.
func Start(note []byte, who Who, at time.Time) ([]byte, error) {
	return move(note, func(m *Meta) error {
		switch m.Status {
		case Todo, Specced:
			m.arrive(Doing, who, at)
		case Doing:
		default:
			return refused(m.Status, "started")
		}
		return nil
	})
}

// Finish marks a work item as done. closedBy names the entry or the commit that
// finished it and may be empty; one that is named later is filled in.
func Finish(note []byte, closedBy string, who Who, at time.Time) ([]byte, error) {
	return move(note, func(m *Meta) error { return m.end(Done, "finished", closedBy, who, at) })
}

// Drop cuts a work item: it will not be done. The reason is kept as closed_by
// and may be empty.
func Drop(note []byte, reason string, who Who, at time.Time) ([]byte, error) {
	return move(note, func(m *Meta) error { return m.end(Cut, "cut", reason, who, at) })
}

func (m *Meta) end(status Status, participle, closedBy string, who Who, at time.Time) error {
	switch m.Status {
	case Todo, Specced, Doing:
		m.arrive(status, who, at)
	case status:
	default:
		return refused(m.Status, participle)
	}
	if m.ClosedBy == "" {
		m.ClosedBy = closedBy
	}
	return nil
}

// arrive notes who brought a work item to a status, and when.
func (m *Meta) arrive(status Status, who Who, at time.Time) {
	m.Status, m.By = status, who.String()
	m.Moved = at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// move applies a transition to a note. A work item that names no status is
// still to do.
func move(note []byte, to func(*Meta) error) ([]byte, error) {
	n := Read(note)
	if n.Broken != nil {
		return nil, n.Broken
	}
	if n.Status == "" {
		n.Status = Todo
	}
	before := n.Meta
	if !n.Status.known() {
		return nil, &bundle.RuleError{Field: "status", Value: strconv.Quote(bundle.OneLine(string(n.Status), 40)),
			Rule: "must be one of " + statusNames + "; set it in the note"}
	}
	if err := to(&n.Meta); err != nil {
		return nil, err
	}
	if n.Status == before.Status && n.Spec == before.Spec && n.ClosedBy == before.ClosedBy {
		return note, nil
	}
	return Update(note, n.Meta)
}

func refused(status Status, participle string) error {
	return &bundle.RuleError{Field: "status", Value: string(status),
		Rule: "such a work item cannot be " + participle + "; make a new one"}
}
