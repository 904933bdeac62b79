package words

import (
	"strconv"
	"strings"
	"time"
)

// Bounds of what is injected, in bytes.
const (
	MaxOrientation = 8 * 1024
	maxLine        = 700 // one field of an injected orientation
)

// Line is one field of an orientation, prepared and harmless.
type Line struct {
	Field string // as in a patch: "rail.north", "compass.heading"
	Text  string // "North: …"
}

// Source says where an orientation comes from. All strings are made harmless
// here; Age is measured by the caller's clock.
type Source struct {
	Bundle string // "project bundle refs/chatrail/project of importer"
	When   time.Time
	Task   string // short task key, "" for a person
	Agent  string
	Branch string
	Frozen string // the cause, "" while healthy
}

// Origin is the first line of every orientation: which bundle, how old, by
// which task and agent, on which branch.
func Origin(s Source, now time.Time, kind string) string {
	var b strings.Builder
	b.WriteString("ChatRail ")
	b.WriteString(kind)
	b.WriteString(" (recorded facts, quoted): ")
	b.WriteString(Cut(Harmless(s.Bundle), 160))
	if !s.When.IsZero() {
		b.WriteString(", last moved ")
		b.WriteString(Age(now.Sub(s.When)))
	}
	if s.Task != "" {
		b.WriteString(" by task ")
		b.WriteString(short(Harmless(s.Task)))
	}
	if s.Agent != "" {
		b.WriteString(" (")
		b.WriteString(Cut(Harmless(s.Agent), 20))
		b.WriteString(")")
	}
	if s.Branch != "" {
		b.WriteString(" on ")
		b.WriteString(Cut(Harmless(s.Branch), 80))
	}
	b.WriteString(".")
	if s.Frozen != "" {
		b.WriteString(" Frozen, nothing is written: ")
		b.WriteString(Cut(Harmless(s.Frozen), 200))
		b.WriteString(".")
	}
	return b.String()
}

// Join puts an orientation together: the origin, then the lines, each cut to a
// bounded length, then extra lines, all within limit bytes and MaxOrientation.
// more is the command that shows the rest; it is named only where something was
// cut.
func Join(limit int, origin string, lines []Line, extra []string, more string) string {
	limit = min(limit, MaxOrientation)
	var b strings.Builder
	b.WriteString(origin)
	cut := false
	rest := "\n(cut; the rest: " + more + ")"
	add := func(s string) {
		c := Cut(s, maxLine)
		cut = cut || c != s
		if b.Len()+1+len(c)+len(rest) > limit {
			cut = true
			return
		}
		b.WriteByte('\n')
		b.WriteString(c)
	}
	for _, l := range lines {
		add(l.Text)
	}
	for _, s := range extra {
		add(s)
	}
	if cut {
		b.WriteString(rest)
	}
	return b.String()
}

// Untrusted is all that is said of a bundle whose words this user has not
// trusted: a fixed line, without a word of it.
const Untrusted = "ChatRail: this place carries an orientation that this user has not trusted, so none of its words are shown. " +
	"The person can look at it with `chatrail show` and accept it with `chatrail trust`, outside the agent."

// Age says how long ago something was, in one unit.
func Age(d time.Duration) string {
	n, unit := 0, ""
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		n, unit = int(d/time.Minute), "minute"
	case d < 48*time.Hour:
		n, unit = int(d/time.Hour), "hour"
	default:
		n, unit = int(d/(24*time.Hour)), "day"
	}
	if n != 1 {
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit + " ago"
}

// short is the part of a task key that people see.
func short(key string) string {
	if len(key) > 12 {
		return key[:12]
	}
	return key
}

// FieldName is what a field of a patch is called in an orientation.
func FieldName(field string) string {
	switch field {
	case "rail.north":
		return "North"
	case "rail.next":
		return "Next"
	case "rail.route":
		return "Route"
	case "rail.open":
		return "Open"
	case "rail.parked":
		return "Parked"
	case "compass.heading":
		return "Now"
	case "compass.drift":
		return "Drift"
	case "compass.return_path":
		return "Return path"
	}
	return field
}
