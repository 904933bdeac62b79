package chronicle

import (
	"bytes"
	"fmt"

	"chatrail/bundle"
)

// MaxHead is the largest front matter, in bytes: what stands behind it is text
// for people. A reader of many notes needs no more than this of each.
const MaxHead = 64 * 1024

// Note is what a note says of itself, and its body.
type Note struct {
	Meta
	// Body is everything behind the front matter, as it is.
	Body []byte
	// Problems are values that were passed over because they make no sense.
	Problems []Problem
	// Broken says why the front matter cannot be edited, nil where it can. Meta
	// then holds what could be read all the same.
	Broken *BrokenError
}

// Problem is a value in front matter that is not what its key holds.
type Problem struct {
	Line int    // of the file, from 1
	Text string // one line: what is wrong
}

// BrokenError refuses the edit of a note whose front matter cannot be
// understood as a whole. The note stays as it is.
type BrokenError struct {
	Line    int // of the file, from 1, near the fault
	Problem string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("the front matter cannot be edited (line %d: %s); mend it by hand, the note is unchanged", e.Line, e.Problem)
}

func brokenAt(line int, format string, args ...any) *BrokenError {
	return &BrokenError{Line: line, Problem: bundle.OneLine(fmt.Sprintf(format, args...), 160)}
}

// Read reads a note as far as it goes. It never fails: what is wrong is in
// Broken and Problems. The body is not looked at, so the cost is that of the
// front matter.
func Read(data []byte) Note {
	l := split(data)
	n := Note{Body: data[l.body:]}
	var fields []field
	switch {
	case l.broken != nil:
		n.Broken = l.broken
		fields = salvage(data[l.head:min(len(data), l.head+MaxHead)], true)
	case l.has:
		head := data[l.head:l.headEnd]
		var plain bool
		if fields, plain = scanHead(head); plain {
			break
		}
		var err *BrokenError
		if fields, err = readHead(head); err != nil {
			n.Broken = err
			if fields == nil {
				fields = salvage(head, false)
			}
		}
	}
	n.Meta, n.Problems = metaOf(fields)
	return n
}

// layout is where the parts of a note lie, as offsets into its bytes:
//
//	[bom] --- EOL | head | --- EOL | body
type layout struct {
	bom     int          // length of the byte order mark, 0 or 3
	has     bool         // there is front matter
	head    int          // start of its first line, behind the opening line
	headEnd int          // start of its closing line
	body    int          // start of the body
	broken  *BrokenError // front matter that does not end
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// split finds the front matter. A closing line is "---" or "...", with nothing
// but blanks behind it.
func split(data []byte) layout {
	var l layout
	if bytes.HasPrefix(data, byteOrderMark) {
		l.bom = len(byteOrderMark)
	}
	l.body = l.bom
	if !bytes.HasPrefix(data[l.bom:], []byte("---")) {
		return l
	}
	first, next := line(data, l.bom)
	if !isRule(first, "---") {
		return l
	}
	l.head = next
	for at := next; at < len(data) && at-next <= MaxHead; {
		text, after := line(data, at)
		if isRule(text, "---") || isRule(text, "...") {
			l.has, l.headEnd, l.body = true, at, after
			return l
		}
		at = after
	}
	l.broken = &BrokenError{Line: 1, Problem: "it begins here and never ends: a line --- is missing"}
	if len(data)-next > MaxHead {
		l.broken.Problem = fmt.Sprintf("it begins here and does not end within %d bytes", MaxHead)
	}
	return l
}

// line returns the line that starts at an offset, without its line break, and
// the offset of the next one.
func line(data []byte, at int) (text []byte, next int) {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return data[at : at+i], at + i + 1
	}
	return data[at:], len(data)
}

// lineBreak is how a note ends its lines: as its first one does.
func lineBreak(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// isRule tells a line that is only a marker and blanks.
func isRule(text []byte, marker string) bool {
	return bytes.HasPrefix(text, []byte(marker)) && len(bytes.TrimRight(text[len(marker):], " \t\r")) == 0
}
