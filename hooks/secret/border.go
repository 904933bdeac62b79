package secret

import "strings"

// bounded tells the rules whose secret begins at the border of a word. To a
// pattern _ is a letter; in the name of a file or a variable it ends a word too,
// as in dump_<token>_old.txt, so these patterns take it for a border.
func (r *rule) bounded() bool {
	return !r.assigns() && !r.broad() && strings.HasPrefix(strings.TrimPrefix(r.pattern, "(?i)"), `\b`)
}

// withUnderscores makes a _ a border in a pattern. One that says what follows the
// secret needs no other border behind the first, which would take the _ from it.
func withUnderscores(pattern string) string {
	const border = `(?:\b|_)`
	flags, rest, _ := strings.Cut(pattern, `\b`)
	if strings.Contains(rest, ending) {
		return flags + border + strings.ReplaceAll(strings.ReplaceAll(rest, `\b`, ""), ending, `(?:_|`+ending+`)`)
	}
	return flags + border + strings.ReplaceAll(rest, `\b`, border)
}

// withoutBorder leaves the _ on either side out of a secret that is the whole of
// a match.
func (r *rule) withoutBorder(c candidate) candidate {
	if c.start == c.matchStart && c.text[c.start] == '_' {
		c.start++
	}
	if c.end == c.matchEnd && c.end > c.start && c.text[c.end-1] == '_' && strings.HasSuffix(r.pattern, `\b`) {
		c.end--
	}
	return c
}

func besideUnderscore(c candidate) bool {
	return c.start > 0 && c.text[c.start-1] == '_' || c.end < len(c.text) && c.text[c.end] == '_'
}

// holdsKeyword tells whether a secret has a part of its own, by which it is
// known inside a longer name: a few letters of no form are nobody's.
func (r *rule) holdsKeyword(s string) bool {
	low := lower(s)
	for _, k := range r.keywords {
		if len(k) > 2 && strings.Contains(low, k) {
			return true
		}
	}
	return false
}

// isRandom tells a made-up string from the name of something: in its longest
// part, small letters, capitals and digits take turns often, and not only as in
// parseHttpResponse2. Where all letters are capitals, nothing is known.
func isRandom(s string) bool {
	longest := ""
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_./", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if len(longest) < 8 {
		return false
	}
	turns := 0
	for i := 1; i < len(longest); i++ {
		if before, now := class(longest[i-1]), class(longest[i]); before != now && !(before == 'A' && now == 'a') {
			turns++
		}
	}
	return 4*turns >= len(longest) || lower(longest) != longest && !strings.ContainsAny(longest, "abcdefghijklmnopqrstuvwxyz")
}

// class is the kind of a character.
func class(c byte) byte {
	switch {
	case isDigit(c):
		return '0'
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	}
	return '.'
}
