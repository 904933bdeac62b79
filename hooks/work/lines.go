package work

import (
	"slices"
	"strconv"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/merge"
	"chatrail/hooks/words"
)

// Bounds of a prepared line, in bytes: an orientation says things in few words.
const (
	maxField = 600 // one of the four lines
	maxItem  = 160 // one item of a list
	maxItems = 6   // items of one list that are named, the rest is counted
)

// FourLines are the answer of reorient: North, Now, Drift, Return path, in this
// order, one line each, harmless to print.
func FourLines(s bundle.State) []words.Line {
	now := s.Compass.Heading.Words()
	if c := words.Harmless(s.Compass.Heading.Context); c != "" {
		now += ": " + c
	}
	return []words.Line{
		{Field: string(bundle.FieldNorth), Text: field("North", s.Rail.North)},
		{Field: string(bundle.FieldHeading), Text: "Now: " + words.Cut(now, maxField)},
		{Field: string(bundle.FieldDrift), Text: field("Drift", s.Compass.Drift)},
		{Field: string(bundle.FieldReturnPath), Text: field("Return path", s.Compass.ReturnPath)},
	}
}

// Lines are the four lines and, where there is anything, next, route, open and
// parked in few words. Ids stand before the summaries: they are what --answer,
// --park and --resume take.
func Lines(s bundle.State) []words.Line {
	lines := FourLines(s)
	if s.Rail.Next != nil {
		lines = append(lines, words.Line{Field: string(bundle.FieldNext), Text: "Next: " + item(*s.Rail.Next)})
	}
	for _, list := range []struct {
		field bundle.Field
		name  string
		items []bundle.Item
	}{
		{bundle.FieldRoute, "Route", s.Rail.Route},
		{bundle.FieldOpen, "Open", asideFirst(s.Rail.Open)},
		{bundle.FieldParked, "Parked", s.Rail.Parked},
	} {
		if len(list.items) > 0 {
			lines = append(lines, words.Line{Field: string(list.field), Text: list.name + ": " + items(list.items)})
		}
	}
	return lines
}

// asideFirst puts what merges set aside in front: it waits for somebody, and must
// not be among the items for which there is no room.
func asideFirst(list []bundle.Item) []bundle.Item {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b bundle.Item) int {
		switch one, two := merge.IsSetAside(a), merge.IsSetAside(b); {
		case one && !two:
			return -1
		case two && !one:
			return 1
		}
		return 0
	})
	return sorted
}

func field(name, text string) string {
	return strings.TrimRight(name+": "+words.Cut(words.Harmless(text), maxField), " ")
}

func item(i bundle.Item) string {
	return words.Cut("["+words.Harmless(i.ID)+"] "+words.Harmless(i.Summary), maxItem)
}

func items(list []bundle.Item) string {
	var b strings.Builder
	for n, i := range list {
		if n == maxItems {
			b.WriteString("; and " + strconv.Itoa(len(list)-n) + " more")
			break
		}
		if n > 0 {
			b.WriteString("; ")
		}
		b.WriteString(item(i))
	}
	return b.String()
}
