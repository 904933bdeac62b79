package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/merge"
	"chatrail/bundle/merge/mergetest"
)

// tale writes a history by hand, with the examples of docs/merge.md.
type tale struct {
	t    testing.TB
	w    *mergetest.World
	root string
	n    int
}

func newTale(t testing.TB) *tale {
	tale := &tale{t: t, w: mergetest.New()}
	s := bundle.DefaultState()
	s.Rail = bundle.Rail{North: "Ship it", Route: []bundle.Item{{ID: "docs", Summary: "Write the docs"}, {ID: "tests", Summary: "Test it"}}}
	tale.root = tale.w.Write("", tale.event(), noon, s, nil)
	return tale
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (a *tale) event() string {
	a.n++
	return fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0xe0000000+a.n)
}

// on makes a revision upon another, so many minutes after noon.
func (a *tale) on(parent string, minute int, edit func(*bundle.State)) string {
	s := a.w.At(parent).State
	r := &s.Rail
	r.Route, r.Open, r.Parked = slices.Clone(r.Route), slices.Clone(r.Open), slices.Clone(r.Parked)
	edit(&s)
	return a.w.Write(parent, a.event(), noon.Add(time.Duration(minute)*time.Minute), s, nil)
}

func (a *tale) note(parent string, minute int, path, text string) string {
	return a.w.Write(parent, a.event(), noon.Add(time.Duration(minute)*time.Minute), a.w.At(parent).State, map[string]string{path: text})
}

// road is a Rail in one line: next | route | open | parked, by ids.
func (a *tale) road(id string) string {
	r := a.w.At(id).State.Rail
	var parts []string
	next := []bundle.Item{}
	if r.Next != nil {
		next = append(next, *r.Next)
	}
	for _, list := range [][]bundle.Item{next, r.Route, r.Open, r.Parked} {
		var ids []string
		for _, i := range list {
			ids = append(ids, i.ID)
		}
		parts = append(parts, strings.Join(ids, " "))
	}
	return strings.Join(parts, " | ")
}

func (a *tale) want(id, road string) {
	a.t.Helper()
	if got := a.road(id); got != road {
		a.t.Errorf("the road is %q, want %q", got, road)
	}
}

func (a *tale) north(id string) string { return a.w.At(id).State.Rail.North }

func north(text string) func(*bundle.State) {
	return func(s *bundle.State) { s.Rail.North = text }
}

// place moves an item, or makes it.
func place(where, id, summary string) func(*bundle.State) {
	return func(s *bundle.State) {
		r := &s.Rail
		mergetest.Take(r, id)
		item := bundle.Item{ID: id, Summary: summary}
		switch where {
		case "next":
			if r.Next != nil {
				r.Route = append([]bundle.Item{*r.Next}, r.Route...)
			}
			r.Next = &item
		case "route":
			r.Route = append(r.Route, item)
		case "open":
			r.Open = append(r.Open, item)
		case "parked":
			r.Parked = append(r.Parked, item)
		}
	}
}

func remove(id string) func(*bundle.State) {
	return func(s *bundle.State) { mergetest.Take(&s.Rail, id) }
}

// settled is the first item that keeps something set aside.
func (a *tale) settled(id string) bundle.Item {
	a.t.Helper()
	for _, i := range mergetest.Items(a.w.At(id).State.Rail) {
		if merge.IsSetAside(i) {
			return i
		}
	}
	a.t.Fatalf("nothing is set aside on %s", a.road(id))
	return bundle.Item{}
}

func TestLaterNorthStandsAndTheOtherIsKept(t *testing.T) {
	a := newTale(t)
	late := a.on(a.root, 5, north("It is correct"))
	early := a.on(a.root, 1, north("It streams"))
	m := a.w.Merge(early, late)
	if a.north(m) != "It is correct" {
		t.Errorf("North %q", a.north(m))
	}
	item := a.settled(m)
	if item.ID != "settle-north-e0000003" || !strings.Contains(item.Summary, `"It streams"`) || !strings.Contains(item.Summary, "2026-11-30 12:01 UTC") {
		t.Errorf("%+v", item)
	}
}

func TestCausationBeatsClocks(t *testing.T) {
	a := newTale(t)
	first := a.on(a.root, 50, north("By a clock that is ahead"))
	second := a.on(first, 1, north("Knowing it"))
	m := a.w.Merge(second, a.on(a.root, 2, place("open", "q", "Why?")))
	if a.north(m) != "Knowing it" {
		t.Errorf("North %q", a.north(m))
	}
	a.want(m, " | docs tests | q | ")
}

func TestSameTimeIsDecidedByTheEventId(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 1, north("Two")))
	if a.north(m) != "Two" {
		t.Errorf("North %q", a.north(m))
	}
}

func TestSameWordsOnBothSidesAreNoConflict(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("One")))
	a.want(m, " | docs tests |  | ")
}

func TestCompassStandsOrFallsAsOne(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(
		a.on(a.root, 1, func(s *bundle.State) { s.Compass.Drift = "far" }),
		a.on(a.root, 2, func(s *bundle.State) { s.Compass.ReturnPath = "home" }))
	c := a.w.At(m).State.Compass
	if c.Drift == "far" || c.ReturnPath != "home" {
		t.Errorf("%+v", c)
	}
	if item := a.settled(m); !strings.Contains(item.Summary, `drift "far"`) {
		t.Errorf("%+v", item)
	}
}

func TestChangeBeatsRemoval(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 9, remove("docs")), a.on(a.root, 1, place("open", "docs", "Write better docs")))
	a.want(m, " | tests | docs | ")
	m = a.w.Merge(a.on(a.root, 9, remove("docs")), a.on(a.root, 1, north("Other")))
	a.want(m, " | tests |  | ")
}

func TestItemChangedOnBothSidesKeepsBothWords(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, place("parked", "docs", "Write the docs")), a.on(a.root, 2, place("route", "docs", "Write short docs")))
	a.want(m, " | tests docs | settle-item-docs-e0000002 | ")
	if item := a.settled(m); !strings.Contains(item.Summary, `"docs" was also put on the parked list as "Write the docs"`) {
		t.Errorf("%+v", item)
	}
}

func TestBothNextsAreKept(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("next", "parser", "Write the parser"))
	two := a.on(a.root, 5, place("next", "build", "Mend the build"))
	a.want(a.w.Merge(one, two), "build | parser docs tests |  | ")
}

func TestItemThatLostNextDoesNotComeBackToIt(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("next", "parser", "Write the parser"))
	two := a.on(a.root, 5, place("next", "build", "Mend the build"))
	m := a.w.Merge(one, two)
	emptied := a.on(m, 6, func(s *bundle.State) { s.Rail.Next = nil })
	other := a.on(a.root, 7, north("Other"))
	a.want(a.w.Merge(emptied, other), " | docs tests parser |  | ")
	moved := a.on(m, 6, func(s *bundle.State) {
		s.Rail.Next = nil
		s.Rail.Route = []bundle.Item{s.Rail.Route[2], s.Rail.Route[0], s.Rail.Route[1]}
	})
	a.want(moved, " | tests parser docs |  | ")
}

// However far down a merge looks: the clock of a placing that others were made upon
// says nothing any more.
func TestItemPutBackOnNextWasPutThereByTheLastToDoSo(t *testing.T) {
	a := newTale(t)
	docs, tests := bundle.Item{ID: "docs", Summary: "Write the docs"}, bundle.Item{ID: "tests", Summary: "Test it"}
	base := a.on(a.root, 30, func(s *bundle.State) { s.Rail.Next, s.Rail.Route = &docs, []bundle.Item{tests} })
	laptop := a.on(base, 1, func(s *bundle.State) { s.Rail.Next, s.Rail.Route = nil, []bundle.Item{docs, tests} })
	laptop = a.on(laptop, 3, func(s *bundle.State) { s.Rail.Next, s.Rail.Route = &docs, []bundle.Item{tests} })
	desktop := a.on(base, 2, func(s *bundle.State) { s.Rail.Next, s.Rail.Route = &tests, []bundle.Item{docs} })
	a.want(a.w.MustMerge(laptop, desktop), "docs | tests |  | ")
	whole, err := merge.Whole(t.Context(), a.w, []string{laptop, desktop})
	if err != nil || whole.State.Rail.Next == nil || whole.State.Rail.Next.ID != "docs" {
		t.Errorf("looking at everything gives %+v, %v", whole.State.Rail, err)
	}
}

func TestIdGivenTwiceIsTwoItems(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("open", "port", "Which port?"))
	two := a.on(a.root, 2, place("open", "port", "Which airport?"))
	m := a.w.Merge(one, two)
	a.want(m, " | docs tests | port-e0000003 port | ")
	// Each side goes on to mean its own.
	after := a.on(two, 3, place("parked", "port", "Which airport?"))
	m2 := a.w.Merge(m, after)
	a.want(m2, " | docs tests | port | port-e0000003")
	// Above the merge both are known by their own names.
	done := a.on(m, 4, remove("port"))
	a.want(a.w.Merge(done, after), " | docs tests |  | port-e0000003")
}

func TestSameItemMadeTwiceIsOne(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, place("open", "port", "Which port?")), a.on(a.root, 2, place("open", "port", "Which port?")))
	a.want(m, " | docs tests | port | ")
}

func TestSettledIsFinalEverywhere(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, north("One"))
	two := a.on(a.root, 2, north("Two"))
	m := a.w.Merge(one, two)
	item := a.settled(m)
	settled := a.on(m, 3, remove(item.ID))
	// A third machine has not heard of it, and merges the same two.
	third := a.w.Merge(a.on(one, 4, place("open", "q", "Why?")), two)
	a.want(third, " | docs tests | q settle-north-e0000002 | ")
	a.want(a.w.Merge(settled, third), " | docs tests | q | ")
	// Whoever reworded it keeps it, as an item like any other.
	kept := a.on(m, 3, place("parked", item.ID, "Think about One"))
	a.want(a.w.Merge(kept, third), " | docs tests | q | settle-north-e0000002")
}

func TestLastWordOnAFieldEndsWhatWasSetAside(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")))
	decided := a.on(m, 3, north("Three"))
	m = a.w.Merge(decided, a.on(a.root, 4, place("open", "q", "Why?")))
	a.want(m, " | docs tests | q | ")
	if a.north(m) != "Three" {
		t.Errorf("North %q", a.north(m))
	}
}

func TestOrderIsThatOfTheNewest(t *testing.T) {
	a := newTale(t)
	newest := a.on(a.root, 5, func(s *bundle.State) { slices.Reverse(s.Rail.Route) })
	other := a.on(a.root, 1, place("route", "more", "And more"))
	a.want(a.w.Merge(newest, other), " | tests docs more |  | ")
}

func TestHistoriesThatBeganApartJoin(t *testing.T) {
	a := newTale(t)
	empty := a.w.Write("", a.event(), noon.Add(time.Hour), bundle.DefaultState(), nil)
	m := a.w.Merge(a.root, empty)
	a.want(m, " | docs tests |  | ")
	if a.north(m) != "Ship it" {
		t.Errorf("a bundle that says nothing yet has changed North to %q", a.north(m))
	}
	named := a.on(empty, 70, north("Mine"))
	m = a.w.Merge(a.root, named)
	if a.north(m) != "Mine" || !strings.Contains(a.settled(m).Summary, "Ship it") {
		t.Errorf("North %q, %s", a.north(m), a.road(m))
	}
}

func TestDifferentNotesWithOnePathAreBothKept(t *testing.T) {
	a := newTale(t)
	one := a.note(a.root, 1, "tasks/port.md", "---\ntitle: Which port\n---\n")
	two := a.note(a.root, 2, "tasks/port.md", "---\ntitle: Which airport\n---\n")
	two = a.note(two, 3, "entries/2026/11/30-flight.md", "---\ntitle: Flight\ncloses: [tasks/port.md]\n---\n")
	m := a.w.Merge(one, two)
	notes := a.w.At(m).Notes
	if !strings.Contains(notes["tasks/port.md"], "Which port") || !strings.Contains(notes["tasks/port-e0000003.md"], "Which airport") {
		t.Errorf("%q", notes)
	}
	if got := chronicle.Read([]byte(notes["entries/2026/11/30-flight.md"])).Closes; !slices.Equal(got, []string{"tasks/port-e0000003.md"}) {
		t.Errorf("closes %q", got)
	}
}

func TestWhatTheRailHasNoRoomForIsAnEntry(t *testing.T) {
	a := newTale(t)
	many := func(name string) func(*bundle.State) {
		return func(s *bundle.State) {
			for i := range bundle.MaxList {
				s.Rail.Open = append(s.Rail.Open, bundle.Item{ID: fmt.Sprint(name, i), Summary: fmt.Sprint("item ", name, i)})
			}
		}
	}
	m := a.w.Merge(a.on(a.root, 1, many("a")), a.on(a.root, 2, many("b")))
	if err := a.w.At(m).State.Validate(); err != nil {
		t.Fatal(err)
	}
	all := a.road(m)
	for _, text := range a.w.At(m).Notes {
		all += text
	}
	for i := range bundle.MaxList {
		for _, name := range []string{"a", "b"} {
			if !strings.Contains(all, fmt.Sprint(name, i)) {
				t.Fatalf("item %s%d is lost", name, i)
			}
		}
	}
}
