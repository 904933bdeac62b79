package mergetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/merge"

	"pgregory.net/rapid"
)

// Story is what was done in a world, so that a test can ask what has to be left
// of it.
type Story struct {
	W       *World
	T       *rapid.T
	Start   time.Time
	Written []string        // every revision that was accepted
	Removed map[string]bool // ids of items that somebody removed
	Kept    map[string]bool // ids that were set aside, and that somebody changed
	Settled map[string]bool // ids that were set aside, and that somebody removed
	Made    map[string]bool // ids of items that somebody made
	Prose   map[string]bool // every text that somebody appended
	events  int
	kinds   []string // what is done in this story
	ids     int      // how many different ids items have, less one
	odd     bool     // ids of any length and with any characters, of events too
	forged  bool     // ids that only a merge would make, made by hand
	marks   []string // of the events so far
}

// kinds are what stories are about: a bit of everything, or much of one thing.
var kinds = [][]string{
	{"north", "compass", "reorder", "empty next", "add", "add", "add", "move", "move", "remove", "remove", "plain id", "done", "settle",
		"new note", "append", "append", "start", "finish", "drop"},
	{"north", "compass", "settle", "settle", "move", "remove"},
	{"add", "add", "move", "remove", "plain id", "done", "settle"},
	{"new note", "append", "start", "finish", "drop"},
}

// Start is a story in which nothing has happened yet.
func Start(t *rapid.T) *Story {
	s := &Story{W: New(), T: t, Start: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Removed: map[string]bool{}, Kept: map[string]bool{}, Settled: map[string]bool{}, Made: map[string]bool{}, Prose: map[string]bool{}, ids: 7}
	if s.kinds = rapid.SampledFrom(kinds).Draw(t, "story"); len(s.kinds) < len(kinds[0]) {
		s.ids = 1
	}
	return s
}

// Begin starts a story with a few revisions that everybody has, and returns the
// id of the last.
func Begin(t *rapid.T) (*Story, string) {
	s := Start(t)
	d := s.First()
	root := s.W.Write("", d.Meta.EventID, d.Meta.Time, d.State, nil)
	for range rapid.IntRange(0, 3).Draw(t, "before they part") {
		root = s.Edit(root)
	}
	return s, root
}

// First is the revision with which a story begins.
func (s *Story) First() bundle.Draft {
	first := bundle.DefaultState()
	first.Rail.North = "The importer streams"
	return bundle.Draft{State: first, Meta: bundle.EventMeta{EventID: s.event(), ReviewID: bundle.ReviewGenesis, Time: s.Start, Reason: "begin"}}
}

// BeginOdd is Begin for a story in which items have ids of any length and with
// any characters, and events ids that are no UUIDs.
func BeginOdd(t *rapid.T) (*Story, string) {
	s, root := Begin(t)
	s.odd = true
	return s, root
}

// BeginForged is BeginOdd with items that somebody gave the ids of those that a
// merge makes, and with events whose ids begin alike.
func BeginForged(t *rapid.T) (*Story, string) {
	s, root := BeginOdd(t)
	s.forged, s.W.Lenient = true, true
	return s, root
}

// event is an id that no other event has.
func (s *Story) event() string {
	s.events++
	switch {
	case s.forged:
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", rapid.IntRange(0, 3).Draw(s.T, "mark"), s.events)
		s.marks = append(s.marks, id[:8])
		return id
	case s.odd && s.draw(3) == 0:
		return fmt.Sprintf("event %d ü", s.events)
	}
	return fmt.Sprintf("%04x%04x-0000-4000-8000-000000000000", rapid.Uint16().Draw(s.T, "event"), s.events)
}

// moment is a time by a clock that may be wrong.
func (s *Story) moment() time.Time {
	return s.Start.Add(time.Duration(rapid.IntRange(-30, 90).Draw(s.T, "clock")) * time.Minute)
}

// Edit makes a revision upon another one.
func (s *Story) Edit(parent string) string {
	before := s.W.At(parent)
	d := s.Draft(before.State, before.Notes)
	notes := map[string]string{}
	for _, n := range d.Notes {
		notes[n.Path] = string(n.Data)
	}
	id := s.W.Write(parent, d.Meta.EventID, d.Meta.Time, d.State, notes)
	s.Written = append(s.Written, id)
	return id
}

// Draft is a revision upon a state and its notes: what people and agents do to
// them, and what they seldom do. It may change nothing.
func (s *Story) Draft(state bundle.State, have map[string]string) bundle.Draft {
	before := state.Rail
	rail := &state.Rail
	rail.Route, rail.Open, rail.Parked = slices.Clone(rail.Route), slices.Clone(rail.Open), slices.Clone(rail.Parked)
	notes := map[string]string{}
	at := s.moment()
	for range rapid.IntRange(1, 3).Draw(s.T, "edits") {
		switch kind := rapid.SampledFrom(s.kinds).Draw(s.T, "kind"); kind {
		case "north":
			rail.North = fmt.Sprint("North ", s.draw(9))
		case "compass":
			state.Compass.Drift = fmt.Sprint("drift ", s.draw(9))
			state.Compass.Heading.Context = fmt.Sprint("now ", s.draw(9))
		case "reorder":
			rail.Route = rapid.Permutation(rail.Route).Draw(s.T, "order")
		case "empty next":
			if rail.Next != nil {
				rail.Parked = append(rail.Parked, *rail.Next)
				rail.Next = nil
			}
		case "add":
			item := bundle.Item{ID: s.itemID(), Summary: fmt.Sprint("summary ", s.draw(4))}
			Take(rail, item.ID)
			s.put(rail, item)
		case "move", "remove":
			all := Items(*rail)
			if len(all) == 0 {
				continue
			}
			item := rapid.SampledFrom(all).Draw(s.T, "item")
			Take(rail, item.ID)
			if kind == "move" {
				s.put(rail, item)
			}
		case "plain id": // rid an item of the name that a merge gave it
			for _, item := range Items(*rail) {
				if plain, _, ok := strings.Cut(item.ID, "-"); ok && strings.HasPrefix(plain, "i") {
					Take(rail, item.ID)
					Take(rail, plain)
					item.ID = plain
					s.put(rail, item)
					break
				}
			}
		case "done":
			if rail.Next != nil {
				rail.Next = nil
				if len(rail.Route) > 0 {
					rail.Next, rail.Route = &rail.Route[0], rail.Route[1:]
				}
			}
		case "settle":
			for _, item := range Items(*rail) {
				if merge.IsSetAside(item) {
					Take(rail, item.ID)
					break
				}
			}
		default:
			s.note(kind, have, notes, at)
		}
	}
	s.record(before, *rail)
	d := bundle.Draft{State: state, Meta: bundle.EventMeta{EventID: s.event(), ReviewID: "review", Time: at, Reason: "an edit"}}
	for _, path := range slices.Sorted(maps.Keys(notes)) {
		d.Notes = append(d.Notes, bundle.Note{Path: path, Data: []byte(notes[path])})
	}
	return d
}

// itemID is an id that somebody gives an item.
func (s *Story) itemID() string {
	id := fmt.Sprint("i", s.draw(s.ids))
	if s.odd {
		id = rapid.SampledFrom([]string{id, "\u202e" + id, id + strings.Repeat("é", 1990), "-" + id + "-"}).Draw(s.T, "id")
	}
	if s.forged && len(s.marks) > 0 {
		mark := rapid.SampledFrom(s.marks).Draw(s.T, "of")
		id = rapid.SampledFrom([]string{id, id + "-" + mark, "settle-north", "settle-north-" + mark, "settle-item-" + id + "-" + mark}).Draw(s.T, "as")
	}
	if utf8.RuneCountInString(id) > bundle.MaxString {
		id = string([]rune(id)[:bundle.MaxString])
	}
	return id
}

func (s *Story) draw(n int) int { return rapid.IntRange(0, n).Draw(s.T, "n") }

// put places an item; what was next goes to the head of the route.
func (s *Story) put(r *bundle.Rail, item bundle.Item) {
	switch s.draw(3) {
	case 0:
		if r.Next != nil {
			r.Route = append([]bundle.Item{*r.Next}, r.Route...)
		}
		r.Next = &item
	case 1:
		r.Route = append(r.Route, item)
	case 2:
		r.Open = append(r.Open, item)
	case 3:
		r.Parked = append(r.Parked, item)
	}
}

// note writes a note, in the way of the commands.
func (s *Story) note(kind string, all, notes map[string]string, at time.Time) {
	who := chronicle.Who{Agent: "claude", Task: fmt.Sprintf("%012x", s.draw(3))}
	have := slices.Sorted(maps.Keys(all))
	if kind == "new note" {
		title := rapid.SampledFrom([]string{"The parser", "The build", "The importer"}).Draw(s.T, "title")
		note, err := chronicle.NewWorkItem(chronicle.Meta{Title: title, Summary: fmt.Sprint("summary ", s.draw(2))}, who, at, have)
		if err != nil {
			panic(err)
		}
		if _, twice := notes[note.Path]; !twice {
			notes[note.Path] = string(note.Data)
		}
		return
	}
	if len(have) == 0 {
		return
	}
	path := rapid.SampledFrom(have).Draw(s.T, "note")
	text, ok := notes[path]
	if !ok {
		text = all[path]
	}
	var data []byte
	var err error
	switch kind {
	case "append":
		s.events++
		prose := fmt.Sprintf("what happened, part %d", s.events)
		data, err = chronicle.AppendBlock([]byte(text), chronicle.Block{Time: at, ID: fmt.Sprintf("b%d", s.events), Task: who.Task, Text: prose})
		s.Prose[prose] = true
	case "start":
		data, err = chronicle.Start([]byte(text), who, at)
	case "finish":
		data, err = chronicle.Finish([]byte(text), "", who, at)
	case "drop":
		data, err = chronicle.Drop([]byte(text), "no longer needed", who, at)
	}
	if err == nil {
		notes[path] = string(data)
	}
}

// record notes what an edit made, changed and removed.
func (s *Story) record(before, after bundle.Rail) {
	old, now := places(before), places(after)
	for id, v := range now {
		switch was, ok := old[id]; {
		case !ok:
			s.Made[id] = true
		case was != v && merge.IsSetAside(bundle.Item{ID: id}):
			s.Kept[id] = true
		}
	}
	for id := range old {
		if _, ok := now[id]; ok {
			continue
		}
		s.Removed[id] = true
		if merge.IsSetAside(bundle.Item{ID: id}) {
			s.Settled[id] = true
		}
	}
}

func places(r bundle.Rail) map[string]string {
	where := map[string]string{}
	for name, list := range map[string][]bundle.Item{"route": r.Route, "open": r.Open, "parked": r.Parked} {
		for _, i := range list {
			where[i.ID] = name + " " + i.Summary
		}
	}
	if r.Next != nil {
		where[r.Next.ID] = "next " + r.Next.Summary
	}
	return where
}

// Items are all items of a Rail.
func Items(r bundle.Rail) []bundle.Item {
	var all []bundle.Item
	if r.Next != nil {
		all = append(all, *r.Next)
	}
	return slices.Concat(all, r.Route, r.Open, r.Parked)
}

// Take removes an item from a Rail.
func Take(r *bundle.Rail, id string) {
	if r.Next != nil && r.Next.ID == id {
		r.Next = nil
	}
	for _, l := range []*[]bundle.Item{&r.Route, &r.Open, &r.Parked} {
		*l = slices.DeleteFunc(slices.Clone(*l), func(i bundle.Item) bool { return i.ID == id })
	}
}

// removed tells whether somebody removed an item, by its id or by one that a merge
// gave to what was made with the same id.
func (s *Story) removed(id string) bool {
	for gone := range s.Removed {
		if gone == id || strings.HasPrefix(gone, id+"-") {
			return true
		}
	}
	return false
}

// Left checks that a revision holds what has to be left of the story.
func (s *Story) Left(tip string) error {
	below := s.W.Below(tip)
	for _, id := range s.Written {
		if !below[id] {
			return fmt.Errorf("revision %.12s is lost", id)
		}
	}
	return s.Stands(s.W.At(tip).State, s.W.At(tip).Notes)
}

// Stands checks what a state and its notes have to hold after everything has
// come together.
func (s *Story) Stands(state bundle.State, notes map[string]string) error {
	if err := state.Validate(); err != nil {
		return err
	}
	if s.forged {
		return nil // an id may mean several things
	}
	standing := places(state.Rail)
	for id := range s.Made {
		if _, ok := standing[id]; !ok && !s.removed(id) {
			return fmt.Errorf("item %s is lost, which nobody removed", id)
		}
	}
	for id := range s.Settled {
		if _, ok := standing[id]; ok && !s.Kept[id] {
			return fmt.Errorf("item %s is back, which was settled", id)
		}
	}
	all := strings.Join(slices.Collect(maps.Values(notes)), "\n")
	for text := range s.Prose {
		if n := strings.Count(all, text+"\n"); n != 1 {
			return fmt.Errorf("%q stands %d times in the notes", text, n)
		}
	}
	return nil
}
