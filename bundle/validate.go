package bundle

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Validate checks the rules of a Compass and returns a *RuleError for the
// first that is broken.
func (c Compass) Validate() error {
	for _, d := range directions {
		if err := checkString("compass.bearings."+d.name+".definition", *d.definition(&c.Bearings)); err != nil {
			return err
		}
	}
	if err := c.Heading.check("compass.heading"); err != nil {
		return err
	}
	if err := checkString("compass.drift", c.Drift); err != nil {
		return err
	}
	if err := checkString("compass.return_path", c.ReturnPath); err != nil {
		return err
	}
	if mostCompass(c) <= MaxFile {
		return nil
	}
	return checkFile("compass", len(appendCompassYAML(nil, c)))
}

// Validate checks the rules of a Rail and returns a *RuleError for the first
// that is broken.
func (r Rail) Validate() error {
	if err := checkString("rail.north", r.North); err != nil {
		return err
	}
	places := make(map[string]place, 1+len(r.Route)+len(r.Open)+len(r.Parked)) // by id
	if r.Next != nil {
		if err := r.Next.check(place{"rail.next", -1}, places); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		path  string
		items []Item
	}{{"rail.route", r.Route}, {"rail.open", r.Open}, {"rail.parked", r.Parked}} {
		if len(list.items) > MaxList {
			return tooLong(list.path, len(list.items))
		}
		for i, item := range list.items {
			if err := item.check(place{list.path, i}, places); err != nil {
				return err
			}
		}
	}
	if mostRail(r) <= MaxFile {
		return nil
	}
	return checkFile("rail", len(appendRailYAML(nil, r)))
}

// Validate checks the rules of both truths and returns a *RuleError for the
// first that is broken.
func (s State) Validate() error {
	if err := s.Compass.Validate(); err != nil {
		return err
	}
	return s.Rail.Validate()
}

func (h Heading) check(path string) error {
	if h.X%10 != 0 || h.Y%10 != 0 || abs(h.X)+abs(h.Y) != 100 {
		return &RuleError{Field: path + ".coordinate", Value: fmt.Sprintf("[%d, %d]", h.X, h.Y),
			Rule: "must be multiples of ten whose absolute values add up to 100"}
	}
	return checkString(path+".context", h.Context)
}

// place is where an item stands. Its name is made where something is wrong with it.
type place struct {
	list string
	n    int // below 0 where it is no list
}

func (p place) String() string {
	if p.n < 0 {
		return p.list
	}
	return fmt.Sprintf("%s[%d]", p.list, p.n)
}

// check adds the item's id to places, where it must not stand yet.
func (i Item) check(at place, places map[string]place) error {
	for _, part := range [...]struct{ key, text string }{{".id", i.ID}, {".summary", i.Summary}} {
		if unfitString(part.text) {
			return checkString(at.String()+part.key, part.text)
		}
		if strings.TrimSpace(part.text) == "" {
			return &RuleError{Field: at.String() + part.key, Value: quote(part.text), Rule: "must not be empty"}
		}
	}
	if other, twice := places[i.ID]; twice {
		return &RuleError{Field: at.String() + ".id", Value: quote(i.ID), Rule: "must stand once in the Rail, and is also at " + other.String()}
	}
	places[i.ID] = at
	return nil
}

// unfitString tells whether checkString refuses s.
func unfitString(s string) bool { return checkString("", s) != nil }

func checkString(path, s string) error {
	if !utf8.ValidString(s) {
		return &RuleError{Field: path, Value: quote(s), Rule: "must be valid UTF-8"}
	}
	if len(s) <= MaxString {
		return nil
	}
	if n := utf8.RuneCountInString(s); n > MaxString {
		return &RuleError{Field: path, Value: fmt.Sprintf("%d characters long", n),
			Rule: fmt.Sprintf("must hold at most %d: a summary, not a transcript", MaxString)}
	}
	return nil
}

// What a file holds beside the texts, and how long a text may get: a byte
// becomes six where it is written as \u0001, and there are two quotes.
const (
	mostFrame = 1 << 10
	mostItem  = 64
	mostText  = 6
)

// mostCompass and mostRail are bounds of the length of a file that cost less than
// writing it: nearly all are far below what a file may hold.
func mostCompass(c Compass) int {
	n := len(c.Heading.Context) + len(c.Drift) + len(c.ReturnPath)
	for _, d := range directions {
		n += len(*d.definition(&c.Bearings))
	}
	return mostFrame + mostText*n
}

func mostRail(r Rail) int {
	n, items := len(r.North), 0
	if r.Next != nil {
		n, items = n+len(r.Next.ID)+len(r.Next.Summary), 1
	}
	for _, list := range [][]Item{r.Route, r.Open, r.Parked} {
		items += len(list)
		for _, item := range list {
			n += len(item.ID) + len(item.Summary)
		}
	}
	return mostFrame + mostItem*items + mostText*n
}

func checkFile(path string, size int) error {
	if size > MaxFile {
		return &RuleError{Field: path, Value: fmt.Sprintf("%d bytes long", size),
			Rule: fmt.Sprintf("must be written in at most %d bytes", MaxFile)}
	}
	return nil
}

func tooLong(path string, n int) *RuleError {
	return &RuleError{Field: path, Value: fmt.Sprintf("%d items long", n),
		Rule: fmt.Sprintf("must hold at most %d items", MaxList)}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
