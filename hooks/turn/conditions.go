package turn

import (
	"slices"
	"time"
)

// How far apart two deliveries of one event may be, and how long after an
// orientation was said for a compaction another sign of it may still come. A
// client that starts the session late does so with the next model turn.
const (
	againPrompt = 10 * time.Second
	againStart  = 5 * time.Second
	againOther  = 10 * time.Second
	sameCompact = 2 * time.Minute
)

// A cond is a condition of a row, and how the printed table words it.
type cond struct {
	says  string
	holds func(*move) bool
}

var (
	healthy    = &cond{"healthy", func(m *move) bool { return m.h.ok() }}
	unhealthy  = &cond{"not healthy", func(m *move) bool { return !m.h.ok() }}
	frozenAnew = &cond{"frozen for a cause not warned of, and a note gets somewhere", func(m *move) bool {
		return m.h.Frozen != "" && !m.e.Noteless && !slices.Contains(m.s.Warned, m.h.Frozen)
	}}
	trusted    = &cond{"trusted", func(m *move) bool { return m.h.Trusted }}
	notDefault = &cond{"not in the default state", func(m *move) bool { return !m.h.Default }}
	unnamed    = &cond{"no North named", func(m *move) bool { return !m.h.Named }}
	openLoop   = &cond{"an open loop", func(m *move) bool { return m.h.OpenLoop }}
)

var (
	byChild      = &cond{"by a child", func(m *move) bool { return m.e.Child }}
	compactStart = &cond{"compact", func(m *move) bool { return m.e.Source == Compact }}
	resumed      = &cond{"resume", func(m *move) bool { return m.e.Source == Resume }}
	freshStart   = &cond{"startup, clear or fork", func(m *move) bool {
		return m.e.Source != Compact && m.e.Source != Resume
	}}
	startsTurn   = &cond{"words or a notification", func(m *move) bool { return m.startsTurn() }}
	startsNoTurn = &cond{"empty, or our block reason coming back", func(m *move) bool { return !m.startsTurn() }}
	notified     = &cond{"a notification", func(m *move) bool { return m.e.Prompt == Notification }}
	noNewID      = &cond{"no new review id given", func(m *move) bool { return m.e.NewReview == "" }}
)

var (
	sameStart      = &cond{"same source and tip seconds ago", func(m *move) bool { return m.again(m.s.LastStart, againStart) }}
	samePrompt     = &cond{"same turn and words seconds ago", func(m *move) bool { return m.again(m.s.LastPrompt, againPrompt) }}
	sameEnd        = &cond{"same tip and loop seconds ago", func(m *move) bool { return m.again(m.s.LastEnd, againOther) }}
	samePreCompact = &cond{"same loop seconds ago, still owed", func(m *move) bool {
		return m.s.OwedLoop == m.h.Loop && m.within(m.s.OwedSince, againOther)
	}}
)

var (
	owed          = &cond{"orientation owed", func(m *move) bool { return !m.s.OwedSince.IsZero() }}
	settledLately = &cond{"said for this compaction already", func(m *move) bool {
		return m.s.OwedSince.IsZero() && m.within(m.s.SettledAt, sameCompact)
	}}
	deaf         = &cond{"nothing reaches the model", func(m *move) bool { return m.e.Deaf }}
	unsaid       = &cond{"the orientation waits", func(m *move) bool { return m.s.Unsaid }}
	summedUp     = &cond{"on from a summary not seen before", func(m *move) bool { return m.e.Summary != "" && m.e.Summary != m.s.Summary }}
	neverSaid    = &cond{"never said in this context", func(m *move) bool { return m.s.Said == nil }}
	trustChanged = &cond{"trust changed since it was said", func(m *move) bool {
		return m.s.Said != nil && m.s.Said.Untrusted == m.h.Trusted
	}}
	changed = &cond{"changed since it was said", func(m *move) bool { return len(m.changedFields()) > 0 }}
)

var (
	lined           = &cond{"line said in full in this context", func(m *move) bool { return m.s.Lined }}
	pendingReview   = &cond{"review pending", func(m *move) bool { return m.s.pending() }}
	noPendingReview = &cond{"no review pending", func(m *move) bool { return !m.s.pending() }}
	sameTurn        = &cond{"same turn", func(m *move) bool {
		return m.e.Turn != "" && m.s.Review != nil && m.s.Review.Turn == m.e.Turn
	}}
)

var (
	blockedBefore  = &cond{"stopped for it before", func(m *move) bool { return m.s.Review != nil && m.s.Review.Blocked }}
	unheard        = &cond{"five stops in a row went unanswered", func(m *move) bool { return m.s.Stops >= MaxStops }}
	stopActive     = &cond{"a stop hook is active", func(m *move) bool { return m.e.StopActive }}
	planning       = &cond{"plan mode", func(m *move) bool { return m.e.Plan }}
	backgroundOut  = &cond{"background work is out", func(m *move) bool { return m.e.Background }}
	emptyAnswer    = &cond{"empty answer", func(m *move) bool { return m.e.EmptyAnswer }}
	unattended     = &cond{"unattended", func(m *move) bool { return m.e.Unattended || m.s.Review != nil && m.s.Review.Unattended }}
	stoppedUnnamed = &cond{"stopped once for that", func(m *move) bool { return m.s.StoppedUnnamed }}
)

var (
	cameBefore = &cond{"another task came before here", func(m *move) bool { return m.h.CameBefore != "" && m.s.Before != Told }}
	waiting    = &cond{"that waits to be told", func(m *move) bool { return m.s.Before == Waiting }}
)

// startsTurn says that a prompt is a person's or brings the result of
// background work.
func (m *move) startsTurn() bool { return m.e.Prompt != Empty && m.e.Prompt != Echo }

// again says that the event is the one of the mark, delivered again.
func (m *move) again(last Mark, window time.Duration) bool {
	if m.e.Kind == Prompt && m.e.Turn == "" && m.e.PromptHash == "" {
		return false // nothing to recognise it by
	}
	return last.Key == m.mark().Key && m.within(last.At, window)
}

// within says that the event is near a moment; clocks may be set back.
func (m *move) within(then time.Time, window time.Duration) bool {
	return !then.IsZero() && m.e.At.Sub(then).Abs() <= window
}

// changedFields lists the fields that differ from what was last said, sorted.
func (m *move) changedFields() []string {
	if m.s.Said == nil {
		return nil
	}
	var names []string
	for name, digest := range m.h.Fields {
		if m.s.Said.Fields[name] != digest {
			names = append(names, name)
		}
	}
	for name := range m.s.Said.Fields {
		if _, present := m.h.Fields[name]; !present {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
