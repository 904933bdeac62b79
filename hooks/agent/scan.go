package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	bufferSize = 64 << 10
	maxDepth   = 10_000
)

var errTruncated = errors.New("the input ends early")

// scanner reads JSON from a stream, a buffer at a time.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int   // buf[pos:end] is read and not consumed
	err      error // why nothing more can be read
	piece    []byte
	nested   []byte   // the open brackets
	digit    *capture // where the number that is being read is kept
}

// scanObject reads r to its end, which has to be exactly one JSON object in
// valid UTF-8. want says where the value of a top-level key is kept, nil for
// nowhere. Also after an error r is read to its end: the client at the other
// end of the pipe may take a closed one for a failed hook.
func scanObject(r io.Reader, want func(key []byte) *capture) error {
	s := &scanner{r: r, buf: make([]byte, bufferSize)}
	err := s.object(want)
	if err == nil {
		return nil
	}
	if s.err == nil {
		_, _ = io.Copy(io.Discard, r)
	}
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	return err
}

// What may come next inside the innermost bracket.
type expect uint8

const (
	elementOrEnd expect = iota // just after the bracket
	element                    // after a comma
	commaOrEnd                 // after an element
)

func (s *scanner) object(want func([]byte) *capture) error {
	if c, err := s.token(); err != nil || c != '{' {
		return unexpected(c, err)
	}
	s.pos++
	s.nested = append(s.nested, '{')
	key := &capture{keep: keepKey}
	var outer *capture // keeps the top-level value that is being read
	next := elementOrEnd
	for len(s.nested) > 0 {
		c, err := s.token()
		if err != nil {
			return unexpected(0, err)
		}
		bracket := s.nested[len(s.nested)-1]
		if c == bracket+2 && next != element { // '[' and ']', '{' and '}' are two apart
			s.pos++
			s.nested = s.nested[:len(s.nested)-1]
			next = commaOrEnd
			continue
		}
		if next == commaOrEnd {
			if c != ',' {
				return unexpected(c, nil)
			}
			s.pos++
			next = element
			continue
		}
		var keep *capture
		if bracket == '{' {
			if c != '"' {
				return unexpected(c, nil)
			}
			if len(s.nested) > 1 {
				err = s.text(nil)
			} else if err = s.text(key); err == nil && !key.cut {
				keep = want(key.text)
			}
			if err == nil {
				c, err = s.colon()
			}
			if err != nil {
				return err
			}
		}
		if len(s.nested) == 1 {
			outer = keep
		} else if len(s.nested) == 2 && outer != nil {
			outer.empty = false
		}
		if next, err = s.value(c, keep); err != nil {
			return err
		}
	}
	if c, err := s.token(); err != io.EOF {
		return unexpected(c, err)
	}
	return nil
}

// value reads a value, or the opening bracket of one.
func (s *scanner) value(c byte, keep *capture) (expect, error) {
	switch c {
	case '{', '[':
		if len(s.nested) == maxDepth {
			return 0, errors.New("the input is nested too deeply")
		}
		s.pos++
		s.nested = append(s.nested, c)
		if k := kindArray; keep != nil {
			if c == '{' {
				k = kindObject
			}
			keep.begin(k)
		}
		return elementOrEnd, nil
	case '"':
		return commaOrEnd, s.text(keep)
	case 't':
		return commaOrEnd, s.literal("true", kindTrue, keep)
	case 'f':
		return commaOrEnd, s.literal("false", kindFalse, keep)
	case 'n':
		return commaOrEnd, s.literal("null", kindNull, keep)
	}
	if c == '-' || isDigit(c) {
		if keep != nil {
			keep.begin(kindNumber)
		}
		s.digit = keep
		err := s.number()
		s.digit = nil
		return commaOrEnd, err
	}
	return 0, unexpected(c, nil)
}

// colon reads what stands between a key and its value, and looks at the value.
func (s *scanner) colon() (byte, error) {
	if c, err := s.token(); err != nil || c != ':' {
		return 0, unexpected(c, err)
	}
	s.pos++
	c, err := s.token()
	if err != nil {
		return 0, unexpected(0, err)
	}
	return c, nil
}

// token skips white space and looks at the next byte. The error at the end of
// the input is io.EOF.
func (s *scanner) token() (byte, error) {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\n', '\r':
				s.pos++
			default:
				return c, nil
			}
		}
		if !s.fill() {
			return 0, s.err
		}
	}
}

func (s *scanner) literal(word string, k kind, keep *capture) error {
	if !s.have(len(word)) {
		return errTruncated
	}
	if !bytes.HasPrefix(s.buf[s.pos:s.end], []byte(word)) {
		return fmt.Errorf("the input holds a word that is not %s", word)
	}
	s.pos += len(word)
	if keep != nil {
		keep.begin(k)
	}
	return nil
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *scanner) number() error {
	s.accept("-")
	if !s.accept("0") && !s.digits() {
		return errors.New("the input holds a broken number")
	}
	if s.accept(".") && !s.digits() {
		return errors.New("the input holds a number that ends in its point")
	}
	if s.accept("eE") {
		s.accept("+-")
		if !s.digits() {
			return errors.New("the input holds a number without its exponent")
		}
	}
	return nil
}

// digits consumes digits, and says whether there was one.
func (s *scanner) digits() bool {
	found := false
	for s.have(1) && isDigit(s.buf[s.pos]) {
		s.consume()
		found = true
	}
	return found
}

// accept consumes one byte of a set, if one of it is next.
func (s *scanner) accept(set string) bool {
	if !s.have(1) || bytes.IndexByte([]byte(set), s.buf[s.pos]) < 0 {
		return false
	}
	s.consume()
	return true
}

// consume takes one byte of a number.
func (s *scanner) consume() {
	if s.digit != nil {
		s.digit.add(s.buf[s.pos : s.pos+1])
	}
	s.pos++
}

// have makes sure that n bytes are in the buffer.
func (s *scanner) have(n int) bool {
	for s.end-s.pos < n {
		if !s.fill() {
			return false
		}
	}
	return true
}

// fill reads more behind what is not consumed yet. It says whether it could.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	s.end = copy(s.buf, s.buf[s.pos:s.end])
	s.pos = 0
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		s.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func unexpected(c byte, err error) error {
	if err == io.EOF {
		return errTruncated
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("the input holds an unexpected %q", c)
}
