package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/draft"
)

// fit moves what a Rail has too much to an entry: the ends of parked, open and
// the route, in this order, until the lists and the file keep their bounds; what
// was set aside goes last. The bounds are there for those who write; a merge loses
// nothing to them. dropped is what an earlier merge had no room for.
func fit(g *graph, res *Result, dropped []decided) error {
	var moved []string
	for _, d := range dropped {
		moved = append(moved, line(placeNames[d.value.place], bundle.Item{ID: d.id, Summary: d.value.summary}))
	}
	rail := &res.State.Rail
	lists := []struct {
		place place
		list  *[]bundle.Item
	}{{inParked, &rail.Parked}, {inOpen, &rail.Open}, {onRoute, &rail.Route}}
	for _, l := range lists {
		for len(*l.list) > bundle.MaxList {
			moved = append(moved, line(placeNames[l.place], drop(l.list)))
		}
	}
	for _, l := range lists {
		for len(*l.list) > 0 && tooLarge(*rail) {
			moved = append(moved, line(placeNames[l.place], drop(l.list)))
		}
	}
	if len(moved) == 0 {
		return nil
	}
	slices.Sort(moved)
	note, err := overflow(moved, g.nodes[g.heads()[0]].Time.UTC())
	if err != nil {
		return err
	}
	res.Notes = append(res.Notes, note)
	slices.SortFunc(res.Notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// drop takes the last item out of a list, and one that keeps what was set aside
// only where there are no others.
func drop(list *[]bundle.Item) bundle.Item {
	at := len(*list) - 1
	for at > 0 && isSettle((*list)[at].ID) {
		at--
	}
	if isSettle((*list)[at].ID) {
		at = len(*list) - 1
	}
	item := (*list)[at]
	*list = slices.Delete(slices.Clone(*list), at, at+1)
	return item
}

func line(where string, item bundle.Item) string {
	return fmt.Sprintf("- on %s, `%s`: %s", where, item.ID, item.Summary)
}

// tooLarge tells whether the file of a Rail would be above its bound.
func tooLarge(r bundle.Rail) bool {
	if mostBytes(r) <= bundle.MaxFile {
		return false
	}
	_, err := bundle.EncodeRail(r)
	var rule *bundle.RuleError
	return errors.As(err, &rule) && rule.Field == "rail"
}

// mostBytes is more than the file of a Rail has, quickly told: to write one takes
// longer than the rest of a merge. A byte is written as six at most.
func mostBytes(r bundle.Rail) int {
	const around = 64 // names of fields, indents, quotes
	n := 4*around + 6*len(r.North)
	for _, p := range []place{onNext, onRoute, inOpen, inParked} {
		for _, item := range listOf(&r, p) {
			n += 2*around + 6*(len(item.ID)+len(item.Summary))
		}
	}
	return n
}

// overflowTitle is the title of an entry that keeps items for which a Rail has no
// room.
const overflowTitle = "What a merge had no room for"

// IsOverflow tells whether a note that a merge wrote is such an entry.
func IsOverflow(path string) bool {
	return strings.HasPrefix(path, "entries/") && strings.Contains(path, "-"+chronicle.Slug(overflowTitle)+"-")
}

// overflow is the entry that keeps items for which the Rail has no room.
func overflow(items []string, at time.Time) (Note, error) {
	text := "A merge brought more onto the Rail than it holds. This did not fit:\n\n" + strings.Join(items, "\n")
	id := draft.Digest([]byte(text))[:markLength]
	meta := chronicle.Meta{Title: overflowTitle, Tags: []string{"merge"}}
	note, err := chronicle.NewEntry(meta, at, nil)
	if err != nil {
		return Note{}, err
	}
	data, err := chronicle.AppendBlock(note.Data, chronicle.Block{Time: at, ID: "merge-" + id, Text: text})
	return Note{Path: newPath(note.Path, id), Data: data}, err
}
