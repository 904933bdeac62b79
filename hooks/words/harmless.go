// Package words holds every sentence that ChatRail puts into an agent's
// context, and the rules that make recorded text harmless there.
//
// Every byte is paid for by somebody's context, so all of them are bounded.
// It is linked into the lean hook and imports nothing of ours.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless turns recorded text into one line of quoted data: line breaks and
// control characters become blanks, invisible and direction-changing characters
// vanish, and the brackets that could open or close a tag are replaced by
// look-alikes, so that no record can pose as a message of the host.
func Harmless(s string) string {
	if plain(s) {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		switch {
		case r == '<':
			r = '‹'
		case r == '>':
			r = '›'
		case r == '`':
			r = 'ˋ' // a fence in a record must not open or close one in the context
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			r = ' '
		case unicode.Is(unicode.Cf, r) && !joins(r), unicode.Is(unicode.Co, r), tagRune(r):
			continue
		}
		if r == ' ' {
			if blank {
				continue
			}
			blank = true
		} else {
			blank = false
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// plain says that s needs no change: the common case, without an allocation.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x20 || c >= 0x7f || c == '<' || c == '>' || c == '`' || (c == ' ' && i > 0 && s[i-1] == ' ') {
			return false
		}
	}
	return true
}

// joins says that a format character belongs to ordinary writing: the joiners
// of Indic scripts, Persian and emoji.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// tagRune says that r is one of the invisible tag or variation characters that
// can smuggle text past a reader; U+FE0F alone, the emoji style, stays.
func tagRune(r rune) bool {
	return r >= 0xE0000 && r <= 0xE0FFF || r >= 0xFE00 && r <= 0xFE0E
}

// Cut shortens s to at most limit bytes on a character border and marks the cut
// with an ellipsis.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	if limit <= len(mark) {
		return ""
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + mark
}

// ShellQuote quotes one word for a POSIX shell. Words of harmless characters
// stay as they are, so that the usual command reads plainly.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
