package chronicle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The writer decides by fixed tables, so that the same value becomes the same
// bytes in every version of the program.

// appendValue writes a value as it stands behind "key: ", on one line.
func appendValue(b []byte, v value) []byte {
	switch v.kind {
	case list:
		b = append(b, '[')
		for i, item := range v.list {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendScalar(b, item, true)
		}
		return append(b, ']')
	case mapping:
		b = append(b, '{')
		for i, item := range v.list {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, v.keys[i]...), ": "...)
			b = append(b, item...) // the only mapping of ours holds numbers
		}
		return append(b, '}')
	}
	return appendScalar(b, v.text, false)
}

// appendScalar writes text plain where no reader of any YAML version can take
// it for something else, and double-quoted otherwise.
func appendScalar(b []byte, s string, inFlow bool) []byte {
	if isPlain(s) && (!inFlow || isFlowPlainText(s)) || isMoment(s) && !inFlow {
		return append(b, s...)
	}
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case !isEscaped(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			b = fmt.Appendf(b, `\U%08x`, r)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

func isFlowPlainText(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isFlowPlain(s[i]) {
			return false
		}
	}
	return true
}

// isPlain is narrow on purpose: text that starts with a letter and ends
// visibly, without anything that YAML reads as more than text.
func isPlain(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || first < utf8.RuneSelf && !isLetter(byte(first)) || isWideBlank(first) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	if last == ' ' || last == ':' || isWideBlank(last) {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.ContainsFunc(s, isEscaped) {
		return false
	}
	return !slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
}

// isMoment tells a date or a time as we write them, which people and other
// programs expect without quotes.
func isMoment(s string) bool {
	if isDate(s) {
		return true
	}
	if len(s) > 11 && isDate(s[:10]) && s[10] == 'T' {
		s = s[11:]
	}
	return len(s) > 8 && strings.ContainsAny(s[8:], "Z+-") && strings.Trim(s, "0123456789:.Z+-") == "" &&
		s[2] == ':' && s[5] == ':' && isDigit(s[0])
}

// isDate tells YYYY-MM-DD.
func isDate(s string) bool {
	return len(s) == 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s[:4]+s[5:7]+s[8:], "0123456789") == ""
}

// isWideBlank tells the blanks beyond ASCII that are not escaped anyway.
func isWideBlank(r rune) bool {
	return r == 0x1680 || 0x2000 <= r && r <= 0x200a || r == 0x205f || r == 0x3000
}

// isEscaped tells characters that must not or should not stand in a file as
// themselves: controls, line breaks, invisible marks of direction, byte order
// marks, noncharacters, tags.
func isEscaped(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0xa0, r == 0xad, r == 0x061c:
		return true
	case 0x200b <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202f, 0x2060 <= r && r <= 0x206f:
		return true
	case r == 0xfeff, 0xfff9 <= r && r <= 0xfffb, r&0xfffe == 0xfffe, 0xfdd0 <= r && r <= 0xfdef:
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f
}
