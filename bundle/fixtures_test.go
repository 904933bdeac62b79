package bundle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

const fixtures = "../testdata"

func fixture(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{fixtures}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fixtureLines are the complete lines of a fixture's history.
func fixtureLines(t testing.TB, name string) [][]byte {
	t.Helper()
	data := fixture(t, "bundles", name, bundle.EventsFile)
	lines := bytes.SplitAfter(data, []byte("\n"))
	return lines[:len(lines)-1]
}

// fixtureFiles are all files of that name among the fixtures.
func fixtureFiles(t testing.TB, name string) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(fixtures, "bundles", "*", name))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixture called %s: %v", name, err)
	}
	var files [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	return files
}

// healthy is the state at the end of the healthy fixture.
func healthy(t testing.TB) bundle.State {
	t.Helper()
	c, err := bundle.DecodeCompass(fixture(t, "bundles", "healthy", bundle.CompassFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bundle.DecodeRail(fixture(t, "bundles", "healthy", bundle.RailFile))
	if err != nil {
		t.Fatal(err)
	}
	return bundle.State{Compass: c, Rail: r}
}

// awkward are pieces of text that a writer of YAML may trip over.
var awkward = []string{
	"", " ", "\t", "\n", "\r", "\r\n", "\x00", "\x07", "\x1b[31m", "\x7f", "\u0085", "\u00a0", "\u00ad",
	"\u1680", "\u2003", "\u200b", "\u200d", "\u202e", "\u2028", "\u2029", "\u3000", "\ufeff", "\ufffd", "\ufffe", "\uffff",
	"\U0001f9ed", "\U0001fffe", "\U0010ffff", "\U000e0041", "é", "日本", "\ue000", "\ufdd0",
	"null", "Null", "~", "true", "False", "yes", "No", "ON", "off", "y", "N", "1", "-1", "+1", "0", "-0", "007", "0x1f", "0o17",
	"0b11", "1_000", "1.0", ".5", "1e3", ".inf", "-.Inf", ".nan", "12:30", "12:30:45", "2001-01-01",
	"2001-12-14t21:59:43.10-05:00", "<<", "=", "-", "- a", "--", "---", "...", "?", "? a", ":", ": ", "a: b", "a:", " #", "# a", "a #b",
	"&a", "*a", "!", "!!str a", "|", ">", "'", "\"", "\\", "%", "%YAML", "@", "`", "[", "]", "{", "}", ",", "[]", "{}",
	"a", "word", "some more words", "trailing ", " leading", "x\n  y", "schema: 1",
}

// anyText draws texts of every kind, seldom long.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(awkward),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(awkward), 1, 5), func(parts []string) string { return strings.Join(parts, "") }),
		rapid.StringN(0, 20, -1),
	)
}

// visibleText is anyText that can stand in an item.
func visibleText() *rapid.Generator[string] {
	return anyText().Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

func anyHeading() *rapid.Generator[bundle.Heading] {
	return rapid.Custom(func(t *rapid.T) bundle.Heading {
		x := rapid.IntRange(-10, 10).Draw(t, "x") * 10
		y := 100 - max(x, -x)
		if rapid.Bool().Draw(t, "south") {
			y = -y
		}
		return bundle.Heading{X: x, Y: y, Context: anyText().Draw(t, "context")}
	})
}

// anyState draws states that obey every rule.
func anyState() *rapid.Generator[bundle.State] {
	return rapid.Custom(func(t *rapid.T) bundle.State {
		s := bundle.DefaultState()
		s.Compass.Heading = anyHeading().Draw(t, "heading")
		s.Compass.Drift = anyText().Draw(t, "drift")
		s.Compass.ReturnPath = anyText().Draw(t, "return path")
		s.Rail.North = anyText().Draw(t, "north")
		ids := rapid.SliceOfNDistinct(visibleText(), 0, 8, rapid.ID).Draw(t, "ids")
		for _, id := range ids {
			item := bundle.Item{ID: id, Summary: visibleText().Draw(t, "summary")}
			switch rapid.IntRange(0, 3).Draw(t, "place") {
			case 0:
				if s.Rail.Next == nil {
					s.Rail.Next = &item
				}
			case 1:
				s.Rail.Route = append(s.Rail.Route, item)
			case 2:
				s.Rail.Open = append(s.Rail.Open, item)
			case 3:
				s.Rail.Parked = append(s.Rail.Parked, item)
			}
		}
		return s
	})
}

// refused fails the test unless err is a *RuleError for the field.
func refused(t testing.TB, err error, field string) {
	t.Helper()
	rule, ok := err.(*bundle.RuleError)
	if !ok {
		t.Fatalf("got %v, want a refusal of %s", err, field)
	}
	if rule.Field != field {
		t.Fatalf("refused %q, want a refusal of %s", rule.Error(), field)
	}
	if strings.Contains(rule.Error(), "\n") || len(rule.Error()) > 1000 {
		t.Fatalf("the refusal is not one bounded line: %q", rule.Error())
	}
}
