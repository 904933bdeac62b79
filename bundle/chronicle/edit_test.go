package chronicle_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

// parts are keys of a hand-written front matter, each with its lines.
var parts = []struct{ key, text string }{
	{"title", "title: \"A 'title'\"   # why\n"},
	{"date", "date:   2026-11-30\n"},
	{"summary", "summary: |\n  text\n  # no comment\n\n"},
	{"summary", "'summary': >-\n  folded\n\n  text\n\n"},
	{"tags", "tags:\n- a\n-   b # second\n"},
	{"tags", "tags: [a,\n  b,   # odd\nc]\n"},
	{"task", "task: \"3f9a\n  1c0b\"\n"},
	{"by", "by: plain text\n  over two lines\n"},
	{"spec", "spec: &ref docs/a.md\n"},
	{"effort", "effort:\n"},
	{"closed_by", "closed_by: ~ # not yet\n"},
	{"stat", "stat: {a: 1, f: 2,   d: 3}\n"},
	{"hash", "hash: abcdef1\n"},
	{"", "# a comment\n"}, {"", "\n"},
	{"x", "x:\n  deep:\n    - 'quoted': [1, 2]\n    # inside\n"},
	{"y", "\"y\" : !custom {a: *never}\n"},
	{"z", "z: !!str 12\n"},
	{"when", "when: 2026-11-30 14:05:09\n"},
}

// handWritten draws front matter, and the lines that belong to each key.
func handWritten(t *rapid.T) (head string, of map[string]string) {
	of = map[string]string{}
	for _, i := range rapid.Permutation(indices(len(parts))).Draw(t, "order")[:rapid.IntRange(0, len(parts)).Draw(t, "size")] {
		p := parts[i]
		if of[p.key] != "" && p.key != "" || strings.Contains(p.text, "*never") {
			continue
		}
		of[p.key] += p.text
		head += p.text
	}
	return head, of
}

func indices(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// anyMeta changes some keys of a value.
func anyMeta(t *rapid.T, m chronicle.Meta) (after chronicle.Meta, touched []string) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "plain", "a: b", "a #b", "- x", "null", "2026-11-30", "12", "0x1f", "1e9", "yes", "\"", "'", "\\", "*a", "&a", "!x", "{", "[", "é", "\u2028", "\ufeff", "a\nb", "a\r\n", "\t", " x "}), anyText())
	texts := rapid.SliceOfN(text, 0, 4)
	for _, f := range []struct {
		key  string
		into *string
	}{{"title", &m.Title}, {"summary", &m.Summary}, {"task", &m.Task}, {"by", &m.By}, {"spec", &m.Spec}, {"effort", &m.Effort}, {"closed_by", &m.ClosedBy}} {
		if rapid.Bool().Draw(t, f.key) {
			*f.into = text.Draw(t, f.key)
			touched = append(touched, f.key)
		}
	}
	for _, f := range []struct {
		key  string
		into *[]string
	}{{"tags", &m.Tags}, {"closes", &m.Closes}, {"advances", &m.Advances}} {
		if rapid.Bool().Draw(t, f.key) {
			*f.into = texts.Draw(t, f.key)
			touched = append(touched, f.key)
		}
	}
	return m, touched
}

func TestAnEditChangesTheLinesOfItsKeysAndNoOtherByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, of := handWritten(t)
		rest := anyText().Draw(t, "body")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line break")
		bom := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom")
		crlf := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
		note := []byte(bom + crlf("---\n"+head+"---\n") + rest)
		n := chronicle.Read(note)
		if n.Broken != nil {
			t.Fatalf("%q: %v", note, n.Broken)
		}
		after, touched := anyMeta(t, n.Meta)
		edited, err := chronicle.Update(note, after)
		if err != nil {
			t.Fatalf("%q: %v", note, err)
		}
		got := chronicle.Read(edited)
		if got.Broken != nil || string(got.Body) != rest {
			t.Fatalf("%q: %v, body %q", edited, got.Broken, got.Body)
		}
		if !sameMeta(got.Meta, after) {
			t.Fatalf("%q became %q:\n%+v\nwant\n%+v", note, edited, got.Meta, after)
		}
		if again, err := chronicle.Update(edited, after); err != nil || !bytes.Equal(again, edited) {
			t.Fatalf("%q is no change and became %q: %v", edited, again, err)
		}
		// What is left without the lines of the touched keys stands in the edited
		// note, in the same order.
		at := 0
		for _, line := range strings.SplitAfter(crlf(head), "\n") {
			if isOf(line, touched, of, crlf) {
				continue
			}
			i := bytes.Index(edited[at:], []byte(line))
			if i < 0 {
				t.Fatalf("editing %v of %q lost the line %q: %q", touched, note, line, edited)
			}
			at += i + len(line)
		}
		if !bytes.HasPrefix(edited, []byte(bom+crlf("---\n"))) {
			t.Fatalf("%q lost its start: %q", note, edited)
		}
	})
}

func isOf(line string, keys []string, of map[string]string, crlf func(string) string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(crlf(of[key]), line) })
}

// sameMeta compares what can be told apart in writing: an empty list and none
// are the same.
func sameMeta(a, b chronicle.Meta) bool {
	for _, m := range []*chronicle.Meta{&a, &b} {
		for _, items := range []*[]string{&m.Tags, &m.Closes, &m.Advances, &m.Hashes} {
			if len(*items) == 0 {
				*items = nil
			}
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestTheCommentBehindAnEditedValueStays(t *testing.T) {
	note := []byte("---\n# head\ntitle: \"old\"   # why\ntags: [a]  # which\n# tail\n---\n")
	got, err := chronicle.Update(note, chronicle.Meta{Title: "new: title", Tags: []string{"a", "b, c"}})
	if want := "---\n# head\ntitle: \"new: title\"   # why\ntags: [a, \"b, c\"]  # which\n# tail\n---\n"; err != nil || string(got) != want {
		t.Errorf("got\n%s%v", got, err)
	}
}

func TestACommentBelowAnEditedValueStays(t *testing.T) {
	note := []byte("---\ntags:\n  - a\n  # indented\n# not\n\nsummary: |\n  b\n  # text\n# not\n---\n")
	got, err := chronicle.Update(note, chronicle.Meta{Tags: []string{"c"}, Summary: "d"})
	if want := "---\ntags: [c]\n  # indented\n# not\n\nsummary: d\n# not\n---\n"; err != nil || string(got) != want {
		t.Errorf("got\n%s%v", got, err)
	}
}

func TestANoteWithoutFrontMatterGetsItInFrontOfItsBytes(t *testing.T) {
	for note, want := range map[string]string{
		"# Heading\n":      "---\ntitle: a\n---\n# Heading\n",
		"\ufefftext\r\n":   "\ufeff---\r\ntitle: a\r\n---\r\ntext\r\n",
		"":                 "---\ntitle: a\n---\n",
		"---\n---\nbody\n": "---\ntitle: a\n---\nbody\n",
	} {
		if got, err := chronicle.Update([]byte(note), chronicle.Meta{Title: "a"}); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", note, got, err)
		}
	}
}

func TestAnEditThatWouldReachAnotherKeyIsRefused(t *testing.T) {
	for _, note := range []string{
		"---\ntitle: &t a\nother: *t\n---\n",
		"---\n{title: a}\n---\n",
		"---\nsummary: |+\n  text\ntags: [a]\n\n---\n",
		"---\n? title\n: a\n? other\n: b\n---\n",
	} {
		if got, err := chronicle.Update([]byte(note), chronicle.Meta{Title: "b", Summary: "text\n"}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q became %q, %v", note, got, err)
		}
	}
}

func TestValuesThatFrontMatterCannotHoldAreRefused(t *testing.T) {
	for _, m := range []chronicle.Meta{
		{Title: "a\x00"}, {Summary: "\xff"}, {Tags: []string{"a", "\xff"}}, {Title: strings.Repeat("x", 2001)}, {Tags: make([]string, 1001)},
	} {
		if got, err := chronicle.Update(nil, m); err == nil {
			t.Errorf("wrote %.100q", got)
		}
	}
}
