package merge_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/merge"
)

// The finer rules of docs/merge.md, one example each. Without it a mistake in the
// rule went by: it would have been the same mistake on every machine.

func drift(text string) func(*bundle.State) {
	return func(s *bundle.State) { s.Compass.Drift = text }
}

func TestLastWordUponAMergeEndsWhatItSetAside(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")))
	decided := a.on(m, 3, north("Three"))
	other := a.on(m, 4, place("open", "q", "Why?"))
	a.want(a.w.Merge(decided, other), " | docs tests | q | ")
}

func TestWhatIsUndecidedBelowTheFloorStaysSetAside(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")))
	res, err := merge.Merge(context.Background(), a.w, []string{a.on(m, 3, drift("far")), a.on(m, 4, place("open", "q", "Why?"))})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(res.SetAside), "settle-north-e0000002") {
		t.Errorf("set aside: %s", res.SetAside)
	}
}

func TestValueThatSeveralChoseIsSettledOnce(t *testing.T) {
	for settle := range 2 {
		a := newTale(t)
		one := []string{a.on(a.root, 1, north("One")), a.on(a.root, 2, north("One"))}
		two := a.on(a.root, 3, north("Two"))
		m := a.w.Merge(one[settle], two)
		settled := a.on(m, 4, remove(a.settled(m).ID))
		a.want(a.w.Merge(settled, one[1-settle]), " | docs tests |  | ")
	}
}

func TestTwoWhoRewordWhatWasSetAsideMakeNoNewQuestion(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")))
	id := a.settled(m).ID
	m = a.w.Merge(a.on(m, 3, place("parked", id, "Later")), a.on(m, 4, place("open", id, "Now")))
	a.want(m, " | docs tests | "+id+" | ")
}

func TestWhatLostKeepsItsNameWhateverIsRenamed(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("open", "port", "Which port?"))
	two := a.on(a.root, 2, place("open", "port", "Which airport?"))
	m := a.w.Merge(a.on(two, 3, place("open", "port", "Which airport, then?")), a.on(two, 4, place("open", "port", "Which airports?")))
	id := a.settled(m).ID
	if id != "settle-item-port-e0000004" {
		t.Fatalf("%s", id)
	}
	settled := a.on(m, 5, remove(id))
	a.want(a.w.Merge(settled, one), " | docs tests | port-e0000003 port | ")
}

func TestItemThatMovedComesBehindThoseOfTheNewest(t *testing.T) {
	a := newTale(t)
	base := a.on(a.root, 1, func(s *bundle.State) {
		s.Rail.Open = []bundle.Item{{ID: "q1", Summary: "One?"}, {ID: "q2", Summary: "Two?"}}
	})
	moved := a.on(base, 2, place("open", "docs", "Write the docs"))
	newest := a.on(base, 3, north("Other"))
	a.want(a.w.Merge(moved, newest), " | tests | q1 q2 docs | ")
}

func TestWhatIsSetAsideComesInTheOrderOfItsEvents(t *testing.T) {
	a := newTale(t)
	early := a.on(a.root, 1, north("One"))
	early = a.on(early, 2, drift("one"))
	late := a.on(a.root, 3, drift("two"))
	late = a.on(late, 4, north("Two"))
	a.want(a.w.Merge(early, late), " | docs tests | settle-north-e0000002 settle-compass-e0000003 | ")
}

func TestIdGivenAgainInOneHistoryKeepsIt(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("open", "port", "Which port?"))
	one = a.on(a.on(one, 2, remove("port")), 3, place("open", "port", "Which airport?"))
	m := a.w.Merge(one, a.on(a.root, 4, north("Other")))
	a.want(m, " | docs tests | port | ")
}

func TestItemMadeTwiceAlikeIsCalledAfterTheFirst(t *testing.T) {
	a := newTale(t)
	one := a.on(a.root, 1, place("open", "port", "Which port?"))
	two := a.on(a.root, 2, place("open", "port", "Which airport?"))
	three := a.on(a.root, 3, place("open", "port", "Which airport?"))
	a.want(a.w.Merge(a.w.Merge(one, two), three), " | docs tests | port-e0000003 port | ")
	a.want(a.w.Merge(one, a.w.Merge(two, three)), " | docs tests | port-e0000003 port | ")
}

func TestMergeSaysHowMuchMetAndWhen(t *testing.T) {
	for range 8 { // whatever ids the revisions get
		a := newTale(t)
		a.n = time.Now().Nanosecond() % 1000
		one := a.on(a.root, 5, north("One"))
		three := a.on(a.on(a.on(a.root, 1, drift("1")), 2, drift("2")), 3, drift("3"))
		res, err := merge.Merge(context.Background(), a.w, []string{one, three})
		if err != nil {
			t.Fatal(err)
		}
		if res.Meta.Reason != "Merge 1 and 3 revisions" || !res.Meta.Time.Equal(noon.Add(5*time.Minute)) {
			t.Errorf("%+v", res.Meta)
		}
	}
}

// Imports of one directory can end in revisions with the same event.
func TestSameEventTwiceIsDecidedByTheRevision(t *testing.T) {
	a := newTale(t)
	var sides []string
	for _, text := range []string{"One", "Two"} {
		s := a.w.At(a.root).State
		s.Rail.North = text
		sides = append(sides, a.w.Write(a.root, "e0000009-0000-4000-8000-000000000000", noon, s, nil))
	}
	want := a.w.At(slices.Max(sides)).State.Rail.North
	for range 20 { // maps come in any order
		res, err := merge.Merge(context.Background(), a.w, sides)
		if err != nil || res.State.Rail.North != want {
			t.Fatalf("North %q, %v", res.State.Rail.North, err)
		}
	}
}

func TestReferencesToARenamedNoteFollowWhereBothSidesWrote(t *testing.T) {
	a := newTale(t)
	one := a.note(a.root, 1, "tasks/port.md", "---\ntitle: Which port\n---\n")
	two := a.note(a.root, 2, "tasks/port.md", "---\ntitle: Which airport\n---\n")
	const flight = "entries/2026/11/30-flight.md"
	two = a.note(two, 3, flight, "---\ntitle: Flight\ncloses: [tasks/port.md]\n---\n")
	left := a.note(two, 4, flight, "---\ntitle: Flight\ncloses: [tasks/port.md]\ntags: [left]\n---\n")
	right := a.note(two, 5, flight, "---\ntitle: Flight\ncloses: [tasks/port.md]\ntags: [right]\n---\n")
	m := a.w.Merge(a.w.Merge(left, right), one)
	note := chronicle.Read([]byte(a.w.At(m).Notes[flight]))
	if !slices.Equal(note.Closes, []string{"tasks/port-e0000003.md"}) || len(note.Tags) != 2 {
		t.Errorf("closes %q, tags %q", note.Closes, note.Tags)
	}
}

func TestNoteBelowTheFloorIsWhatItsVersionsBeganFrom(t *testing.T) {
	a := newTale(t)
	const path = "tasks/port.md"
	base := a.note(a.root, 1, path, "---\ntitle: Port\ntags: [a, b]\n---\nText.\n")
	base = a.on(base, 2, drift("far"))
	m := a.w.Merge(a.note(base, 3, path, "---\ntitle: Port\ntags: [b]\n---\nText.\n"), a.note(base, 4, path, "---\ntitle: Port\ntags: [a, b, c]\n---\nText.\n"))
	note := chronicle.Read([]byte(a.w.At(m).Notes[path]))
	if slices.Contains(note.Tags, "a") || len(note.Tags) != 2 {
		t.Errorf("tags %q", note.Tags)
	}
}

func TestVersionOfANoteOvertakesThoseBelowIt(t *testing.T) {
	a := newTale(t)
	const path = "tasks/port.md"
	base := a.note(a.root, 1, path, "---\ntitle: Port\ntags: [a]\n---\n")
	one := a.note(base, 2, path, "---\ntitle: Port\ntags: [a, b]\n---\n")
	one = a.note(one, 3, path, "---\ntitle: Port\ntags: [a]\n---\n") // b was taken back
	m := a.w.Merge(one, a.note(base, 4, path, "---\ntitle: Port\ntags: [a, c]\n---\n"))
	if tags := chronicle.Read([]byte(a.w.At(m).Notes[path])).Tags; !slices.Equal(tags, []string{"a", "c"}) {
		t.Errorf("tags %q", tags)
	}
}

func TestRelationCountsRevisionsAndNoMerges(t *testing.T) {
	a := newTale(t)
	one, two := a.on(a.root, 1, north("One")), a.on(a.root, 2, drift("two"))
	m := a.w.Merge(one, two)
	three := a.on(m, 3, drift("three"))
	apart := a.w.Write("", a.event(), noon, bundle.DefaultState(), nil)
	for name, c := range map[string]struct {
		a, b string
		want merge.Relation
	}{
		"the same":            {three, three, merge.Relation{AUnderB: true, BUnderA: true, Related: true}},
		"below":               {one, three, merge.Relation{OnlyB: 2, AUnderB: true, Related: true}},
		"above":               {three, m, merge.Relation{OnlyA: 1, BUnderA: true, Related: true}},
		"above a merge alone": {m, one, merge.Relation{OnlyA: 1, BUnderA: true, Related: true}},
		"side by side":        {one, two, merge.Relation{OnlyA: 1, OnlyB: 1, Related: true}},
		"apart":               {apart, two, merge.Relation{OnlyA: 1, OnlyB: 2}},
	} {
		got, err := merge.Relate(context.Background(), a.w, c.a, c.b)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// full is a Rail with many items of a size at each place.
func full(name string, n, size int) func(*bundle.State) {
	return func(s *bundle.State) {
		for i := range n {
			item := func(where string) bundle.Item {
				return bundle.Item{ID: fmt.Sprint(name, where, i), Summary: where + strings.Repeat(name, size)}
			}
			s.Rail.Route = append(s.Rail.Route, item("route"))
			s.Rail.Open = append(s.Rail.Open, item("open"))
			s.Rail.Parked = append(s.Rail.Parked, item("parked"))
		}
	}
}

func TestWhatIsParkedLeavesTheRailFirst(t *testing.T) {
	a := newTale(t)
	m := a.w.Merge(a.on(a.root, 1, full("a", 8, 1900)), a.on(a.root, 2, full("b", 8, 1900)))
	rail := a.w.At(m).State.Rail
	if err := a.w.At(m).State.Validate(); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.EncodeRail(rail); err != nil {
		t.Fatal(err)
	}
	if len(rail.Route) != 18 || len(rail.Open) != 16 || len(rail.Parked) >= 16 {
		t.Errorf("route %d, open %d, parked %d", len(rail.Route), len(rail.Open), len(rail.Parked))
	}
	all := a.road(m)
	for _, text := range a.w.At(m).Notes {
		all += text
	}
	for _, name := range []string{"a", "b"} {
		for _, where := range []string{"route", "open", "parked"} {
			for i := range 8 {
				if id := fmt.Sprint(name, where, i); !strings.Contains(all, id) {
					t.Errorf("item %s is lost", id)
				}
			}
		}
	}
}

// A third side that has not heard of a merge which overflowed meets it: whatever
// has no room then, and in whatever order, all of it is somewhere.
func TestRailThatIsFullAgainLosesNothing(t *testing.T) {
	for seed := range 4 {
		a := newTale(t)
		a.n = seed * 16
		one, two := a.on(a.root, 1, full("a", 80, 1)), a.on(a.root, 2, full("b", 150, 1))
		above := a.on(a.w.Merge(one, two), 3, north("Above"))
		third := a.on(one, 4, full("c", 90, 1))
		m := a.w.Merge(above, third)
		if err := a.w.At(m).State.Validate(); err != nil {
			t.Fatal(err)
		}
		all := " " + a.road(m) + " "
		for _, text := range a.w.At(m).Notes {
			all += text
		}
		for name, n := range map[string]int{"a": 80, "b": 150, "c": 90} {
			for _, where := range []string{"route", "open", "parked"} {
				for i := range n {
					if id := fmt.Sprint(name, where, i); !strings.Contains(all, " "+id+" ") && !strings.Contains(all, "`"+id+"`") {
						t.Fatalf("item %s is lost", id)
					}
				}
			}
		}
	}
}

func TestClocksFarOffDoNoHarm(t *testing.T) {
	a := newTale(t)
	at := func(parent string, when time.Time, text string) string {
		s := a.w.At(parent).State
		s.Rail.North = text
		return a.w.Write(parent, a.event(), when, s, nil)
	}
	first := at(a.root, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "Year one")
	last := at(a.root, time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC), "The last year")
	m := a.w.Merge(first, last)
	if a.north(m) != "The last year" || !strings.Contains(a.settled(m).Summary, "(0001-01-01 00:00 UTC") {
		t.Errorf("North %q, %s", a.north(m), a.settled(m).Summary)
	}
	res, err := merge.Merge(context.Background(), a.w, []string{first, at(a.root, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "Year one, too")})
	if err != nil || res.Meta.Time.Year() != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCrissCrossMergesSayTheSame(t *testing.T) {
	a := newTale(t)
	one, two := a.on(a.root, 1, north("One")), a.on(a.root, 2, place("next", "x", "X"))
	m := a.w.Merge(one, two)
	three, four := a.on(one, 3, place("next", "y", "Y")), a.on(two, 4, north("Four"))
	left := a.w.Merge(a.w.Merge(three, two), a.w.Merge(four, one))
	right := a.w.Merge(a.w.Merge(three, four), m)
	if a.w.Content(left) != a.w.Content(right) {
		t.Errorf("%s\n%s", a.w.Content(left), a.w.Content(right))
	}
	a.want(left, "y | x docs tests | settle-north-e0000002 | ")
}

func TestMergeWithoutACauseIsRefused(t *testing.T) {
	a := newTale(t)
	one, two, three := a.on(a.root, 1, north("One")), a.on(a.root, 2, drift("two")), a.on(a.root, 3, drift("three"))
	left, right := a.w.Merge(a.w.Merge(one, two), three), a.w.Merge(one, a.w.Merge(two, three))
	for name, heads := range map[string][]string{
		"below": {a.root, one}, "below a merge": {two, left}, "three, one below": {one, three, a.w.Merge(one, two)}, "the same": {left, right},
	} {
		if _, err := merge.Merge(context.Background(), a.w, heads); err != merge.ErrNoCause {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What a side lacks is a cause, also where the other lacks nothing.
	if _, err := merge.Merge(context.Background(), a.w, []string{a.on(left, 4, drift("four")), right}); err != nil {
		t.Error(err)
	}
}

func TestThreeAtOnceSayWhatTwoAfterAnotherDo(t *testing.T) {
	a := newTale(t)
	heads := []string{a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")), a.on(a.root, 3, place("next", "x", "X"))}
	res, err := merge.Merge(context.Background(), a.w, heads)
	if err != nil {
		t.Fatal(err)
	}
	m := a.w.At(a.w.Merge(a.w.Merge(heads[0], heads[1]), heads[2]))
	if !res.State.Equal(m.State) {
		t.Errorf("%s\n%s", res.State.Rail.JSON(), m.State.Rail.JSON())
	}
}
