package turn

import (
	"maps"
	"time"
)

// An effect is something a row does, and how the printed table words it.
type effect struct {
	says string
	do   func(*move)
}

var (
	beginContext = &effect{"a new context begins", func(m *move) { m.s.Lined, m.s.Said, m.s.Unsaid = false, nil, false }}
	postpone     = &effect{"the orientation waits for the prompt", func(m *move) { m.s.Unsaid = true }}
	makeUp       = &effect{"it waits no longer", func(m *move) { m.s.Unsaid = false }}
	noteSummary  = &effect{"remember the summary", func(m *move) { m.s.Summary = m.e.Summary }}
	owe          = &effect{"the orientation is owed", func(m *move) { m.s.OwedSince, m.s.OwedLoop = m.e.At, m.h.Loop }}
	forgive      = &effect{"nothing is owed", func(m *move) { m.s.OwedSince, m.s.OwedLoop = time.Time{}, "" }}
	settle       = &effect{"the debt is paid", func(m *move) { m.s.OwedSince, m.s.OwedLoop, m.s.SettledAt = time.Time{}, "", m.e.At }}

	warn = &effect{"warn the person", func(m *move) {
		m.out.WarnFrozen = true
		m.s.Warned = newest(MaxWarned, m.s.Warned, m.h.Frozen)
	}}
	drain      = &effect{"record what the drop box holds", func(m *move) { m.out.Drain = true }}
	checkpoint = &effect{"checkpoint", func(m *move) { m.out.Checkpoint = true }}
)

var (
	say = &effect{"say the orientation (default state: nothing; not trusted: the fixed line)", func(m *move) {
		switch {
		case m.h.Default:
		case !m.h.Trusted:
			m.out.Orientation = UntrustedLine
			m.s.Said = &Said{Untrusted: true}
		default:
			m.out.Orientation = FullOrientation
			m.s.Said = &Said{Tip: m.h.Tip, Fields: maps.Clone(m.h.Fields)}
		}
	}}
	sayAfterCompaction = &effect{"with what the checkpoint captured (if trusted)", func(m *move) { m.out.AfterCompaction = m.h.Trusted }}
	sayChanged         = &effect{"say what changed", func(m *move) {
		m.out.Orientation, m.out.Changed = ChangedOrientation, m.changedFields()
		m.s.Said = &Said{Tip: m.h.Tip, Fields: maps.Clone(m.h.Fields)}
	}}
	sayReadOnly = &effect{"say the orientation, read-only", func(m *move) { m.out.Orientation = ReadOnlyOrientation }}
)

var (
	tellBefore = &effect{"say which task came before", func(m *move) { m.out.Before, m.s.Before, m.s.Which = true, Told, "" }}
	waitBefore = &effect{"that waits to be told", func(m *move) { m.s.Before, m.s.Which = Waiting, m.h.CameBefore }}
)

var (
	askInFull  = &effect{"say the review line in full", func(m *move) { m.out.ReviewLine, m.s.Lined = LineInFull, true }}
	askShort   = &effect{"say the short review line", func(m *move) { m.out.ReviewLine = LineShort }}
	openReview = &effect{"open a review", func(m *move) {
		fresh := &Review{
			ID: m.e.NewReview, Turn: m.e.Turn, Status: Pending, Unattended: m.e.Unattended,
			BaseTip: m.h.Tip, Fields: maps.Clone(m.h.Fields), OpenedAt: m.e.At,
		}
		if old := m.s.Review; old != nil {
			ids := append([]string{old.ID}, old.Aliases...)
			if old.Status == Pending {
				fresh.Aliases = newest(MaxAliases, nil, ids...)
				fresh.Since = old.Begun()
			} else {
				m.s.Done = newest(MaxDone, m.s.Done, ids...)
			}
		}
		m.s.Review, m.s.LastPrompt = fresh, m.mark()
		m.out.OpenedReview = true
	}}
	block          = &effect{"block", func(m *move) { m.out.Block, m.s.Review.Blocked, m.s.Stops = true, true, m.s.Stops+1 }}
	useUnnamedStop = &effect{"the one stop without a North is used", func(m *move) { m.s.StoppedUnnamed = true }}
)
