package bundle

import (
	"fmt"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth  = 64  // of arrays and objects in each other
	maxDigits = 400 // of one integer: reading one costs the square of its length
)

// SyntaxError says that bytes are not the strict JSON or YAML that we read.
type SyntaxError struct {
	Where   string // "JSON, byte 12" or "YAML, line 3"
	Problem string
}

func (e *SyntaxError) Error() string { return "unreadable (" + e.Where + "): " + e.Problem }

// bare is a scalar that is none of our types, such as a float or a date, with
// the text it was written as. The strict JSON reader refuses it at once; in
// YAML, and in what events of other versions may hold, it is carried on so
// that the refusal can name the field, or that nobody needs to look at it.
type bare string

// ParseJSON reads one JSON value as map[string]any, []any, string, int64,
// *big.Int (where int64 is too small), bool or nil.
//
// It is stricter than encoding/json: duplicate keys, lone surrogates, invalid
// UTF-8, numbers such as 1.0, 1e2 and -0, more than 64 levels and anything
// after the value are refused with a *SyntaxError.
func ParseJSON(data []byte) (any, error) { return parseJSON(data, false) }

// parseJSON is ParseJSON. Where floats is set, numbers that are no plain
// integers come back as bare.
func parseJSON(data []byte, floats bool) (value any, err error) {
	p := &jsonParser{data: data, floats: floats}
	defer func() {
		if stop := recover(); stop != nil {
			syntax, ours := stop.(*SyntaxError)
			if !ours {
				panic(stop)
			}
			value, err = nil, syntax
		}
	}()
	p.blanks()
	value = p.value(0)
	p.blanks()
	if p.pos < len(data) {
		p.fail("something follows the value")
	}
	return value, nil
}

// jsonParser leaves by a panic with a *SyntaxError, which parseJSON catches:
// it keeps the grammar below readable.
type jsonParser struct {
	data   []byte
	pos    int
	floats bool
}

func (p *jsonParser) fail(format string, args ...any) {
	panic(&SyntaxError{Where: fmt.Sprintf("JSON, byte %d", p.pos), Problem: fmt.Sprintf(format, args...)})
}

// peek is the next byte, 0 at the end. A 0 in the data is no token either.
func (p *jsonParser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *jsonParser) blanks() {
	for p.pos < len(p.data) && isJSONBlank(p.data[p.pos]) {
		p.pos++
	}
}

func isJSONBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (p *jsonParser) value(depth int) any {
	if depth > maxDepth {
		p.fail("more than %d levels", maxDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.string()
	case c == '-' || isDigit(c):
		return p.number()
	case p.word("null"):
		return nil
	case p.word("true"):
		return true
	case p.word("false"):
		return false
	case p.pos >= len(p.data):
		p.fail("it ends where a value is expected")
	}
	p.fail("a value is expected")
	return nil
}

func (p *jsonParser) word(w string) bool {
	if len(p.data)-p.pos < len(w) || string(p.data[p.pos:p.pos+len(w)]) != w {
		return false
	}
	p.pos += len(w)
	return true
}

func (p *jsonParser) object(depth int) any {
	object := map[string]any{}
	p.pos++
	p.blanks()
	if p.peek() == '}' {
		p.pos++
		return object
	}
	for {
		if p.peek() != '"' {
			p.fail("a key in double quotes is expected")
		}
		key := p.string()
		if _, twice := object[key]; twice {
			p.fail("the key %s stands twice", quote(key))
		}
		p.blanks()
		if p.peek() != ':' {
			p.fail("a colon is expected")
		}
		p.pos++
		p.blanks()
		object[key] = p.value(depth + 1)
		if p.closes('}') {
			return object
		}
	}
}

func (p *jsonParser) array(depth int) any {
	array := []any{}
	p.pos++
	p.blanks()
	if p.peek() == ']' {
		p.pos++
		return array
	}
	for {
		array = append(array, p.value(depth+1))
		if p.closes(']') {
			return array
		}
	}
}

// closes reads what may follow an element: end, or a comma and another one.
func (p *jsonParser) closes(end byte) bool {
	p.blanks()
	switch p.peek() {
	case end:
		p.pos++
		return true
	case ',':
		p.pos++
		p.blanks()
		return false
	}
	p.fail("a comma or %q is expected", end)
	return false
}

func (p *jsonParser) number() any {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	first := p.pos
	p.digits()
	if p.data[first] == '0' && p.pos-first > 1 {
		p.fail("a number starts with 0")
	}
	whole := p.pos
	if p.peek() == '.' {
		p.pos++
		p.digits()
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		p.digits()
	}
	text := string(p.data[start:p.pos])
	switch {
	case p.pos == whole && text != "-0" && len(text) <= maxDigits:
		return parseInt(text)
	case p.floats:
		return bare(text)
	case text == "-0":
		p.fail("-0 is no number here")
	case p.pos == whole:
		p.fail("a number of more than %d digits", maxDigits)
	}
	p.fail("%s is no plain integer", cut(text, 40))
	return nil
}

func (p *jsonParser) digits() {
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	if p.pos == start {
		p.fail("a digit is expected")
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseInt reads text that is known to be a plain decimal integer.
func parseInt(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

func (p *jsonParser) string() string {
	p.pos++
	var b []byte
	for {
		start := p.pos
		for p.pos < len(p.data) && isPlain(p.data[p.pos]) {
			p.pos++
		}
		if b == nil && p.peek() == '"' {
			p.pos++
			return string(p.data[start : p.pos-1])
		}
		b = append(b, p.data[start:p.pos]...)
		switch c := p.peek(); {
		case c == '"':
			p.pos++
			return string(b)
		case c == '\\':
			p.pos++
			b = utf8.AppendRune(b, p.escape())
		case p.pos >= len(p.data):
			p.fail("it ends inside a string")
		case c < 0x20:
			p.fail("a control character in a string")
		default:
			r, size := utf8.DecodeRune(p.data[p.pos:])
			if r == utf8.RuneError && size == 1 {
				p.fail("invalid UTF-8")
			}
			b = append(b, p.data[p.pos:p.pos+size]...)
			p.pos += size
		}
	}
}

// isPlain says that a byte stands for itself in a string.
func isPlain(c byte) bool { return 0x20 <= c && c < 0x80 && c != '"' && c != '\\' }

func (p *jsonParser) escape() rune {
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		return p.unicode()
	}
	p.pos--
	p.fail("an unknown escape")
	return 0
}

// unicode reads what follows \u, both halves of a surrogate pair.
func (p *jsonParser) unicode() rune {
	r := p.hex4()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if !p.word(`\u`) {
		p.fail("half a surrogate pair")
	}
	pair := utf16.DecodeRune(r, p.hex4())
	if pair == utf8.RuneError {
		p.fail("half a surrogate pair")
	}
	return pair
}

func (p *jsonParser) hex4() rune {
	var r rune
	for range 4 {
		digit := unhex(p.peek())
		if digit < 0 {
			p.fail("four hexadecimal digits are expected")
		}
		r = r<<4 | digit
		p.pos++
	}
	return r
}

func unhex(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}
