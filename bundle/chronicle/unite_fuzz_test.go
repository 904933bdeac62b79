package chronicle

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

// words are the lines of the text of a note, inside blocks and outside.
func words(note []byte) map[string]bool {
	lines := map[string]bool{}
	add := func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
				lines[line] = true
			}
		}
	}
	for _, p := range Pieces(note[split(note).body:]) {
		if p.Block != nil {
			add(p.Block.Text)
		} else {
			add(string(p.Raw))
		}
	}
	return lines
}

func FuzzUnite(f *testing.F) {
	const first, last = "<!-- chatrail:block 2026-11-30T14:05:09Z id task=t covers=abcdef1 -->\n", "<!-- chatrail:end id -->\n"
	bodies := []string{"", "free\n", "free", first + "text\n" + last, "\n" + first + "text\r\n" + last + "free\n", first, last, first + last + first + last, strings.Replace(first, "block", "block+", 1) + first + last,
		"---\ntitle: a\n", "...\n", "\ufeff---\r\na: b\r\n---\r\nfree\r\n" + strings.Replace(first, "\n", "\r\n", 1) + "x\r\n" + strings.TrimSpace(last), first + "other\n" + last, first + "<!-- chatrail:end other -->\n" + last,
		strings.Replace(first, "abcdef1", "abcdef2", 1) + "text\n" + last, "<!-- chatrail:block 2026-11-30T14:05:10Z other -->\nopen\n"}
	for i, body := range bodies {
		f.Add([]byte(""), []byte(body), []byte(bodies[(i+5)%len(bodies)]))
		f.Add([]byte("---\n"+heads[i%len(heads)]+"---\n"), []byte("---\n"+heads[i*7%len(heads)]+"---\n"+body), []byte(body))
	}
	for i, head := range heads {
		next := heads[(i+1)%len(heads)]
		f.Add([]byte("---\n"+head+"---\nbody"), []byte("---\n"+next+"---\nbody"), []byte("---\n"+head+next+"---\nbody\n"))
	}
	f.Fuzz(func(t *testing.T, base, a, b []byte) {
		at := time.Unix(1_800_000_000, 0)
		va := Version{Before: base, After: append([]byte{}, a...), Time: at, ID: "a"}
		vb := Version{Before: base, After: append([]byte{}, b...), Time: at.Add(time.Second), ID: "b"}
		u, err := Unite(base, []Version{va, vb})
		if err != nil {
			t.Fatalf("%q and %q on %q: %v", a, b, base, err)
		}
		if other, err := Unite(base, []Version{vb, va}); err != nil || !bytes.Equal(u.Data, other.Data) {
			t.Fatalf("%q and %q on %q: one way %q, the other %q, %v", a, b, base, u.Data, other.Data, err)
		}
		had := words(base)
		stands := map[string]bool{}
		for line := range strings.Lines(strings.TrimPrefix(string(u.Data), "\ufeff")) {
			stands[strings.TrimRight(line, "\r\n")] = true
		}
		for _, note := range [][]byte{a, b} {
			for line := range words(note) {
				if !had[line] && !stands[line] {
					t.Fatalf("%q and %q on %q: the line %q is not in %q", a, b, base, line, u.Data)
				}
			}
		}
		// Both sides did all of it: nothing is left to unite.
		va.After, vb.After = u.Data, u.Data
		if again, err := Unite(base, []Version{va, vb}); err != nil || !bytes.Equal(u.Data, again.Data) || len(again.SetAside) > 0 {
			t.Fatalf("%q and %q on %q: united again %q became %q, %v, %v", a, b, base, u.Data, again.Data, again.SetAside, err)
		}
	})
}

// What is read only in part reads as it would in whole.
func FuzzABodyReadBehindAnotherReadsAsAlone(f *testing.F) {
	const first, last = "<!-- chatrail:block 2026-11-30T14:05:09Z id -->\n", "<!-- chatrail:end id -->\n"
	for _, before := range []string{"", "free\n", "free\n\n", "free", first + last, first, "free\r\n", "\r\n", first + strings.TrimSpace(last)} {
		for _, more := range []string{"", first + "text\n" + last, "\n" + first + last, "\r\n" + first + last + "\n" + first + last, "\n\n" + first + last, last, first + last + "free"} {
			f.Add(before, more)
		}
	}
	f.Fuzz(func(t *testing.T, before, more string) {
		var r reader
		in, alone := r.take([]byte(before+more)), side{data: []byte(before + more), layout: split([]byte(before + more))}
		in.takeBodyAfter(r.take([]byte(before)))
		alone.takeBody()
		if !reflect.DeepEqual(in.keys, alone.keys) || !reflect.DeepEqual(in.pieces, alone.pieces) || in.freeText != alone.freeText {
			t.Fatalf("%q behind %q reads as\n%q %+v\nalone as\n%q %+v", more, before, in.keys, in.pieces, alone.keys, alone.pieces)
		}
	})
}

func FuzzRename(f *testing.F) {
	for _, head := range heads {
		f.Add([]byte("---\n"+head+"---\nbody"), "tasks/a.md", "tasks/b.md")
	}
	f.Add([]byte("---\ncloses: [a, tasks/a.md]\nclosed_by: 'a'\n---\nbody"), "tasks/a.md", "tasks/a-2.md")
	f.Fuzz(func(t *testing.T, note []byte, from, to string) {
		got := Rename(note, map[string]string{from: to})
		before, after := Read(note), Read(got)
		if !bytes.Equal(before.Body, after.Body) || before.Title != after.Title || len(before.Closes) != len(after.Closes) {
			t.Fatalf("%q became %q", note, got)
		}
		if same := Rename(note, map[string]string{from: from}); !bytes.Equal(same, note) {
			t.Fatalf("nothing moved, and %q became %q", note, same)
		}
	})
}
