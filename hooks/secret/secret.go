// Package secret finds secrets in a text and replaces them, by the rules of the
// gitleaks library and a few of our own. It knows nothing of where the text
// comes from or goes to.
//
// Nothing is compiled at start: a program that links this package and finds no
// secret pays for a look for some hundred keywords.
package secret

//go:generate go -C gen run . ../rules.go

import (
	"cmp"
	"slices"
	"strings"
)

// maxRounds bounds how often a text is read again after something was replaced
// in it.
const maxRounds = 16

// Redact replaces the secrets in a text by [redacted:<rule>] and counts them by
// the rule that found them; found is nil where there is none. A second time it
// finds nothing. The text may be of any bytes.
func Redact(text string) (clean string, found map[string]int) {
	// What was found may have hidden something else: a match takes in its
	// surroundings.
	for range maxRounds {
		spans := find(text)
		if len(spans) == 0 {
			break
		}
		if found == nil {
			found = map[string]int{}
		}
		var b strings.Builder
		end := 0
		for _, s := range spans {
			b.WriteString(text[end:s.start])
			b.WriteString(Mark(s.rule))
			end = s.end
			found[s.rule]++
		}
		b.WriteString(text[end:])
		text = b.String()
	}
	return text, found
}

const markStart, markEnd = "[redacted:", "]"

// Mark is what stands in place of a secret.
func Mark(rule string) string { return markStart + rule + markEnd }

// span is a secret in a text.
type span struct {
	start, end int
	rule       string
	broad      bool
}

// find returns the secrets of a text in order, apart from each other.
func find(text string) []span {
	low := lower(text)
	var spans []span
	for i := range library {
		spans = library[i].find(spans, text, low)
	}
	for i := range own {
		spans = own[i].find(spans, text, low)
	}
	if len(spans) == 0 {
		return nil
	}
	marks := marks(text)
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.rule != wholeBlock && touches(marks, s) })
	return unite(spans)
}

// wholeBlock is the rule for what is secret as a block, whatever was replaced
// in it before.
const wholeBlock = "private-key"

// unite makes one span of those that overlap. It is named by the rule that
// knows what it found, else by the one that took in most.
func unite(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	var apart []span
	for _, s := range spans {
		if len(apart) == 0 || s.start >= apart[len(apart)-1].end {
			apart = append(apart, s)
			continue
		}
		last := &apart[len(apart)-1]
		if last.broad && !s.broad {
			last.rule, last.broad = s.rule, false
		}
		last.end = max(last.end, s.end)
	}
	return apart
}

// marks finds what earlier rounds, or an earlier call, have put into a text.
func marks(text string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(text[at:], markStart)
		if i < 0 {
			return found
		}
		start := at + i
		at = start + len(markStart)
		n := strings.IndexFunc(text[at:], func(r rune) bool { return !isRuleRune(r) })
		if n > 0 && strings.HasPrefix(text[at+n:], markEnd) {
			at += n + len(markEnd)
			found = append(found, span{start: start, end: at})
		}
	}
}

func isRuleRune(r rune) bool { return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// touches tells whether s overlaps one of the sorted marks.
func touches(marks []span, s span) bool {
	i, _ := slices.BinarySearchFunc(marks, s.start, func(m span, at int) int { return cmp.Compare(m.end, at+1) })
	return i < len(marks) && marks[i].start < s.end
}

// lower folds the case of ASCII letters and keeps every position.
func lower(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			b := []byte(text)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return text
}
