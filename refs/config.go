package refs

import (
	"bytes"
	"strconv"
	"strings"
)

// setting is one variable of a git configuration file. Section and key are in
// lower case; a subsection is kept as it stands.
type setting struct {
	section, subsection, key string
	value                    string
	bare                     bool // "key" alone, without "=", which means true
}

// eachSetting calls fn for every variable of a configuration file, in order.
// It is lenient: a line that is no configuration is skipped, because git will
// tell the user about it and a hook must not. Includes are not followed.
func eachSetting(data []byte, fn func(setting)) {
	p := configParser{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	var s setting
	for {
		p.skipSpace()
		c, ok := p.peek()
		switch {
		case !ok:
			return
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			if !p.header(&s) {
				s.section = ""
				p.skipLine()
			}
		case isAlpha(c):
			p.variable(&s)
			if s.section != "" {
				fn(s)
			}
		default:
			p.skipLine()
		}
	}
}

type configParser struct {
	data []byte
	pos  int
}

func (p *configParser) peek() (byte, bool) {
	if p.pos >= len(p.data) {
		return 0, false
	}
	return p.data[p.pos], true
}

func (p *configParser) skipSpace() {
	for p.pos < len(p.data) && isSpace(p.data[p.pos]) {
		p.pos++
	}
}

func (p *configParser) skipBlanks() {
	for p.pos < len(p.data) && (p.data[p.pos] == ' ' || p.data[p.pos] == '\t') {
		p.pos++
	}
}

func (p *configParser) skipLine() {
	if n := bytes.IndexByte(p.data[p.pos:], '\n'); n >= 0 {
		p.pos += n + 1
		return
	}
	p.pos = len(p.data)
}

// header reads [section], [section "subsection"] or [section.subsection].
func (p *configParser) header(s *setting) bool {
	p.pos++
	start := p.pos
	for p.pos < len(p.data) && (isKeyByte(p.data[p.pos]) || p.data[p.pos] == '.') {
		p.pos++
	}
	name := strings.ToLower(string(p.data[start:p.pos]))
	s.section, s.subsection, _ = strings.Cut(name, ".")
	p.skipBlanks()
	if c, ok := p.peek(); ok && c == '"' {
		sub, ok := p.subsection()
		if !ok {
			return false
		}
		s.section, s.subsection = name, sub
	}
	if c, ok := p.peek(); !ok || c != ']' {
		return false
	}
	p.pos++
	return true
}

func (p *configParser) subsection() (string, bool) {
	var b strings.Builder
	for p.pos++; p.pos < len(p.data); p.pos++ {
		switch c := p.data[p.pos]; c {
		case '"':
			p.pos++
			return b.String(), true
		case '\n':
			return "", false
		case '\\':
			p.pos++
			if p.pos >= len(p.data) || p.data[p.pos] == '\n' {
				return "", false
			}
			b.WriteByte(p.data[p.pos])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// variable reads "key", "key = value" up to the end of its last line.
func (p *configParser) variable(s *setting) {
	start := p.pos
	for p.pos < len(p.data) && isKeyByte(p.data[p.pos]) {
		p.pos++
	}
	s.key = strings.ToLower(string(p.data[start:p.pos]))
	s.value, s.bare = "", true
	p.skipBlanks()
	if c, ok := p.peek(); ok && c == '=' {
		p.pos++
		s.value, s.bare = p.value(), false
		return
	}
	p.skipLine()
}

func (p *configParser) value() string {
	var b []byte
	keep := 0 // length up to the last byte that is no trailing blank
	quoted := false
	p.skipBlanks()
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		p.pos++
		switch {
		case c == '\n':
			return string(b[:keep])
		case c == '\r' && p.pos < len(p.data) && p.data[p.pos] == '\n':
			continue
		case c == '"':
			quoted = !quoted
			keep = len(b)
			continue
		case !quoted && (c == '#' || c == ';'):
			p.skipLine()
			return string(b[:keep])
		case !quoted && (c == ' ' || c == '\t'):
			if len(b) > 0 {
				b = append(b, c)
			}
			continue
		case c == '\\':
			e, more := p.escape()
			if !more {
				keep = len(b)
				continue
			}
			c = e
		}
		b = append(b, c)
		keep = len(b)
	}
	return string(b[:keep])
}

// escape reads what follows a backslash; false means a continued line.
func (p *configParser) escape() (byte, bool) {
	if p.pos >= len(p.data) {
		return 0, false
	}
	c := p.data[p.pos]
	p.pos++
	switch c {
	case '\n':
		return 0, false
	case '\r':
		if p.pos < len(p.data) && p.data[p.pos] == '\n' {
			p.pos++
			return 0, false
		}
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	}
	return c, true
}

// boolean reads a value as git does: words, or a number that is not zero.
func (s setting) boolean() bool {
	if s.bare {
		return true
	}
	return gitBool(s.value, false)
}

func gitBool(value string, otherwise bool) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "":
		return false
	}
	if n, err := strconv.Atoi(value); err == nil {
		return n != 0
	}
	return otherwise
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isKeyByte(c byte) bool { return isAlpha(c) || '0' <= c && c <= '9' || c == '-' }

// isSpace is git's idea of white space, which has no \v and \f.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
