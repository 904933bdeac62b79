package chronicle_test

import (
	"reflect"
	"strings"
	"testing"

	"chatrail/bundle/chronicle"
)

func TestAHandWrittenNoteIsReadAsItsWriterMeantIt(t *testing.T) {
	const note = `---
# what this is
title: 'It''s: a # title'   # a comment
date: 2026-11-30
time: 14:05
tags:
  - importer
  - "two words"
summary: >-
  folded
  text
task: 3f9a1c0b7d2e
hashes: [abcdef1, "1234567"]
stat: { f: 3, d: 2, a: 10 }
closes: tasks/a.md, tasks/b.md
mine: {deep: [1, {x: y}]}
...
body
`
	n := chronicle.Read([]byte(note))
	if n.Broken != nil || len(n.Problems) > 0 {
		t.Fatal(n.Broken, n.Problems)
	}
	want := chronicle.Meta{
		Title: "It's: a # title", Date: "2026-11-30", Time: "14:05", Tags: []string{"importer", "two words"}, Summary: "folded text",
		Task: "3f9a1c0b7d2e", Hashes: []string{"abcdef1", "1234567"}, Stat: chronicle.Stat{Files: 3, Added: 10, Deleted: 2},
		Closes: []string{"tasks/a.md", "tasks/b.md"},
	}
	if !reflect.DeepEqual(n.Meta, want) {
		t.Errorf("got  %+v\nwant %+v", n.Meta, want)
	}
	if string(n.Body) != "body\n" {
		t.Errorf("the body is %q", n.Body)
	}
}

func TestANoteIsReadAsFarAsItGoes(t *testing.T) {
	for _, c := range []struct{ name, note, title, body, broken string }{
		{"empty", "", "", "", ""},
		{"no front matter", "# Heading\n", "", "# Heading\n", ""},
		{"a rule is no front matter", "----\ntext", "", "----\ntext", ""},
		{"empty front matter", "---\n---\nbody", "", "body", ""},
		{"a comment alone", "---\n# nothing\n---\nbody", "", "body", ""},
		{"byte order mark", "\ufeff---\ntitle: a\n---\nbody", "a", "body", ""},
		{"CRLF", "---\r\ntitle: a\r\n---\r\nbody\r\n", "a", "body\r\n", ""},
		{"no line break at the end", "---\ntitle: a\n---", "a", "", ""},
		{"blanks behind the rules", "--- \ntitle: a\n---\t\nbody", "a", "body", ""},
		{"braces", "---\n{title: a, date: 2026-11-30}\n---\nbody", "a", "body", ""},
		{"an alias", "---\nx: &t a\ntitle: *t\n---\nbody", "a", "body", ""},
		{"null", "---\ntitle: null\n---\n", "", "", ""},
		{"a number", "---\ntitle: 2026\n---\n", "2026", "", ""},
		{"broken YAML", "---\ntitle: a\nsummary: [x\n---\nbody", "a", "body", "line 3"},
		{"a tab", "---\ntitle: a\n\tx: y\n---\nbody", "a", "body", "line 3"},
		{"no mapping", "---\n- a\n---\nbody", "", "body", "line 2"},
		{"a key twice", "---\ntitle: a\ndate: 2026-11-30\ntitle: b\n---\nbody", "a", "body", "line 4: the key title stands twice"},
		{"no end", "---\ntitle: a\n\ntext\n", "a", "---\ntitle: a\n\ntext\n", "line 1"},
		{"too long", "---\ntitle: a\n" + strings.Repeat("# x\n", 17000) + "---\n", "a", "---\ntitle: a\n" + strings.Repeat("# x\n", 17000) + "---\n", "line 1"},
		{"broken UTF-8", "---\ntitle: a\nx: \xff\n---\nbody", "a", "body", "line 3: invalid UTF-8"},
		{"a NUL", "---\ntitle: a\nx: \x00\n---\nbody", "a", "body", "control characters"},
		{"bytes that are no text", "\x00\xff\n", "", "\x00\xff\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := chronicle.Read([]byte(c.note))
			if n.Title != c.title || string(n.Body) != c.body {
				t.Errorf("got title %q and body %.80q", n.Title, n.Body)
			}
			meta := n.Meta
			meta.Summary = "another"
			_, err := chronicle.Update([]byte(c.note), meta)
			if c.broken == "" {
				if n.Broken != nil {
					t.Fatal(n.Broken)
				}
				return
			}
			if n.Broken == nil || err == nil {
				t.Fatalf("read as %v, edited with %v", n.Broken, err)
			}
			if message := err.Error(); !strings.Contains(message, c.broken) || strings.ContainsAny(message, "\n\x00") {
				t.Errorf("got %q", message)
			}
		})
	}
}

func TestValuesThatMakeNoSenseAreNamedAndPassedOver(t *testing.T) {
	const note = "---\ntitle: [a]\nstatus: soon\ndate: yesterday\nstat: many\ntags: {a: b}\nby: claude\n---\n"
	n := chronicle.Read([]byte(note))
	if n.Broken != nil || n.By != "claude" {
		t.Fatalf("%+v", n)
	}
	var lines []int
	for _, p := range n.Problems {
		lines = append(lines, p.Line)
	}
	if want := []int{2, 3, 5, 6, 4}; !reflect.DeepEqual(lines, want) {
		t.Errorf("problems %v, want lines %v", n.Problems, want)
	}
}
