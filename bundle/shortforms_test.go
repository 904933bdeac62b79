package bundle_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

func ptr[T any](v T) *T { return &v }

// rails writes a Rail in one line: "next | route | open | parked", ids only.
func rails(r bundle.Rail) string {
	ids := func(items []bundle.Item) string {
		var s []string
		for _, item := range items {
			s = append(s, item.ID)
		}
		return strings.Join(s, " ")
	}
	next := "-"
	if r.Next != nil {
		next = r.Next.ID
	}
	return strings.Join([]string{next, ids(r.Route), ids(r.Open), ids(r.Parked)}, " | ")
}

// rail reads what rails writes. The summary of an item is "The <id>".
func rail(line string) bundle.Rail {
	items := func(ids string) (list []bundle.Item) {
		for _, id := range strings.Fields(ids) {
			list = append(list, bundle.Item{ID: id, Summary: "The " + id})
		}
		return list
	}
	parts := strings.Split(line, "|")
	r := bundle.Rail{North: "North", Route: items(parts[1]), Open: items(parts[2]), Parked: items(parts[3])}
	if next := items(parts[0]); next[0].ID != "-" {
		r.Next = &next[0]
	}
	return r
}

func TestShortFormsMoveTheItemsOfTheRail(t *testing.T) {
	for _, c := range []struct {
		name, before string
		short        bundle.Short
		after        string
	}{
		{"done: the head of the route follows", "n | a b | q | p", bundle.Short{Done: true}, "a | b | q | p"},
		{"done at the end of the route", "n |  |  | ", bundle.Short{Done: true}, "- |  |  | "},
		{"done, and something new is next", "n | a b |  | ", bundle.Short{Done: true, Next: ptr("New one")}, "new-one | a b |  | "},
		{"a new next keeps the old on the route", "n | a |  | ", bundle.Short{Next: ptr("New one")}, "new-one | n a |  | "},
		{"next where nothing was", "- |  |  | ", bundle.Short{Next: ptr("New one")}, "new-one |  |  | "},
		{"next before the route", "- | a |  | ", bundle.Short{Next: ptr("New one")}, "new-one | a |  | "},
		{"next names an item of the route by its summary", "n | a b c |  | ", bundle.Short{Next: ptr("The b")}, "b | n a c |  | "},
		{"next names an item of the route by its id", "n | a b |  | ", bundle.Short{Next: ptr("b"), Done: true}, "b | a |  | "},
		{"next is next already", "n | a |  | ", bundle.Short{Next: ptr("The n")}, "n | a |  | "},
		{"an id is never given twice", "n | new-one |  | new-one-2", bundle.Short{Next: ptr("New one")}, "new-one-3 | n new-one |  | new-one-2"},
		{"open", "n |  | q | ", bundle.Short{Open: []string{"Which port?", "日本", "中国"}}, "n |  | q which-port item item-2 | "},
		{"open what is open", "n |  | q | ", bundle.Short{Open: []string{"The q", "New", "New"}}, "n |  | q new | "},
		{"answer", "n |  | q r s | ", bundle.Short{Answer: []string{"s", "q"}}, "n |  | r | "},
		{"answer and ask anew", "n |  | q | ", bundle.Short{Answer: []string{"q"}, Open: []string{"Q"}}, "n |  | q-2 | "},
		{"park what is next: the road goes on", "n | a b |  | p", bundle.Short{Park: []string{"n"}}, "a | b |  | p n"},
		{"park all of the road", "n | a |  | ", bundle.Short{Park: []string{"n", "a"}}, "- |  |  | n a"},
		{"park from the route and from open", "n | a b | q | ", bundle.Short{Park: []string{"a", "q"}}, "n | b |  | a q"},
		{"park what is next for something new", "n | a |  | ", bundle.Short{Park: []string{"n"}, Next: ptr("New")}, "new | a |  | n"},
		{"parking a question leaves nothing next as it is", "- | a | q | ", bundle.Short{Park: []string{"q"}}, "- | a |  | q"},
		{"done, and the head of the route is parked", "n | a b |  | ", bundle.Short{Done: true, Park: []string{"a"}}, "b |  |  | a"},
		{"resume", "n | a |  | p r", bundle.Short{Resume: []string{"r"}}, "r | n a |  | p"},
		{"resume when done", "n | a |  | p", bundle.Short{Resume: []string{"p"}, Done: true}, "p | a |  | "},
		{"resume several in the order given", "n | a |  | p r", bundle.Short{Resume: []string{"r", "p"}}, "r | p n a |  | "},
		{"resume behind a named next", "n | a |  | p", bundle.Short{Resume: []string{"p"}, Next: ptr("New")}, "new | p n a |  | "},
		{"swap: park and resume", "n | a |  | p", bundle.Short{Resume: []string{"p"}, Park: []string{"n"}}, "p | a |  | n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := healthy(t)
			before.Rail = rail(c.before)
			p, err := bundle.ExpandShort(before, c.short)
			if err != nil {
				t.Fatal(err)
			}
			after, err := p.Apply(before)
			if err != nil || rails(after.Rail) != c.after {
				t.Errorf("got %s, %v, want %s", rails(after.Rail), err, c.after)
			}
			if rails(before.Rail) != c.before {
				t.Errorf("the state before became %s", rails(before.Rail))
			}
		})
	}
}

func TestShortFormsTurnTheCompass(t *testing.T) {
	s := healthy(t)
	p, err := bundle.ExpandShort(s, bundle.Short{HeadingX: ptr(0), HeadingY: ptr(100), Drift: ptr("none"), North: ptr("N"), Return: ptr("")})
	if err != nil {
		t.Fatal(err)
	}
	after, err := p.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	want := healthy(t)
	want.Compass.Heading.X, want.Compass.Heading.Y = 0, 100
	want.Compass.Drift, want.Compass.ReturnPath, want.Rail.North = "none", "", "N"
	if !reflect.DeepEqual(after, want) {
		t.Errorf("got %+v", after)
	}
	p, err = bundle.ExpandShort(s, bundle.Short{Now: ptr("now")})
	if err != nil {
		t.Fatal(err)
	}
	if after, err = p.Apply(s); err != nil || after.Compass.Heading != (bundle.Heading{X: 40, Y: 60, Context: "now"}) {
		t.Errorf("got %+v, %v", after.Compass.Heading, err)
	}
}

func TestShortFormsThatCannotBeMeantAreRefused(t *testing.T) {
	s := healthy(t)
	s.Rail = rail("- | a | q | p")
	for _, c := range []struct {
		short bundle.Short
		field string
	}{
		{bundle.Short{Done: true}, "done"},
		{bundle.Short{Answer: []string{"a"}}, "answer"},
		{bundle.Short{Answer: []string{"q", "q"}}, "answer"},
		{bundle.Short{Park: []string{"p"}}, "park"},
		{bundle.Short{Park: []string{""}}, "park"},
		{bundle.Short{Resume: []string{"a"}}, "resume"},
		{bundle.Short{Resume: []string{"p"}, Park: []string{"p"}}, "park"},
		{bundle.Short{HeadingX: ptr(100)}, "heading"},
		{bundle.Short{HeadingY: ptr(100)}, "heading"},
		{bundle.Short{HeadingX: ptr(45), HeadingY: ptr(55)}, "compass.heading.coordinate"},
		{bundle.Short{Next: ptr(" ")}, "rail.next.summary"},
		{bundle.Short{Open: []string{""}}, "rail.open[1].summary"},
		{bundle.Short{North: ptr(strings.Repeat("a", 2001))}, "rail.north"},
		{bundle.Short{Drift: ptr("\xff")}, "compass.drift"},
	} {
		p, err := bundle.ExpandShort(s, c.short)
		refused(t, err, c.field)
		if !p.Empty() {
			t.Errorf("%s: a patch beside the refusal", c.field)
		}
	}
}

func TestAnUnknownIDIsAnsweredWithTheKnownOnes(t *testing.T) {
	s := healthy(t)
	s.Rail = rail("n | a | q r | ")
	for want, short := range map[string]bundle.Short{
		`answer is "x": no open item has this id; there are "q", "r"`:                        {Answer: []string{"x"}},
		`park is "x": no next, route or open item has this id; there are "n", "a", "q", "r"`: {Park: []string{"x"}},
		`resume is "x": no parked item has this id; there is none`:                           {Resume: []string{"x"}},
	} {
		if _, err := bundle.ExpandShort(s, short); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for i := range 200 {
		s.Rail.Parked = append(s.Rail.Parked, bundle.Item{ID: fmt.Sprint("p", i), Summary: "a"})
	}
	_, err := bundle.ExpandShort(s, bundle.Short{Resume: []string{strings.Repeat("x\n", 500)}})
	refused(t, err, "resume")
	if !strings.HasSuffix(err.Error(), `"p11" and 188 more`) {
		t.Error(err)
	}
}

func TestAShortFormNamesItsFieldsBeforeItIsExpanded(t *testing.T) {
	for _, c := range []struct {
		short bundle.Short
		want  string
	}{
		{bundle.Short{}, "[]"},
		{bundle.Short{North: ptr("")}, "[rail.north]"},
		{bundle.Short{Done: true}, "[rail.next rail.route]"},
		{bundle.Short{Next: ptr("")}, "[rail.next rail.route]"},
		{bundle.Short{Open: []string{""}}, "[rail.open]"},
		{bundle.Short{Answer: []string{""}}, "[rail.open]"},
		{bundle.Short{Park: []string{""}}, "[rail.next rail.open rail.parked rail.route]"},
		{bundle.Short{Resume: []string{""}}, "[rail.next rail.parked rail.route]"},
		{bundle.Short{HeadingX: ptr(0)}, "[compass.heading]"},
		{bundle.Short{Now: ptr(""), Drift: ptr(""), Return: ptr("")}, "[compass.drift compass.heading compass.return_path]"},
	} {
		if got := fmt.Sprint(c.short.Fields()); got != c.want || c.short.Empty() != (c.want == "[]") {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestWhatAShortFormDoesNotNameStaysAndNoItemIsLostUnsaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := anyState().Draw(t, "before")
		var short bundle.Short
		some := func(label string, items []bundle.Item) (ids []string) {
			for _, item := range items {
				if rapid.Bool().Draw(t, label) {
					ids = append(ids, item.ID)
				}
			}
			return ids
		}
		short.Done = before.Rail.Next != nil && rapid.Bool().Draw(t, "done")
		short.Answer = some("answer", before.Rail.Open)
		short.Resume = some("resume", before.Rail.Parked)
		short.Park = some("park", before.Rail.Route)
		if rapid.Bool().Draw(t, "next") {
			short.Next = ptr(visibleText().Draw(t, "text"))
		}
		short.Open = rapid.SliceOfN(visibleText(), 0, 3).Draw(t, "open")
		p, err := bundle.ExpandShort(before, short)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Fields() {
			if !slices.Contains(short.Fields(), f) {
				t.Fatalf("the patch names %s, the short form only %v", f, short.Fields())
			}
		}
		after, err := p.Apply(before)
		if err != nil {
			t.Fatal(err)
		}
		gone := slices.Clone(short.Answer)
		if short.Done {
			gone = append(gone, before.Rail.Next.ID)
		}
		for id, summary := range itemsOf(before.Rail) {
			if kept := itemsOf(after.Rail)[id] == summary; kept == slices.Contains(gone, id) {
				t.Fatalf("%q stayed: %v, of %v gone", id, kept, gone)
			}
		}
	})
}

func itemsOf(r bundle.Rail) map[string]string {
	items := map[string]string{}
	if r.Next != nil {
		items[r.Next.ID] = r.Next.Summary
	}
	for _, item := range slices.Concat(r.Route, r.Open, r.Parked) {
		items[item.ID] = item.Summary
	}
	return items
}

func TestSlugsAreShortReadableASCII(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the flaky CI":                "fix-the-flaky-ci",
		"  --Which port?!  8080 ":         "which-port-8080",
		"Größe ändern: Ærø, Łódź, Straße": "groesse-aendern-aeroe-lodz",
		"日本語":                             "",
		"":                                "",
		"naïve → done 🚀":                  "naive-done",
		"A summary that is much longer than it fits": "a-summary-that-is-much-longer",
		strings.Repeat("x", 50):                      strings.Repeat("x", 32),
		"../../etc/passwd\x00":                       "etc-passwd",
		"abcdefghijklmnopqrstuvwxyz012345 6":         "abcdefghijklmnopqrstuvwxyz012345",
	} {
		if got := bundle.Slug(text, 32); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		slug := bundle.Slug(anyText().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "max"))
		if len(slug) > 20 || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" ||
			strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-") || strings.Contains(slug, "--") {
			t.Fatalf("got %q", slug)
		}
	})
}

// Every field of a short form that holds text is a field that Map has to know.
func TestMapReachesEveryTextOfAShortForm(t *testing.T) {
	t.Parallel()
	var short bundle.Short
	form := reflect.ValueOf(&short).Elem()
	n := 0
	for i := range form.NumField() {
		word := "a text"
		switch form.Field(i).Interface().(type) {
		case *string:
			form.Field(i).Set(reflect.ValueOf(&word))
			n++
		case []string:
			form.Field(i).Set(reflect.ValueOf([]string{word, word}))
			n += 2
		}
	}
	seen := 0
	mapped := short.Map(func(s string) string { seen++; return strings.ToUpper(s) })
	if seen != n || n == 0 {
		t.Errorf("%d of %d texts were mapped", seen, n)
	}
	if *mapped.North != "A TEXT" || *short.North != "a text" || mapped.Open[1] != "A TEXT" || short.Open[1] != "a text" {
		t.Errorf("%v became %v", short, mapped)
	}
	if !(bundle.Short{}).Map(strings.ToUpper).Empty() {
		t.Error("the empty form says something now")
	}
}

func TestMapReachesEveryStringOfAStateButTheBearings(t *testing.T) {
	t.Parallel()
	s := bundle.DefaultState()
	s.Compass.Drift, s.Compass.ReturnPath, s.Compass.Heading.Context = "drift", "return", "context"
	s.Rail = bundle.Rail{North: "north", Next: &bundle.Item{"id", "next"}, Route: []bundle.Item{{"r", "route"}}, Open: []bundle.Item{{"o", "open"}}, Parked: []bundle.Item{{"p", "parked"}}}
	mapped := s.Map(strings.ToUpper)
	want := s
	want.Compass.Drift, want.Compass.ReturnPath, want.Compass.Heading.Context = "DRIFT", "RETURN", "CONTEXT"
	want.Rail = bundle.Rail{North: "NORTH", Next: &bundle.Item{"ID", "NEXT"}, Route: []bundle.Item{{"R", "ROUTE"}}, Open: []bundle.Item{{"O", "OPEN"}}, Parked: []bundle.Item{{"P", "PARKED"}}}
	if !reflect.DeepEqual(mapped, want) || s.Rail.Next.ID != "id" || s.Rail.Open[0].ID != "o" {
		t.Errorf("%v became %v", s, mapped)
	}
}
