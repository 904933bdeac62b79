package bundle

import "strings"

// Slug is a short readable name for a text: lower-case ASCII letters, digits
// and single hyphens, at most limit characters, cut between words where that
// leaves something. It is "" where the text has nothing of that kind.
func Slug(text string, limit int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		plain := foldLatin(r)
		if plain == "" {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(plain)
		if b.Len() > limit {
			break
		}
	}
	slug := b.String()
	if len(slug) <= limit {
		return slug
	}
	if word := strings.LastIndexByte(slug[:limit+1], '-'); word > limit/2 {
		return slug[:word]
	}
	return strings.TrimRight(slug[:limit], "-")
}

// foldLatin writes a lower-case letter or digit in ASCII, "" where it is none.
func foldLatin(r rune) string {
	if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
		return string(r)
	}
	for _, fold := range latin {
		if strings.ContainsRune(fold.letters, r) {
			return fold.plain
		}
	}
	return ""
}

// latin are the letters that a reader still recognises without their marks.
var latin = []struct{ letters, plain string }{
	{"àáâãåāăą", "a"}, {"äæ", "ae"}, {"çćĉċč", "c"}, {"ďđð", "d"},
	{"èéêëēĕėęě", "e"}, {"ĝğġģ", "g"}, {"ĥħ", "h"}, {"ìíîïĩīĭįı", "i"},
	{"ĵ", "j"}, {"ķ", "k"}, {"ĺļľŀł", "l"}, {"ñńņň", "n"}, {"òóôõōŏő", "o"},
	{"öøœ", "oe"}, {"ŕŗř", "r"}, {"śŝşšș", "s"}, {"ß", "ss"}, {"ţťŧț", "t"},
	{"þ", "th"}, {"ùúûũūŭůűų", "u"}, {"ü", "ue"}, {"ŵ", "w"}, {"ýÿŷ", "y"},
	{"źżž", "z"},
}
