package chronicle_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

// wild are pieces of notes that nobody should write and somebody will.
var wild = []string{
	"---\n", "---\r\n", "---", "...\n", "\n", "\r\n", "free\n", "free", "title: a\n", "title: b # why\r\n", "title: [broken\n", "tags: [a, b]\n", "tags: {a: b}\n",
	"tags:\n- a\n", "{title: c}\n", "hash: abcdef1\n", "hashes: [abcdef12, 1234567]\n", "stat: {f: 1, a: 2, d: 3}\n", "stat: many\n", "status: done\n", "status: [cut]\n", "status: odd\n",
	"mine: &x [1]\n", "yours: *x\n", "mine: |\n  text\n\n", "  indented: 1\n", "\ufeff", "\x00", "\xff\n",
	"<!-- chatrail:block 2026-11-30T14:05:09Z a covers=1,2 -->\n", "<!-- chatrail:end a -->\n", "<!-- chatrail:block+ 2026-11-30T14:05:08Z b -->\r\n", "<!-- chatrail:end+ b -->\r\n",
	"<!-- chatrail:block 2026-11-30T14:05:09Z a covers=2 -->\ntext\n<!-- chatrail:end a -->\n", "---\ntitle: a\n---\n",
}

func TestWhateverPeopleMakeOfANoteItUnitesWithoutLosingALine(t *testing.T) {
	piece := rapid.SampledFrom(wild)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{base: []byte(strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "base"), ""))}
		for range rapid.IntRange(2, 3).Draw(t, "machines") {
			w.knows = append(w.knows, map[int]bool{})
		}
		for range rapid.IntRange(2, 7).Draw(t, "steps") {
			on := rapid.IntRange(0, len(w.knows)-1).Draw(t, "on")
			if rapid.IntRange(0, 3).Draw(t, "merge") == 0 {
				for v := range w.knows[rapid.IntRange(0, len(w.knows)-1).Draw(t, "from")] {
					w.knows[on][v] = true
				}
				continue
			}
			before := w.note(t, w.knows[on]).Data
			cut := rapid.IntRange(0, len(before)).Draw(t, "cut")
			end := rapid.IntRange(cut, len(before)).Draw(t, "end")
			middle := strings.Join(rapid.SliceOfN(piece, 0, 3).Draw(t, "written"), "")
			w.write(t, on, before, bytes.Join([][]byte{before[:cut], []byte(middle), before[end:]}, nil))
		}
		u := w.note(t, w.all())
		if got := w.note(t, w.all()); !bytes.Equal(got.Data, u.Data) {
			t.Fatalf("listed in another order the note is\n%q\nand was\n%q", got.Data, u.Data)
		}
		// What a version wrote stands, if no other version has that one below it.
		stands := lines(string(u.Data))
		for i, v := range w.versions {
			if w.isBelowAny(i) {
				continue
			}
			had := lines(string(v.Before))
			for line := range spoken(v.After) {
				if !had[line] && !stands[line] {
					t.Fatalf("%q\non\n%q\nis missing the line %q in\n%q", v.After, v.Before, line, u.Data)
				}
			}
		}
	})
}

func (w *world) isBelowAny(i int) bool {
	for _, v := range w.versions {
		for _, b := range v.Below {
			if b == i {
				return true
			}
		}
	}
	return false
}

func lines(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), "\ufeff"); strings.TrimSpace(line) != "" {
			all[line] = true
		}
	}
	return all
}

// spoken are the lines of the text of a note, inside blocks and outside.
func spoken(note []byte) map[string]bool {
	text := ""
	for _, p := range chronicle.Pieces(body(note)) {
		if p.Block == nil {
			text += string(p.Raw) + "\n"
		} else {
			text += p.Block.Text + "\n"
		}
	}
	return lines(text)
}
