package bundle_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

func TestHeadingsReadAloud(t *testing.T) {
	for want, h := range map[string]bundle.Heading{
		"100% north":          {Y: 100},
		"70% north, 30% east": {X: 30, Y: 70},
		"100% west":           {X: -100},
		"10% south, 90% west": {X: -90, Y: -10},
		"100% east":           {X: 100},
		"no direction":        {},
	} {
		if got := h.Words(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestChangesReadLikeALog(t *testing.T) {
	before, after := healthy(t), healthy(t)
	before.Compass.Heading.X, before.Compass.Heading.Y = 0, 100
	after.Compass.Heading.Context = "now"
	after.Compass.Drift, after.Compass.ReturnPath = "", "back"
	after.Rail = rail("switch | n1 b a | q2 | reader")
	after.Rail.North = "Another\nNorth \x1b[31m\u202e" + strings.Repeat("long ", 50)
	before.Rail.Route = rail("- | a b switch | |").Route
	before.Rail.Open = rail("- | q1 q2 | |").Route
	before.Rail.Open[1].Summary = "old words"
	want := []string{
		"heading: 100% north -> 60% north, 40% east",
		"now: CI fails one run in three; fixing it blocks the reader's review. -> now",
		"drift: 40% east: useful, delays the reader. -> (empty)",
		"return path: Write the streaming reader. -> back",
		"north: Move the importer to streaming reads -> Another North [31mlong long long long long long long long long long lon…",
		"next: Write the streaming reader -> The switch",
		"route: -The switch",
		"route: +The n1",
		"open: -The q1",
		"open: old words -> The q2",
		"parked: +The reader",
	}
	if got := bundle.Changes(before, after); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := bundle.Changes(after, after); len(got) != 0 {
		t.Errorf("nothing changed: %q", got)
	}
	before.Rail, after = rail("- | a b | | "), before
	after.Rail = rail("- | b a | | ")
	if got := bundle.Changes(before, after); !slices.Equal(got, []string{"route: put in another order"}) {
		t.Errorf("got %q", got)
	}
	after.Rail = rail("n | a b | | ")
	if got := bundle.Changes(before, after); !slices.Equal(got, []string{"next: (nothing) -> The n"}) {
		t.Errorf("got %q", got)
	}
	if got := bundle.Changes(after, before); !slices.Equal(got, []string{"next: The n -> (nothing)"}) {
		t.Errorf("got %q", got)
	}
}

func TestEveryChangeIsSaidInBoundedHarmlessLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := anyState().Draw(t, "before"), anyState().Draw(t, "after")
		lines := bundle.Changes(before, after)
		if (len(lines) == 0) != before.Equal(after) {
			t.Fatalf("%d lines, equal %v", len(lines), before.Equal(after))
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > 200 || line != bundle.OneLine(line, 200) {
				t.Fatalf("got %q", line)
			}
		}
	})
}

func TestOneLineIsBoundedVisibleText(t *testing.T) {
	for text, want := range map[string]string{
		" a\r\n\tb\x00\x1b c ":  "a b c",
		"a\u2028b\u0085c":       "a b c",
		"a\u202eb\u2066c\ufeff": "abc",
		"👩\u200d💻":              "👩\u200d💻",
		"\xff":                  "\ufffd",
		"0123456789":            "0123456789",
		"01234567890":           "012345678…",
		"日本語日本語日本語日本語":          "日本語日本語日本語…",
	} {
		if got := bundle.OneLine(text, 10); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
