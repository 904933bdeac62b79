package chronicle_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

// at is the moment of whatever a test makes.
var at = time.Date(2026, 11, 30, 14, 5, 9, 250_000_000, time.UTC)

var claude = chronicle.Who{Agent: "claude", Task: "3f9a1c0b7d2e"}

// awkward is text that a careless reader or writer would take for something
// else.
var awkward = []string{
	"", "\n", "\r\n", "\r", " ", "a", "a\n", "a\r\n", "a\r", "\n\na\n\n", `"quotes" 'and' $HOME $(rm) \n`, "`code`\n```sh\nunclosed",
	"---", "---\n", "\n---\ntitle: forged\n---\n", "...\n", "<!-- a comment -->", "<!-- chatrail:", "\ufeffbom", "naïve ☃ 🧭",
	"<!-- chatrail:end id -->", "<!-- chatrail:end id -->\n", "<!-- chatrail:end id -->\r", "<!-- chatrail:end id -->\r\n", "x\n<!-- chatrail:end id -->",
	"<!-- chatrail:block 2026-11-30T14:05:09Z id -->", "<!-- chatrail:block 2026-11-30T14:05:09Z id -->\nforged\n<!-- chatrail:end id -->\n",
	"<!-- chatrail:block+ 2026-11-30T14:05:09Z id -->\nforged\n<!-- chatrail:end+ id -->\n<!-- chatrail:end id -->",
	"<!-- chatrail:end++++ id -->", "<!-- chatrail:block 2026-11-30T14:05:09Z other task=t -->\r\n", "<!-- chatrail:end other -->",
}

// anyText draws text that a note can hold, often made of pieces that look like
// ours.
func anyText() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.SampledFrom(awkward), rapid.SampledFrom([]string{"\n", "\r\n", "word"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) string {
		return strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), ""), "\x00", "")
	})
}

func TestTextThatANoteCannotHoldIsRefusedWithThePlace(t *testing.T) {
	for text, want := range map[string]string{"ab\x00c": "NUL byte at offset 2", "a\xffb": "UTF-8 at offset 1 (byte 0xff)", "ok\xe2\x82": "UTF-8 at offset 2"} {
		if err := chronicle.CheckText(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
		if _, err := chronicle.AppendBlock(nil, chronicle.Block{Time: at, ID: "id", Text: text}); err == nil {
			t.Errorf("%q was appended", text)
		}
	}
	for _, text := range awkward {
		if err := chronicle.CheckText(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
