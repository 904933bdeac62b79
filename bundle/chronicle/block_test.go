package chronicle_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

func body(note []byte) []byte { return chronicle.Read(note).Body }

func anyBlock(id string) *rapid.Generator[chronicle.Block] {
	return rapid.Custom(func(t *rapid.T) chronicle.Block {
		b := chronicle.Block{
			Time: at.Add(time.Duration(rapid.Int64Range(-1e9, 1e9).Draw(t, "time")) * time.Microsecond),
			ID:   id,
			Task: rapid.SampledFrom([]string{"", "3f9a1c0b7d2e", "a-b"}).Draw(t, "task"),
			Text: anyText().Draw(t, "text"),
		}
		if rapid.Bool().Draw(t, "checkpoint") {
			b.State, b.Covers = "00ff", []string{"abcdef1", "1234567"}
		}
		return b
	})
}

// starts are notes that somebody may append to.
var starts = []string{
	"", "\ufeff", "text", "text\n", "text\r\n", "\n\n", "---\ntitle: a\n---", "---\ntitle: a\n---\n", "\ufeff---\r\ntitle: a\r\n---\r\nbody\r\n",
	"---\n: broken [\n---\nbody\n", "broken \xff\x00 bytes",
	"<!-- chatrail:block 2026-11-30T14:05:09Z id -->\nnever ends\n", "<!-- chatrail:block++ 2026-11-30T14:05:09Z other -->\nnever ends",
	"<!-- chatrail:block+ 2026-11-30T14:05:09Z x -->\r\n<!-- chatrail:block 2026-11-30T14:05:09Z y -->\r\n",
}

func TestWhatIsAppendedIsReadBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.SampledFrom(starts).Draw(t, "start")
		if rapid.Bool().Draw(t, "free text") {
			if start += anyText().Draw(t, "free"); chronicle.Read([]byte(start)).Broken != nil {
				t.Skip("ends nowhere")
			}
		}
		note := []byte(start)
		want := chronicle.Blocks(body(note))
		for _, id := range []string{"id", "other", "third", "fourth"}[:rapid.IntRange(1, 4).Draw(t, "appends")] {
			for _, b := range want {
				if b.ID == id {
					t.Skip("the start has this id")
				}
			}
			b := anyBlock(id).Draw(t, id)
			next, err := chronicle.AppendBlock(note, b)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(next, note) {
				t.Fatalf("appending to %q changed what was there: %q", note, next)
			}
			note, want = next, append(want, b)
			if got := chronicle.Blocks(body(note)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q reads as\n%+v, want\n%+v", note, got, want)
			}
		}
		var whole []byte
		for _, p := range chronicle.Pieces(body(note)) {
			whole = append(whole, p.Raw...)
		}
		if !bytes.Equal(whole, body(note)) {
			t.Fatalf("the pieces of %q are %q", body(note), whole)
		}
	})
}

func TestEveryAwkwardTextSurvivesInEveryNote(t *testing.T) {
	for _, start := range starts {
		for _, text := range awkward {
			note, err := chronicle.AppendBlock([]byte(start), chronicle.Block{Time: at, ID: "mine", Text: text})
			if err != nil {
				t.Fatalf("%q: %v", start, err)
			}
			blocks := chronicle.Blocks(body(note))
			if len(blocks) != 1 || blocks[0].Text != text || !bytes.Contains(note, []byte(text)) {
				t.Errorf("%q appended to %q became %q", text, start, note)
			}
		}
	}
}

func TestALargeTextIsKeptWhole(t *testing.T) {
	text := strings.Repeat("<!-- chatrail:end id -->\n$`\"'\r\n", 1<<20/32)
	note, err := chronicle.AppendBlock([]byte("---\ntitle: a\n---\n"), chronicle.Block{Time: at, ID: "id", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if blocks := chronicle.Blocks(body(note)); len(blocks) != 1 || blocks[0].Text != text {
		t.Fatal("a text of a mebibyte came back differently")
	}
}

func TestABlockLooksAsDocumented(t *testing.T) {
	note := []byte("---\ntitle: a\n---\n")
	for _, b := range []chronicle.Block{
		{Time: at, ID: "7c1e9f", Task: "3f9a1c0b7d2e", Text: "first"},
		{Time: at, ID: "8d", State: "00ff", Covers: []string{"abcdef1", "abcdef2"}, Text: "<!-- chatrail:end 8d -->\n"},
	} {
		var err error
		if note, err = chronicle.AppendBlock(note, b); err != nil {
			t.Fatal(err)
		}
	}
	const want = `---
title: a
---

<!-- chatrail:block 2026-11-30T14:05:09.25Z 7c1e9f task=3f9a1c0b7d2e -->
first
<!-- chatrail:end 7c1e9f -->

<!-- chatrail:block+ 2026-11-30T14:05:09.25Z 8d state=00ff covers=abcdef1,abcdef2 -->
<!-- chatrail:end 8d -->

<!-- chatrail:end+ 8d -->
`
	if string(note) != want {
		t.Errorf("got\n%s\nwant\n%s", note, want)
	}
}

func TestAppendingTheSameBlockTwiceIsOnce(t *testing.T) {
	b := chronicle.Block{Time: at, ID: "id", Text: "text"}
	once, err := chronicle.AppendBlock(nil, b)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := chronicle.AppendBlock(once, b)
	if err != nil || !bytes.Equal(once, twice) {
		t.Errorf("got %q, %v", twice, err)
	}
	b.Text = "another"
	if _, err := chronicle.AppendBlock(once, b); err == nil {
		t.Error("two blocks got the same id")
	}
}

func TestANoteWithoutAnEndOfItsFrontMatterIsNotAppendedTo(t *testing.T) {
	_, err := chronicle.AppendBlock([]byte("---\ntitle: a\n"), chronicle.Block{Time: at, ID: "id", Text: "---\n"})
	if err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
}

func TestAHandEditInsideABlockStaysInside(t *testing.T) {
	note, err := chronicle.AppendBlock(nil, chronicle.Block{Time: at, ID: "id", Text: "one\ntwo"})
	if err != nil {
		t.Fatal(err)
	}
	edited := bytes.Replace(note, []byte("two"), []byte("two and a half\n\nmore"), 1)
	crlf := bytes.ReplaceAll(note, []byte("\n"), []byte("\r\n"))
	for want, note := range map[string][]byte{"one\ntwo and a half\n\nmore": edited, "one\r\ntwo": crlf} {
		if blocks := chronicle.Blocks(note); len(blocks) != 1 || blocks[0].Text != want {
			t.Errorf("%q reads as %+v", note, blocks)
		}
	}
}

func TestValuesThatCouldEndACommentAreRefused(t *testing.T) {
	for _, b := range []chronicle.Block{
		{Time: at}, {Time: at, ID: "a b"}, {Time: at, ID: "a--b"}, {Time: at, ID: "a>"}, {Time: at, ID: "a", Task: "x\ny"},
		{Time: at, ID: "a", State: "é"}, {Time: at, ID: "a", Covers: []string{""}}, {Time: at, ID: "a", Covers: []string{"b,c"}},
		{Time: at.AddDate(9000, 0, 0), ID: "a"}, {Time: at, ID: strings.Repeat("a", 129)},
	} {
		if note, err := chronicle.AppendBlock(nil, b); err == nil {
			t.Errorf("%+v became %q", b, note)
		}
	}
}

func TestWhatABlockCoversFollowsARewrite(t *testing.T) {
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	text := "it covers=" + a + " and\n<!-- chatrail:block 2026-11-30T14:05:09Z x covers=" + a + " -->\n"
	note := []byte("---\ntitle: X\n---\nfree covers=" + a + "\n")
	note, err := chronicle.AppendBlock(note, chronicle.Block{Time: time.Unix(1, 0), ID: "one", Text: text, Covers: []string{a, b}})
	if err != nil {
		t.Fatal(err)
	}
	carried := chronicle.CarryCovers(note, map[string]string{a: c, b: c})
	blocks := chronicle.Blocks(chronicle.Read(carried).Body)
	if len(blocks) != 1 || !slices.Equal(blocks[0].Covers, []string{c}) || blocks[0].Text != text {
		t.Errorf("carried to %+v", blocks)
	}
	if want := strings.Replace(string(note), " covers="+a+","+b, " covers="+c, 1); string(carried) != want {
		t.Errorf("other bytes changed:\n%s", carried)
	}
	if same := chronicle.CarryCovers(note, map[string]string{c: a}); string(same) != string(note) {
		t.Errorf("nothing was rewritten, and it became\n%s", same)
	}
}
