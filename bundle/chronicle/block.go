package chronicle

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatrail/bundle"
)

// Block is one append to a note. In the note it stands between two HTML
// comments, which no renderer shows:
//
//	<!-- chatrail:block 2026-11-30T14:05:09.25Z 7c1e9f task=3f9a1c0b7d2e -->
//	The text, byte for byte, whatever it holds.
//	<!-- chatrail:end 7c1e9f -->
//
// The line break in front of the last line is not part of the text. The first
// line carries the time (UTC, RFC 3339, microseconds), the id, and what else is
// known as key=value: task, state, covers (ids with commas between them).
//
// Text that itself holds such lines cannot forge a block. As a Markdown fence
// grows longer than any fence in it, the word before the time grows plus signs:
// "chatrail:block+" ends at "chatrail:end+" with the same id and the same
// number of plus signs, and lines with fewer of them are text.
//
// Two sides of a merge unite by time and id: blocks with the same id are one.
type Block struct {
	Time time.Time // UTC, microseconds
	ID   string    // of letters, digits, ".", "_", "-"; up to 128
	Task string    // short task key, "" outside a task; the same characters
	Text string
	// State is the Fingerprint of the checkpoint that the text is, "" for any
	// other text.
	State string
	// Covers are the commits that the text accounts for, as hex ids: those of a
	// checkpoint that has prose.
	Covers []string
}

// Piece is a part of a body: a block, or what stands between blocks.
type Piece struct {
	Raw   []byte // its bytes; all pieces in order are the body
	Block *Block // nil for free text
}

// Blocks reads the blocks of a body, in the order in which they stand.
func Blocks(body []byte) (blocks []Block) {
	for _, p := range Pieces(body) {
		if p.Block != nil {
			blocks = append(blocks, *p.Block)
		}
	}
	return blocks
}

// Pieces takes a body apart. The empty line in front of a block is the block's.
// The first line of a block without its last line is free text.
func Pieces(body []byte) (pieces []Piece) {
	markers := findMarkers(body)
	at := 0
	free := func(end int) {
		if end > at {
			pieces = append(pieces, Piece{Raw: body[at:end:end]})
			at = end
		}
	}
	for i := 0; i < len(markers); i++ {
		opening := markers[i]
		closing := matching(markers, i)
		if closing < 0 {
			continue
		}
		end := markers[closing]
		start := opening.start
		switch {
		case bytes.HasSuffix(body[at:start], []byte("\n\r\n")) || start == at+2 && bytes.HasSuffix(body[at:start], []byte("\r\n")):
			start -= 2
		case bytes.HasSuffix(body[at:start], []byte("\n\n")) || start == at+1 && body[at] == '\n':
			start--
		}
		free(start)
		block := opening.block
		block.Text = string(inside(body, opening, end))
		pieces = append(pieces, Piece{Raw: body[at:end.end:end.end], Block: &block})
		at = end.end
		i = closing
	}
	free(len(body))
	return pieces
}

// inside is what stands between two marker lines, without the line break that
// belongs to the last one: it is of the kind that ends the first one.
func inside(body []byte, opening, closing marker) []byte {
	text := body[opening.end:closing.start]
	if bytes.HasSuffix(body[:opening.end], []byte("\r\n")) && bytes.HasSuffix(text, []byte("\r\n")) {
		return text[:len(text)-2]
	}
	return bytes.TrimSuffix(text, []byte("\n"))
}

// AppendBlock adds a block at the end of a note. The bytes that are there stay.
// A block that the note has already is not added again, so that text from a
// spool is recorded once. It refuses an id that another block has, values that
// break the rules of Block and text that CheckText refuses, with a
// *bundle.RuleError; and with a *BrokenError a note whose front matter does not
// end, since the text might end it.
func AppendBlock(note []byte, b Block) ([]byte, error) {
	b.Time = b.Time.UTC().Truncate(time.Microsecond)
	if err := b.check(); err != nil {
		return nil, err
	}
	l := split(note)
	if l.broken != nil {
		return nil, l.broken
	}
	markers := findMarkers(note[l.body:])
	for _, p := range Pieces(note[l.body:]) {
		if p.Block == nil || p.Block.ID != b.ID {
			continue
		}
		if p.Block.equal(b) {
			return note, nil
		}
		return nil, &bundle.RuleError{Field: "block.id", Value: b.ID, Rule: "is the id of another block of this note"}
	}
	level := 0
	for _, m := range findMarkers([]byte(b.Text)) {
		level = max(level, m.level+1)
	}
	for i, m := range markers {
		// A first line without its last: the block must not end up inside it.
		if m.opens && matching(markers, i) < 0 {
			level = max(level, m.level)
		}
	}
	eol := lineBreak(note)
	out := bytes.Clone(note)
	if len(out) > l.bom {
		if out[len(out)-1] != '\n' {
			out = append(out, eol...)
		}
		out = append(out, eol...)
	}
	out = append(append(out, b.opening(level)...), eol...)
	out = append(append(out, b.Text...), eol...)
	return append(append(out, closingLine(b.ID, level)...), eol...), nil
}

func (b Block) equal(c Block) bool {
	return b.Time.Equal(c.Time) && b.ID == c.ID && b.Task == c.Task && b.Text == c.Text && b.State == c.State &&
		strings.Join(b.Covers, ",") == strings.Join(c.Covers, ",")
}

func (b Block) check() error {
	values := append([]string{b.ID}, b.Covers...)
	for _, optional := range []string{b.Task, b.State} {
		if optional != "" {
			values = append(values, optional)
		}
	}
	for _, v := range values {
		if !isToken(v) {
			return &bundle.RuleError{Field: "block", Value: strconv.Quote(bundle.OneLine(v, 60)),
				Rule: "its values are 1 to 128 letters, digits, dots, underscores and single hyphens"}
		}
	}
	if y := b.Time.Year(); y < 0 || y > 9999 {
		return &bundle.RuleError{Field: "block.time", Rule: "must be a year that RFC 3339 can write"}
	}
	return CheckText(b.Text)
}

// CarryCovers carries what the blocks of a note cover over an amend or a rebase:
// moved maps the id of each rewritten commit to the id of what it became. No
// other byte changes; the same bytes come back where there is nothing to carry.
func CarryCovers(note []byte, moved map[string]string) []byte {
	l := split(note)
	if l.broken != nil {
		return note
	}
	out := bytes.Clone(note[:l.body])
	for _, p := range Pieces(note[l.body:]) {
		raw := p.Raw
		if p.Block != nil && len(p.Block.Covers) > 0 {
			carried := make([]string, 0, len(p.Block.Covers))
			for _, id := range p.Block.Covers {
				if to := successor(id, moved); isToken(to) {
					id = to
				}
				if !slices.Contains(carried, id) {
					carried = append(carried, id)
				}
			}
			// The first line of the block is the first that can hold it.
			raw = bytes.Replace(raw, []byte(" covers="+strings.Join(p.Block.Covers, ",")), []byte(" covers="+strings.Join(carried, ",")), 1)
		}
		out = append(out, raw...)
	}
	return out
}
