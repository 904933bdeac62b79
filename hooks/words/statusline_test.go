package words

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAStatusLineKeepsToItsWidthAndNamesWhatIsOpen(t *testing.T) {
	for _, c := range []struct {
		north, heading string
		open, width    int
		want           string
	}{
		{"", "100% north", 3, 0, ""},
		{"Ship it", "", 0, 0, "N Ship it"},
		{"Ship it", "70% north, 30% east", 2, 0, "N Ship it · 70% north 30% east · 2 open"},
		{"Move the importer to streaming reads", "70% north, 30% east", 2, 48, "N Move the import… · 70% north 30% east · 2 open"},
		{"Move the importer to streaming reads", "70% north, 30% east", 2, 30, "N Move the importer… · 2 open"},
		{"a\x1b[31mb\nc", "", 0, 0, "N a [31mb c"},
		{"読み取りをストリームに移す", "100% north", 1, 24, "N 読み取りをス… · 1 open"},
	} {
		got := StatusLine(c.north, c.heading, c.open, c.width)
		if got != c.want {
			t.Errorf("%q: %q, not %q", c.north, got, c.want)
		}
	}
}

func FuzzAStatusLineIsOneHarmlessLine(f *testing.F) {
	f.Add("North \u202e<x>", "70% north, 30% east", 3, 40)
	f.Add("読み取り", "", 0, 3)
	f.Fuzz(func(t *testing.T, north, heading string, open, width int) {
		line := StatusLine(north, heading, open, width)
		limit := lineWidth
		if width > 0 {
			limit = min(width, maxLineWidth)
		}
		if columns(line) > limit {
			t.Errorf("%d columns of %d: %q", columns(line), limit, line)
		}
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
			t.Errorf("not harmless: %q", line)
		}
	})
}
