package bundle_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"chatrail/bundle"
)

func TestLiveFilesOfThePythonToolAreRead(t *testing.T) {
	s := healthy(t)
	want := bundle.Rail{
		North: "Move the importer to streaming reads",
		Next:  &bundle.Item{ID: "reader", Summary: "Write the streaming reader"},
		Route: []bundle.Item{{ID: "switch", Summary: "Switch the importer over"}},
	}
	if !reflect.DeepEqual(s.Rail, want) {
		t.Errorf("got %+v", s.Rail)
	}
	if s.Compass.Heading.X != 40 || s.Compass.Heading.Y != 60 || s.Compass.ReturnPath != "Write the streaming reader." {
		t.Errorf("got %+v", s.Compass)
	}
	if got := s.Compass.Digest(); got != "34cd21c02002dfd5fa401a5f7a2fe10b894ee64eb458467934e9abbcf67c4498" {
		t.Errorf("digest %s", got)
	}
	emoji, err := bundle.DecodeRail(fixture(t, "bundles", "emoji", bundle.RailFile))
	if err != nil || emoji.North != "Ship the 🚀 release / naïve → done" || emoji.Next.Summary != "line\nbreak and tab\t and \"quotes\"" {
		t.Errorf("got %+v, %v", emoji, err)
	}
	_, err = bundle.DecodeCompass(fixture(t, "bundles", "bad-heading", bundle.CompassFile))
	refused(t, err, "compass.heading.coordinate")
}

func TestLiveFilesAreReadableBlockYAML(t *testing.T) {
	s := healthy(t)
	s.Rail.Open = []bundle.Item{{ID: "ci", Summary: "Größe: \"quoted\"\nand a second line"}}
	rail, err := bundle.EncodeRail(s.Rail)
	if err != nil {
		t.Fatal(err)
	}
	if want := `schema: 1
north: Move the importer to streaming reads
next:
  id: reader
  summary: Write the streaming reader
route:
  - id: switch
    summary: Switch the importer over
open:
  - id: ci
    summary: "Größe: \"quoted\"\nand a second line"
parked: []
`; string(rail) != want {
		t.Errorf("got\n%s", rail)
	}
	compass, err := bundle.EncodeCompass(s.Compass)
	if err != nil {
		t.Fatal(err)
	}
	if want := `schema: 1
bearings:
  north:
    coordinate: [0, 100]
    definition: Direct movement toward Rail North.
  east:
    coordinate: [100, 0]
    definition: Useful side work that delays Rail North.
  south:
    coordinate: [0, -100]
    definition: Movement against Rail North or false progress.
  west:
    coordinate: [-100, 0]
    definition: Costly or weak-payoff drift.
heading:
  coordinate: [40, 60]
  context: CI fails one run in three; fixing it blocks the reader's review.
drift: "40% east: useful, delays the reader."
return_path: Write the streaming reader.
`; string(compass) != want {
		t.Errorf("got\n%s", compass)
	}
}

func TestEveryStateSurvivesBeingWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyState().Draw(t, "state")
		compass, err := bundle.EncodeCompass(s.Compass)
		if err != nil {
			t.Fatal(err)
		}
		rail, err := bundle.EncodeRail(s.Rail)
		if err != nil {
			t.Fatal(err)
		}
		c, errC := bundle.DecodeCompass(compass)
		r, errR := bundle.DecodeRail(rail)
		if got := (bundle.State{Compass: c, Rail: r}); errC != nil || errR != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("got %+v, %v, %v from\n%s%s", got, errC, errR, compass, rail)
		}
		c, errC = bundle.CompassFromJSON(s.Compass.JSON())
		r, errR = bundle.RailFromJSON(s.Rail.JSON())
		if got := (bundle.State{Compass: c, Rail: r}); errC != nil || errR != nil || !got.Equal(s) {
			t.Fatalf("got %+v, %v, %v through JSON", got, errC, errR)
		}
		if !s.Compass.WrittenAs(compass) || !s.Rail.WrittenAs(rail) || s.Rail.WrittenAs(append(rail, '\n')) {
			t.Fatal("what was written is not known again")
		}
	})
}

// randomText leans towards what YAML, terminals and line readers trip over.
func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(6) {
		switch rng.IntN(6) {
		case 0:
			b.WriteString(awkward[rng.IntN(len(awkward))])
		case 1:
			b.WriteRune(rune(rng.IntN(0x21)))
		case 2:
			b.WriteRune(rune(rng.IntN(0x100)))
		case 3:
			b.WriteRune(rune(0x2000 + rng.IntN(0x100)))
		case 4:
			if r := rune(rng.IntN(utf8.MaxRune + 1)); utf8.ValidRune(r) {
				b.WriteRune(r)
			}
		case 5:
			const signs = "-?:,[]{}#&*!|>'\"%@` ~=<.0123456789_+eExXoObBtTyYnN"
			b.WriteByte(signs[rng.IntN(len(signs))])
		}
	}
	return b.String()
}

func TestAHundredThousandTextsSurviveYAML(t *testing.T) {
	const texts, inOne = 100_000, 400
	rng := rand.New(rand.NewPCG(20261130, 1))
	for n := 0; n < texts; n += inOne {
		var r bundle.Rail
		for i := range inOne {
			summary := randomText(rng)
			if strings.TrimSpace(summary) == "" {
				summary += "x" + summary // so that blank edges stay
			}
			item := bundle.Item{ID: fmt.Sprint("i", i), Summary: summary}
			if i%2 == 0 {
				r.Route = append(r.Route, item)
			} else {
				r.Open = append(r.Open, item)
			}
		}
		r.North = randomText(rng)
		data, err := bundle.EncodeRail(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bundle.DecodeRail(data)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("%v: wrote %+v, read %+v", err, r, got)
		}
	}
}

// Other programs read the files as well: to a plain YAML decoder, every string
// has to be a string.
func TestAnotherYAMLReaderSeesTheSameTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyState().Draw(t, "state")
		data, err := bundle.EncodeRail(s.Rail)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			North  any
			Parked []struct{ ID, Summary any }
		}
		if err := yaml.Unmarshal(data, &got); err != nil || got.North != s.Rail.North || len(got.Parked) != len(s.Rail.Parked) {
			t.Fatalf("got %#v, %v from\n%s", got, err, data)
		}
		for i, item := range s.Rail.Parked {
			if got.Parked[i].ID != item.ID || got.Parked[i].Summary != item.Summary {
				t.Fatalf("got %#v, want %#v", got.Parked[i], item)
			}
		}
	})
}

func TestTextsThatOtherReadersMistakeAreQuoted(t *testing.T) {
	for _, s := range []string{"null", "NULL", "~", "yes", "No", "on", "y", "true", "1_000", "2001-01-01", "12:30:45",
		"", " a", "a ", "\u3000a", "a\u3000", "a\u00a0", "a\tb", "a\nb", "a\u2028b", "a: b", "a #b", "a:", "- a", "é\u0085"} {
		data, err := bundle.EncodeRail(bundle.Rail{North: s})
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(data), "\n")[1]; !strings.HasPrefix(line, `north: "`) {
			t.Errorf("%q is written %s", s, line)
		}
	}
	for _, s := range []string{"a", "Größe", "日本語 の", "yes please", "a-b/c.d:e#f", "it's \"fine\" [really] {so}, ok", "nullable", "a, b"} {
		data, err := bundle.EncodeRail(bundle.Rail{North: s})
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(data), "\n")[1]; line != "north: "+s {
			t.Errorf("%q is written %s", s, line)
		}
	}
}

func TestSizesAreBounded(t *testing.T) {
	items := func(n int, summary string) (list []bundle.Item) {
		for i := range n {
			list = append(list, bundle.Item{ID: fmt.Sprint(i), Summary: summary})
		}
		return list
	}
	for field, r := range map[string]bundle.Rail{
		"":                     {North: strings.Repeat("🧭", bundle.MaxString), Route: items(bundle.MaxList, "a")},
		"rail.north":           {North: strings.Repeat("a", bundle.MaxString+1)},
		"rail.route":           {Route: items(bundle.MaxList+1, "a")},
		"rail.open[0].summary": {Open: items(1, strings.Repeat("é", bundle.MaxString+1))},
		"rail":                 {Parked: items(40, strings.Repeat("a", bundle.MaxString))},
	} {
		_, err := bundle.EncodeRail(r)
		if field == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		refused(t, err, field)
		refused(t, r.Validate(), field)
		_, err = bundle.RailFromJSON(r.JSON())
		refused(t, err, field)
	}
	_, err := bundle.DecodeRail(append(railYAML("a"), strings.Repeat("#", bundle.MaxFile)...))
	refused(t, err, "rail")
}

func TestTextThatIsNoUTF8IsRefused(t *testing.T) {
	for _, s := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xed\xa0\xbd\xed\xba\x80", "\xc0\x80"} {
		_, err := bundle.EncodeRail(bundle.Rail{North: s})
		refused(t, err, "rail.north")
		c := bundle.DefaultState().Compass
		c.Heading.Context = s
		_, err = bundle.EncodeCompass(c)
		refused(t, err, "compass.heading.context")
		if c.Digest() == "" || !utf8.Valid(c.JSON()) {
			t.Errorf("%q has no digest", s)
		}
	}
}

func TestEmptyTextsAreAllowedOutsideItems(t *testing.T) {
	c := bundle.DefaultState().Compass
	c.Heading.Context, c.Drift, c.ReturnPath = "", "", ""
	if _, err := bundle.EncodeCompass(c); err != nil {
		t.Error(err)
	}
	if _, err := bundle.EncodeRail(bundle.Rail{}); err != nil {
		t.Error(err)
	}
}
