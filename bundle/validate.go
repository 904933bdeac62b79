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
	return checkFile("compass", len(appendCompassYAML(nil, c)))
}

// Validate checks the rules of a Rail and returns a *RuleError for the first
// that is broken.
func (r Rail) Validate() error {
	if err := checkString("rail.north", r.North); err != nil {
		return err
	}
	places := map[string]string{} // id: where it stands
	if r.Next != nil {
		if err := r.Next.check("rail.next", places); err != nil {
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
			if err := item.check(fmt.Sprintf("%s[%d]", list.path, i), places); err != nil {
				return err
			}
		}
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

// check adds the item's id to places, where it must not stand yet.
func (i Item) check(path string, places map[string]string) error {
	for _, part := range []struct{ path, text string }{{path + ".id", i.ID}, {path + ".summary", i.Summary}} {
		if err := checkString(part.path, part.text); err != nil {
			return err
		}
		if strings.TrimSpace(part.text) == "" {
			return &RuleError{Field: part.path, Value: quote(part.text), Rule: "must not be empty"}
		}
	}
	if other, twice := places[i.ID]; twice {
		return &RuleError{Field: path + ".id", Value: quote(i.ID), Rule: "must stand once in the Rail, and is also at " + other}
	}
	places[i.ID] = path
	return nil
}

func checkString(path, s string) error {
	if !utf8.ValidString(s) {
		return &RuleError{Field: path, Value: quote(s), Rule: "must be valid UTF-8"}
	}
	if n := utf8.RuneCountInString(s); n > MaxString {
		return &RuleError{Field: path, Value: fmt.Sprintf("%d characters long", n),
			Rule: fmt.Sprintf("must hold at most %d: a summary, not a transcript", MaxString)}
	}
	return nil
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
