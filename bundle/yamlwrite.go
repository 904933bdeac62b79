package bundle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The writer decides by fixed tables, never by those of a library or of
// Unicode: the same value has to become the same bytes in every version of
// the program, because revisions are named by the hash of their content.

func appendCompassYAML(b []byte, c Compass) []byte {
	b = fmt.Appendf(b, "schema: %d\nbearings:\n", schemaVersion)
	for _, d := range directions {
		b = fmt.Appendf(b, "  %s:\n    coordinate: [%d, %d]\n    definition: ", d.name, d.x, d.y)
		b = append(appendYAMLString(b, *d.definition(&c.Bearings)), '\n')
	}
	b = fmt.Appendf(b, "heading:\n  coordinate: [%d, %d]\n  context: ", c.Heading.X, c.Heading.Y)
	b = append(appendYAMLString(b, c.Heading.Context), "\ndrift: "...)
	b = append(appendYAMLString(b, c.Drift), "\nreturn_path: "...)
	return append(appendYAMLString(b, c.ReturnPath), '\n')
}

func appendRailYAML(b []byte, r Rail) []byte {
	b = fmt.Appendf(b, "schema: %d\nnorth: ", schemaVersion)
	b = append(appendYAMLString(b, r.North), '\n')
	if r.Next == nil {
		b = append(b, "next: null\n"...)
	} else {
		b = append(b, "next:\n  id: "...)
		b = append(appendYAMLString(b, r.Next.ID), "\n  summary: "...)
		b = append(appendYAMLString(b, r.Next.Summary), '\n')
	}
	b = appendItemsYAML(b, "route", r.Route)
	b = appendItemsYAML(b, "open", r.Open)
	return appendItemsYAML(b, "parked", r.Parked)
}

func appendItemsYAML(b []byte, key string, items []Item) []byte {
	if len(items) == 0 {
		return append(append(b, key...), ": []\n"...)
	}
	b = append(append(b, key...), ":\n"...)
	for _, item := range items {
		b = append(b, "  - id: "...)
		b = append(appendYAMLString(b, item.ID), "\n    summary: "...)
		b = append(appendYAMLString(b, item.Summary), '\n')
	}
	return b
}

// appendYAMLString writes s plain where no reader of any YAML version can take
// it for something else, and double-quoted otherwise.
func appendYAMLString(b []byte, s string) []byte {
	if isPlainYAML(s) {
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
		case !isEscapedYAML(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			b = fmt.Appendf(b, `\U%08x`, r)
		default:
			b = appendUnicodeEscape(b, r)
		}
	}
	return append(b, '"')
}

// isPlainYAML is narrow on purpose: text that starts with a letter and ends
// visibly, without anything that YAML reads as more than text.
func isPlainYAML(s string) bool {
	if s == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	if first < utf8.RuneSelf && !isASCIILetter(byte(first)) || isWideBlank(first) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	if last == ' ' || last == ':' || isWideBlank(last) {
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.ContainsFunc(s, isEscapedYAML) {
		return false
	}
	return !isYAMLWord(s)
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isYAMLWord tells the words that some version of YAML reads as a bool or null.
func isYAMLWord(s string) bool {
	return slices.Contains([]string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
}

// isWideBlank tells the blanks beyond ASCII that are not escaped anyway.
func isWideBlank(r rune) bool {
	return r == 0x1680 || 0x2000 <= r && r <= 0x200a || r == 0x205f || r == 0x3000
}

// isEscapedYAML tells characters that must not or should not stand in a file
// as themselves: controls, line breaks, invisible marks of direction, byte
// order marks, noncharacters, tags.
func isEscapedYAML(r rune) bool {
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
