package chronicle

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var heads = []string{
	"", "\n", "# c\n", "title: a\n", "title: a # b\ntags: [a, 'b c', \"d\"]\nstat: {f: 1, a: 2, d: 3}\n", "a: [ ]\nb: {}\n", "a:b\n", "a: b: c\n",
	"a: 'it''s'\n", "a: \"\\n\"\n", "a: null\n", "a: ~\n", "a:\n", "a: \n", "a: b\n  c\n", "a: |\n  b\n", "- a\n", "a: b\na: c\n", "a: [b, ]\n", "a: [b,,c]\n",
	"a: [b c, d#e, f #g]\n", "a: [A?]\n", "a: {b: c: d}\n", "a: {b:c}\n", "a: 'b'#c\n", "a: b#c\n", "a: ...\n", "a: /x:/y\n", "a: (b)\n", "a: \u0085\n", "a: \ufeff\n", "a: é\n",
	"a: b\r\nc: d\r\n", "a: b\rc: d\n", "a: =\n", "<<: {a: b}\n", "y: n\n", "a: 0x1f\n", "a: 1_000\n", "a: .inf\n", "a: 2026-11-30\n", "a: b\t\n", "a: b \n", "a: [b] c\n", "a : b\n",
	"a: &x b\nc: *x\n", "a: !!binary aGk=\n", "%YAML 1.1\n", "\"a\": b\n", "? a\n: b\n", "{a: b}\n", "a: 'b\n  c'\n", "a: -\n", "a: [-]\n", "a: [-, b]\n", "a: [.]\n", "a: _\n",
}

// What the quick reader takes, YAML reads in the same way: otherwise a list
// would say something else than an edit sees.
func FuzzTheQuickReaderAgreesWithYAML(f *testing.F) {
	for _, head := range heads {
		f.Add(head)
	}
	// YAML takes no longer key; between brackets it takes any.
	for _, size := range []int{128, 129, 1023, 1024, 1025, 4096} {
		key := strings.Repeat("k", size)
		f.Add(key + ": a\n")
		f.Add("a: {" + key + ": b}\n")
		f.Add("a: [" + key + "]\n")
		f.Add("a: " + key + "\n")
		f.Add("a: ['" + key + "', \"" + key + "\"]\nb: '" + key + "'\n")
	}
	f.Fuzz(func(t *testing.T, head string) {
		quick, ok := scanHead([]byte(head))
		if !ok {
			return
		}
		slow, err := readHead([]byte(head))
		if err != nil {
			t.Fatalf("%q is read as %+v and refused by YAML: %v", head, quick, err)
		}
		if len(quick)+len(slow) > 0 && !reflect.DeepEqual(quick, slow) {
			t.Fatalf("%q is read as\n%+v, by YAML as\n%+v", head, quick, slow)
		}
	})
}

// What we write is what the quick reader takes, so that lists stay quick.
func TestOurOwnNotesAreReadQuickly(t *testing.T) {
	meta := Meta{Title: "Über: a # title", Tags: []string{"a b", "c/d"}, Summary: "plain text, with commas", Hashes: []string{"0123456789", "abcdef1"},
		Closes: []string{"tasks/a.md"}, Date: "2026-11-30", Time: "14:05:09.25Z", Task: "3f9a1c0b7d2e", Status: Doing, Moved: "2026-11-30T14:05:09.25Z"}
	note, err := Update(nil, meta)
	if err != nil {
		t.Fatal(err)
	}
	l := split(note)
	if _, ok := scanHead(note[l.head:l.headEnd]); !ok {
		t.Errorf("this needs the YAML reader:\n%s", note)
	}
	if got := Read(note).Meta; !reflect.DeepEqual(got, meta) {
		t.Errorf("got  %+v\nwant %+v", got, meta)
	}
	for _, plain := range []string{"date: 2026-11-30\n", "time: 14:05:09.25Z\n", "moved: 2026-11-30T14:05:09.25Z\n", "stat: {f: 0, a: 0, d: 0}\n"} {
		if !strings.Contains(string(note), plain) {
			t.Errorf("no %q in\n%s", plain, note)
		}
	}
}

func FuzzReadAndEdit(f *testing.F) {
	for _, head := range heads {
		f.Add([]byte("---\n"+head+"---\nbody"), "title", "a\nb")
	}
	f.Add([]byte("\ufeff---\r\ntitle: a\r\n..."), "tag", ": #")
	f.Fuzz(func(t *testing.T, note []byte, title, tag string) {
		before := Read(note)
		meta := before.Meta
		meta.Title, meta.Tags = title, []string{tag}
		edited, err := Update(note, meta)
		if err != nil {
			return
		}
		after := Read(edited)
		if after.Broken != nil || after.Title != title || len(after.Tags) != 1 || after.Tags[0] != tag {
			t.Fatalf("%q became %q: %+v", note, edited, after)
		}
		if string(after.Body) != string(before.Body) {
			t.Fatalf("%q became %q: the body is %q", note, edited, after.Body)
		}
		after.Meta.Title, after.Meta.Tags = before.Title, before.Tags
		if !reflect.DeepEqual(after.Meta, before.Meta) {
			t.Fatalf("%q became %q: %+v was %+v", note, edited, after.Meta, before.Meta)
		}
	})
}

func FuzzBlocks(f *testing.F) {
	const first, last = "<!-- chatrail:block 2026-11-30T14:05:09Z id task=t -->\n", "<!-- chatrail:end id -->\n"
	for _, body := range []string{"", first + "text\n" + last, first, last, first + last, "\n" + first + first + last, strings.Replace(first, "block", "block+", 1) + first + last, "\r\n" + first} {
		f.Add(body, "text")
		f.Add(body, body)
	}
	f.Fuzz(func(t *testing.T, body, text string) {
		var whole strings.Builder
		for _, p := range Pieces([]byte(body)) {
			whole.Write(p.Raw)
			if p.Block != nil && p.Block.ID == "mine" {
				return
			}
		}
		if whole.String() != body {
			t.Fatalf("the pieces of %q are %q", body, whole.String())
		}
		note, err := AppendBlock([]byte(body), Block{ID: "mine", Text: text})
		if err != nil {
			return
		}
		before, after := Blocks(Read([]byte(body)).Body), Blocks(Read(note).Body)
		if len(after) != len(before)+1 || !reflect.DeepEqual(after[:len(before)], before[:len(before):len(before)]) && len(before) > 0 {
			t.Fatalf("appending %q to %q made %+v of %+v", text, body, after, before)
		}
		if got := after[len(before)]; got.ID != "mine" || got.Text != text {
			t.Fatalf("%q appended to %q reads as %+v", text, body, got)
		}
	})
}

func TestTheQuickReaderAgreesWithYAMLOnPunctuation(t *testing.T) {
	bits := rapid.SampledFrom([]string{"a", "b", "1", "null", "true", " ", "  ", ":", ": ", "#", " #", ",", ", ", "[", "]", "{", "}", "'", "\"", "\\", "-", "- ", "?", "!", "&", "*", "|", ">", "%", "@", "`", "=", "~", "<", ".", "/", "(", "_", "+", "$", ";", "^", "\t", "é", "\u2028"})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		head := "k: " + strings.Join(rapid.SliceOfN(bits, 1, 8).Draw(t, "value"), "") + "\n"
		if rapid.Bool().Draw(t, "a second line") {
			head += "m: x\n"
		}
		quick, ok := scanHead([]byte(head))
		if !ok {
			return
		}
		taken++
		if slow, err := readHead([]byte(head)); err != nil || !reflect.DeepEqual(quick, slow) {
			t.Fatalf("%q is read as\n%+v, by YAML as\n%+v %v", head, quick, slow, err)
		}
	})
	if taken == 0 {
		t.Error("nothing was plain enough to compare")
	}
}
