package bundle

import (
	"fmt"
	"slices"
	"strings"
)

// maxWords bounds, in characters, each side of a line of Changes.
const maxWords = 72

// Words reads a heading aloud: "100% north", "70% north, 30% east".
func (h Heading) Words() string {
	var parts []string
	for _, axis := range []struct {
		n         int
		plus, neg string
	}{{h.Y, "north", "south"}, {h.X, "east", "west"}} {
		switch {
		case axis.n > 0:
			parts = append(parts, fmt.Sprintf("%d%% %s", axis.n, axis.plus))
		case axis.n < 0:
			parts = append(parts, fmt.Sprintf("%d%% %s", -axis.n, axis.neg))
		}
	}
	if len(parts) == 0 {
		return "no direction"
	}
	return strings.Join(parts, ", ")
}

// Changes says what differs between two states, one readable line a change,
// such as "heading: 100% north -> 70% north, 30% east" or "open: +Which port?".
// Each line is bounded and holds nothing that a terminal could obey.
func Changes(before, after State) []string {
	var lines changeLines
	c, d := before.Compass, after.Compass
	lines.words("heading", c.Heading.Words(), d.Heading.Words())
	lines.words("now", c.Heading.Context, d.Heading.Context)
	lines.words("drift", c.Drift, d.Drift)
	lines.words("return path", c.ReturnPath, d.ReturnPath)
	for _, bearing := range directions {
		lines.words("bearing "+bearing.name, *bearing.definition(&c.Bearings), *bearing.definition(&d.Bearings))
	}
	r, s := before.Rail, after.Rail
	lines.words("north", r.North, s.North)
	lines.next(r.Next, s.Next)
	lines.list("route", r.Route, s.Route)
	lines.list("open", r.Open, s.Open)
	lines.list("parked", r.Parked, s.Parked)
	return lines
}

type changeLines []string

func (l *changeLines) add(label, format string, args ...any) {
	*l = append(*l, label+": "+fmt.Sprintf(format, args...))
}

func (l *changeLines) words(label, before, after string) {
	if before != after {
		l.add(label, "%s -> %s", side(before), side(after))
	}
}

func (l *changeLines) next(before, after *Item) {
	switch {
	case before == nil && after == nil:
	case before == nil:
		l.add("next", "(nothing) -> %s", side(after.Summary))
	case after == nil:
		l.add("next", "%s -> (nothing)", side(before.Summary))
	case *before != *after:
		l.add("next", "%s -> %s", side(before.Summary), side(after.Summary))
	}
}

// list says what left, what was worded anew, what came, and, where it is all
// that happened, that the order changed.
func (l *changeLines) list(label string, before, after []Item) {
	start := len(*l)
	var stayed, now []string
	for _, old := range before {
		i := indexByID(after, old.ID)
		if i < 0 {
			l.add(label, "-%s", side(old.Summary))
			continue
		}
		stayed = append(stayed, old.ID)
		l.words(label, old.Summary, after[i].Summary)
	}
	for _, item := range after {
		if indexByID(before, item.ID) < 0 {
			l.add(label, "+%s", side(item.Summary))
			continue
		}
		now = append(now, item.ID)
	}
	if len(*l) == start && !slices.Equal(stayed, now) {
		l.add(label, "put in another order")
	}
}

func side(text string) string {
	if line := OneLine(text, maxWords); line != "" {
		return line
	}
	return "(empty)"
}
