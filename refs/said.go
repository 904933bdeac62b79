package refs

import (
	"io"
	"strings"
	"unicode"
)

// What is kept of the words of git and the server: the first and the last lines,
// each up to a length. A server may send any amount.
const (
	keptLines = 200
	lineLimit = 1000
)

// said takes what a git command writes to standard error. It keeps its lines as
// one may show them, and hands them on to whoever watches.
type said struct {
	lines []string
	watch io.Writer // nil: nobody

	part    []byte
	tooLong bool
	cr      bool // the last byte ended a line of progress, unless "\n" follows
}

func (s *said) Write(p []byte) (int, error) {
	for _, c := range p {
		if s.cr && c != '\n' {
			s.show("\r")
			s.part, s.tooLong = s.part[:0], false
		}
		s.cr = c == '\r'
		switch {
		case c == '\r':
		case c == '\n':
			s.end()
		case len(s.part) < lineLimit:
			s.part = append(s.part, c)
		default:
			s.tooLong = true
		}
	}
	return len(p), nil
}

// end takes a whole line. Progress, which is written over, is not one.
func (s *said) end() {
	s.show("\n")
	text := string(s.part)
	if s.tooLong {
		text += "…"
	}
	s.part, s.tooLong, s.cr = s.part[:0], false, false
	line := strings.TrimRight(withoutCredentials(harmless(text)), " ")
	if line == "" || strings.HasPrefix(line, "hint: ") {
		return
	}
	if len(s.lines) == keptLines {
		s.lines = append(s.lines[:keptLines/2], s.lines[keptLines/2+1:]...)
	}
	s.lines = append(s.lines, line)
}

// finish takes what came without a line's end.
func (s *said) finish() {
	if len(s.part) > 0 && !s.cr {
		s.end()
	}
}

// show hands on what is about the transfer: not git's table of references, which
// names places that nobody asked for.
func (s *said) show(end string) {
	text := withoutCredentials(harmless(string(s.part)))
	if s.watch == nil || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "From ") || end == "\n" && strings.TrimSpace(text) == "" {
		return
	}
	if _, err := io.WriteString(s.watch, text+end); err != nil {
		s.watch = nil
	}
}

// harmless makes a text one that a terminal only prints: no control, format and
// direction characters, no bytes that are no UTF-8.
func harmless(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t', c == '\n', c == '\r':
			return ' '
		case unicode.IsControl(c), unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co), c == unicode.ReplacementChar:
			return -1
		}
		return c
	}, text)
}

// remoteWords are the server's own lines: sideband text, without git's prefix.
func (s *said) remoteWords() []string {
	var words []string
	for _, line := range s.lines {
		if text, ok := strings.CutPrefix(line, "remote: "); ok && strings.TrimSpace(text) != "" {
			words = append(words, strings.TrimSpace(text))
		}
	}
	return words
}
