package agent

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// smallPiece bounds the pieces of a string that are gathered before they are
// kept, so that a text full of escapes is not kept a character at a time.
const smallPiece = 1024

var (
	errEncoding  = errors.New("the input is not UTF-8")
	errEscape    = errors.New("the input holds a broken escape")
	errSurrogate = errors.New("the input holds half a surrogate pair")
	errControl   = errors.New("the input holds a raw control character in a string")
)

// text reads a string from its opening quote to its closing one.
func (s *scanner) text(keep *capture) error {
	s.pos++
	if keep != nil {
		keep.begin(kindString)
	}
	s.piece = s.piece[:0]
	for {
		if !s.have(1) {
			return errTruncated
		}
		plain := s.buf[s.pos : s.pos+plainRun(s.buf[s.pos:s.end])]
		if len(plain) > 0 {
			if s.pos+len(plain) == s.end {
				plain = plain[:len(plain)-halfRune(plain)]
			}
			if len(plain) == 0 {
				// Only the beginning of a character is here.
				if !s.fill() {
					return errTruncated
				}
				continue
			}
			if !utf8.Valid(plain) {
				return errEncoding
			}
			s.giveRun(keep, plain)
			s.pos += len(plain)
			continue
		}
		switch c := s.buf[s.pos]; {
		case c == '"':
			s.pos++
			s.flush(keep)
			return nil
		case c != '\\':
			return errControl
		}
		if err := s.escape(keep); err != nil {
			return err
		}
	}
}

// plainRun counts the bytes before the next quote, backslash or control
// character.
func plainRun(p []byte) int {
	for i, c := range p {
		if c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(p)
}

// halfRune counts the bytes at the end of p that begin a character and do not
// finish it.
func halfRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// escape reads one escape, or the two of a surrogate pair.
func (s *scanner) escape(keep *capture) error {
	if !s.have(2) {
		return errTruncated
	}
	c := s.buf[s.pos+1]
	if c != 'u' {
		plain, ok := shortEscape(c)
		if !ok {
			return errEscape
		}
		s.pos += 2
		s.give(keep, rune(plain))
		return nil
	}
	r, err := s.unit()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		low, err := s.unit()
		if err == errEscape {
			err = errSurrogate
		}
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return errSurrogate
		}
	}
	s.give(keep, r)
	return nil
}

// shortEscape is the character that follows a backslash stands for.
func shortEscape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// unit reads one \uXXXX.
func (s *scanner) unit() (rune, error) {
	if !s.have(6) {
		return 0, errTruncated
	}
	digits := s.buf[s.pos : s.pos+6]
	if digits[0] != '\\' || digits[1] != 'u' {
		return 0, errEscape
	}
	var r rune
	for _, c := range digits[2:] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, errEscape
		}
	}
	s.pos += 6
	return r, nil
}

// give passes on one character.
func (s *scanner) give(keep *capture, r rune) {
	if keep == nil {
		return
	}
	if len(s.piece)+utf8.UTFMax > smallPiece {
		s.flush(keep)
	}
	s.piece = utf8.AppendRune(s.piece, r)
}

// giveRun passes on a run of characters.
func (s *scanner) giveRun(keep *capture, p []byte) {
	if keep == nil {
		return
	}
	if len(s.piece)+len(p) > smallPiece {
		s.flush(keep)
	}
	if len(p) > smallPiece {
		keep.add(p)
		return
	}
	s.piece = append(s.piece, p...)
}

func (s *scanner) flush(keep *capture) {
	if keep != nil && len(s.piece) > 0 {
		keep.add(s.piece)
	}
	s.piece = s.piece[:0]
}
