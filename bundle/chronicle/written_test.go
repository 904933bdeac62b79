package chronicle

import (
	"testing"
	"time"
)

func TestADerivedCheckpointAloneIsNotWritten(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	full := Checkpoint{
		North: "Ship it", Next: "- a list\nof two", InFlight: []Ref{{Title: "Reader", Path: "tasks/reader.md"}}, Branch: "main",
		Changed: []Path{{Path: "a", State: " M"}, {Path: "b\nc", State: "??"}}, Partial: true, Commits: []Uncovered{{ID: "0123456789abcdef", Subject: "x"}},
	}
	empty, err := NewEntry(Meta{Title: "Work"}, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(note []byte, b Block) []byte {
		t.Helper()
		b.Time = at
		out, err := AppendBlock(note, b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	bare := with(empty.Data, Block{ID: "1", State: full.Fingerprint(), Text: full.Text("")})
	for name, c := range map[string]struct {
		note []byte
		want bool
	}{
		"nothing":                {nil, false},
		"no text":                {empty.Data, false},
		"blank text":             {append([]byte(nil), append(empty.Data, " \n\t\r\n"...)...), false},
		"a blank block":          {with(empty.Data, Block{ID: "1", Text: " \n "}), false},
		"a bare checkpoint":      {bare, false},
		"two of them":            {with(bare, Block{ID: "2", State: "s", Text: Checkpoint{}.Block()}), false},
		"by hand":                {append([]byte(nil), append(empty.Data, "\nWhy.\n"...)...), true},
		"by hand, no head":       {[]byte("Why.\n"), true},
		"by hand, under one":     {append([]byte(nil), append(bare, "\nWhy.\n"...)...), true},
		"a block":                {with(empty.Data, Block{ID: "1", Text: "Why."}), true},
		"a block after one":      {with(bare, Block{ID: "2", Text: "Why."}), true},
		"a checkpoint and prose": {with(empty.Data, Block{ID: "1", State: "s", Text: full.Text("Why.")}), true},
		"prose that is a list":   {with(empty.Data, Block{ID: "1", State: "s", Text: full.Text("- why")}), true},
		"blank prose":            {with(empty.Data, Block{ID: "1", State: "s", Text: full.Text(" \n")}), false},
		"what covers commits":    {with(bare, Block{ID: "2", State: "s", Text: full.Text(""), Covers: []string{"abc"}}), true},
		"a block like one":       {with(empty.Data, Block{ID: "1", Text: full.Text("")}), true},
	} {
		if got := Written(c.note); got != c.want {
			t.Errorf("%s: written is %t\n%s", name, got, c.note)
		}
	}
}

// What a derived part looks like is never taken for prose, whatever stands in it.
func FuzzADerivedCheckpointIsNeverProse(f *testing.F) {
	f.Add("north", "- next", "a\nb", "Why.")
	f.Fuzz(func(t *testing.T, north, next, path, words string) {
		c := Checkpoint{North: north, Next: next, Changed: []Path{{Path: path, State: path}}, Operation: next,
			Owed: []Ref{{Title: north, Path: path, By: next}}, Memory: []Obligation{{Name: path, Description: next}}}
		if got := prose(c.Text("")); got != "" {
			t.Fatalf("%q in %q", got, c.Text(""))
		}
		if got := prose(c.Text("x" + words)); got == "" {
			t.Fatalf("no prose in %q", c.Text("x"+words))
		}
	})
}
