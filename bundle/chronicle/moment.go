package chronicle

import (
	"strings"
	"time"
)

// Layouts of what we write. A time carries its offset, so that it is an instant
// wherever it is read.
const (
	dateLayout = "2006-01-02"
	timeLayout = "15:04:05.999999Z07:00"
)

// timeLayouts are what people write. Without an offset it is UTC.
var timeLayouts = [...]string{"15:04:05.999999999Z07:00", "15:04:05.999999999", "15:04Z07:00", "15:04"}

// When is the moment that date and time name, and whether they name one. A date
// without a time is its first moment; a date may also be a whole RFC 3339 time.
func (m *Meta) When() (at time.Time, ok bool) {
	date, clock := strings.TrimSpace(m.Date), strings.TrimSpace(m.Time)
	if len(date) > len(dateLayout) {
		at, err := time.Parse(time.RFC3339Nano, strings.Replace(date, " ", "T", 1))
		return at.UTC(), err == nil
	}
	day, err := time.Parse(dateLayout, date)
	if err != nil || clock == "" {
		return day, err == nil
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, clock)
		if err != nil {
			continue
		}
		return day.Add(t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))).UTC(), true
	}
	return day, false
}

// momentRule says what is wrong with date and time, "" for nothing.
func (m *Meta) momentRule() string {
	if m.Date == "" && m.Time == "" {
		return ""
	}
	if _, ok := m.When(); !ok {
		return "date and time must read as 2026-11-30 and 14:05:09Z"
	}
	return ""
}

// stampMoment writes a moment into date and time, in the zone that it carries.
func (m *Meta) stampMoment(at time.Time) {
	at = at.Truncate(time.Microsecond)
	m.Date, m.Time = at.Format(dateLayout), at.Format(timeLayout)
}

// dateOfPath is the day that the path of an entry names, zero where it names
// none.
func dateOfPath(path string) time.Time {
	rest, ok := strings.CutPrefix(path, entriesDir)
	if !ok || len(rest) < len("2006/01/02") {
		return time.Time{}
	}
	day, err := time.Parse("2006/01/02", rest[:len("2006/01/02")])
	if err != nil {
		return time.Time{}
	}
	return day
}
