package bundle

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown bounds, in characters, what a refusal repeats of a value.
const maxShown = 60

// OneLine makes text fit for one line of a terminal, a log or a commit
// message: line breaks, control characters and runs of blanks become one
// space, characters that reorder or hide text are dropped, and what is longer
// than limit characters ends in an ellipsis.
func OneLine(text string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			gap = true
		case isHidden(r):
		default:
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return cut(b.String(), limit)
}

// isHidden tells the characters that change what a reader sees without being
// seen: marks of direction, the byte order mark, tags.
func isHidden(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	case 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffb:
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f
}

// cut shortens s to limit characters, the last of them an ellipsis.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// quote shows a string in a message: bounded, in quotes, nothing invisible.
func quote(s string) string { return strconv.Quote(cut(s, maxShown)) }

// fieldName is a key as it may stand in the path of a field.
func fieldName(key string) string {
	for _, r := range key {
		if r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			return quote(key)
		}
	}
	return cut(key, maxShown)
}

// show describes any value of a tree in a message.
func show(tree any) string {
	switch v := tree.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case bare:
		return OneLine(string(v), maxShown)
	case map[string]any:
		return "a mapping"
	case []any:
		if canonical, err := Canonical(v); err == nil && len(canonical) <= maxShown {
			return string(canonical)
		}
		return fmt.Sprintf("a list of %d", len(v))
	}
	return cut(fmt.Sprint(tree), maxShown)
}
