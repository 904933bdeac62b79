package chronicle

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Most front matter is written by us or as plainly: one key a line, and a
// value without tricks. scanHead reads that in a few microseconds, so that a
// list of thousands of notes stays quick; whatever it is not sure of is left to
// the YAML reader, which says the same wherever both answer.

// field is one top-level key of front matter with its value.
type field struct {
	key   string
	value value
	line  int // of the file, from 1
}

// value is what a key holds, as text: the type that YAML gives a scalar says
// nothing here, since a title may well be 2026.
type value struct {
	kind valueKind
	text string   // of a scalar
	list []string // of a list of scalars
	keys []string // of a mapping of scalars; list holds what they are
}

type valueKind int

const (
	empty   valueKind = iota // nothing, null
	scalar                   // text
	list                     // a list of scalars
	mapping                  // a mapping of scalars
	other                    // anything that no key of ours holds
)

// headLine is the line of the file on which front matter starts.
const headLine = 2

// scanHead reads front matter whose every line is plain, and reports whether it
// is that.
func scanHead(head []byte) (fields []field, ok bool) {
	fields = make([]field, 0, len(keys))
	for at, n := 0, headLine; at < len(head); n++ {
		text, next := line(head, at)
		at = next
		text = bytes.TrimSuffix(text, []byte("\r"))
		if skipped, ok := isSkipped(text); !ok {
			return nil, false
		} else if skipped {
			continue
		}
		p, ok := scanLine(text)
		if !ok {
			return nil, false
		}
		for _, f := range fields {
			if f.key == p.key {
				return nil, false
			}
		}
		fields = append(fields, field{key: p.key, value: p.value, line: n})
	}
	return fields, true
}

// salvage reads what it can of front matter that YAML does not take: each
// plain line for itself. Where the end of the front matter is unknown it stops
// at the first line that is no such line.
func salvage(head []byte, open bool) (fields []field) {
	for at, n := 0, headLine; at < len(head); n++ {
		text, next := line(head, at)
		at = next
		text = bytes.TrimSuffix(text, []byte("\r"))
		if skipped, ok := isSkipped(text); ok && skipped {
			continue
		}
		p, ok := scanLine(text)
		if !ok && open {
			break
		}
		if ok {
			fields = append(fields, field{key: p.key, value: p.value, line: n})
		}
	}
	return fields
}

// isSkipped tells an empty line or a comment; ok is false for a comment that
// holds a character which YAML may not take.
func isSkipped(text []byte) (skipped, ok bool) {
	if len(text) == 0 {
		return true, true
	}
	return text[0] == '#', text[0] != '#' || isTame(text)
}

// plainLine is a line "key: value # comment" with the place of its value.
type plainLine struct {
	key        string
	value      value
	start, end int
}

// scanLine reads a line that holds one key and all of its value.
func scanLine(text []byte) (p plainLine, ok bool) {
	if !isTame(text) {
		return p, false
	}
	colon := bytes.IndexByte(text, ':')
	if colon < 1 || !isPlainKey(text[:colon]) {
		return p, false
	}
	p.key = string(text[:colon])
	start := colon + 1
	for start < len(text) && text[start] == ' ' {
		start++
	}
	if start == len(text) || start == colon+1 {
		return p, false // no value on this line, or no blank before it
	}
	s := scanner{text: text, at: start}
	if p.value, ok = s.value(); !ok {
		return p, false
	}
	p.start, p.end = start, s.at
	rest := text[s.at:]
	trimmed := bytes.TrimLeft(rest, " ")
	return p, len(trimmed) == 0 || trimmed[0] == '#' && len(trimmed) < len(rest)
}

// longestKey is the length in bytes up to which a key is read quickly. YAML
// takes no key of more than 1,024 characters before its colon; the keys of
// front matter are words.
const longestKey = 128

func isPlainKey(key []byte) bool {
	if len(key) > longestKey {
		return false
	}
	for i, c := range key {
		if !isLetter(c) && c != '_' && (i == 0 || !isDigit(c) && c != '-') {
			return false
		}
	}
	return true
}

// isTame tells text without a character that any reader of YAML treats in a way
// of its own.
func isTame(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError || isEscaped(r) {
			return false
		}
		i += size
	}
	return true
}

// scanner reads one value of a line.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) value() (v value, ok bool) {
	switch s.text[s.at] {
	case '[':
		v.kind = list
		v.list, ok = s.items(']', func() bool { return true })
	case '{':
		v.kind = mapping
		v.list, ok = s.items('}', func() bool {
			colon := bytes.IndexByte(s.text[s.at:], ':')
			if colon < 1 || !isPlainKey(s.text[s.at:s.at+colon]) || s.at+colon+1 >= len(s.text) || s.text[s.at+colon+1] != ' ' {
				return false
			}
			v.keys = append(v.keys, string(s.text[s.at:s.at+colon]))
			s.at += colon + 1
			s.blanks()
			return true
		})
	default:
		v.kind = scalar
		v.text, ok = s.scalar(false)
	}
	return v, ok
}

// items reads what stands between two brackets. before reads what precedes an
// item.
func (s *scanner) items(closing byte, before func() bool) (items []string, ok bool) {
	s.at++
	s.blanks()
	if s.peek() == closing {
		s.at++
		return nil, true
	}
	for {
		if !before() || s.peek() == 0 {
			return nil, false
		}
		item, ok := s.scalar(true)
		if !ok {
			return nil, false
		}
		items = append(items, item)
		s.blanks()
		switch s.peek() {
		case closing:
			s.at++
			return items, true
		case ',':
			s.at++
			s.blanks()
		default:
			return nil, false
		}
	}
}

// scalar reads quoted text without escapes, or plain text: up to a comment or
// the end of the line, and between brackets up to a comma or a bracket.
func (s *scanner) scalar(inFlow bool) (string, bool) {
	quote := s.text[s.at]
	if quote == '"' || quote == '\'' {
		size := bytes.IndexByte(s.text[s.at+1:], quote)
		if size < 0 {
			return "", false
		}
		text := s.text[s.at+1 : s.at+1+size]
		s.at += size + 2
		// A backslash or a second quote right behind the first is an escape.
		return string(text), (quote == '\'' || bytes.IndexByte(text, '\\') < 0) && s.peek() != quote
	}
	if !isLetter(quote) && !isDigit(quote) && quote < utf8.RuneSelf && strings.IndexByte("/._(", quote) < 0 {
		return "", false
	}
	start, end := s.at, s.at
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if c == '#' && s.text[s.at-1] == ' ' || inFlow && strings.IndexByte(",]}", c) >= 0 {
			break
		}
		if inFlow && !isFlowPlain(c) {
			return "", false
		}
		if c == ':' && (s.at+1 == len(s.text) || s.text[s.at+1] == ' ') {
			return "", false
		}
		if c != ' ' {
			end = s.at + 1
		}
	}
	s.at = end
	text := string(s.text[start:end])
	return text, !isNull(text)
}

func (s *scanner) blanks() {
	for s.peek() == ' ' {
		s.at++
	}
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// isFlowPlain tells a byte that means nothing but itself between brackets.
func isFlowPlain(c byte) bool {
	return isLetter(c) || isDigit(c) || c >= utf8.RuneSelf || strings.IndexByte(" ._/-", c) >= 0
}

// isNull tells a plain scalar that YAML takes for no value at all.
func isNull(text string) bool { return text == "null" || text == "Null" || text == "NULL" }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
