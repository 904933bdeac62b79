package bundle

import (
	"strings"
	"testing"
)

func TestTheBoundOfAFileIsNeverBelowIt(t *testing.T) {
	for _, s := range []string{"", "y", "\x01", "\u00ad", "\u2028", "\U000e0001", "\"", "\\", "é", "🧭", "a: b", "plain"} {
		for _, n := range []int{0, 1, 7, MaxString, MaxFile} {
			text := strings.Repeat(s, n)
			item := Item{ID: text, Summary: text}
			c := DefaultState().Compass
			c.Heading = Heading{X: -100, Y: -100, Context: text}
			c.Drift, c.ReturnPath = text, text
			for _, d := range directions {
				*d.definition(&c.Bearings) = text
			}
			if most, is := mostCompass(c), len(appendCompassYAML(nil, c)); most < is {
				t.Errorf("%d times %q: a Compass of %d bytes, bound %d", n, s, is, most)
			}
			for _, r := range []Rail{{North: text}, {North: text, Next: &item, Route: []Item{item}, Open: []Item{item, item}, Parked: []Item{item}}} {
				if most, is := mostRail(r), len(appendRailYAML(nil, r)); most < is {
					t.Errorf("%d times %q: a Rail of %d bytes, bound %d", n, s, is, most)
				}
			}
		}
	}
}
