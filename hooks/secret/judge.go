package secret

import (
	"math"
	"strings"
)

// candidate is what a pattern has matched in a text.
type candidate struct {
	text                 string
	matchStart, matchEnd int
	start, end           int // of the secret in it
}

func (c candidate) secret() string { return c.text[c.start:c.end] }
func (c candidate) match() string  { return c.text[c.matchStart:c.matchEnd] }

// before is what the match holds in front of the secret.
func (c candidate) before() string { return c.text[c.matchStart:c.start] }

// maxLine bounds how far a line is followed on either side of a match.
const maxLine = 500

// line is the match with the lines that it stands on.
func (c candidate) line() string {
	low, high := max(0, c.matchStart-maxLine), min(len(c.text), c.matchEnd+maxLine)
	if i := strings.LastIndexByte(c.text[low:c.matchStart], '\n'); i >= 0 {
		low += i + 1
	}
	if i := strings.IndexByte(c.text[c.matchEnd:high], '\n'); i >= 0 {
		high = c.matchEnd + i
	}
	return c.text[low:high]
}

// isSecret judges a match as the library does, and by our own list of what has
// to stay.
func (r *rule) isSecret(c candidate) bool {
	if r.entropy > 0 && entropy(c.secret()) <= r.entropy {
		return false
	}
	if harmless(r, c) {
		return false
	}
	for i := range allowed {
		if allowed[i].holds(c) {
			return false
		}
	}
	allow := r.allow
	if r.id == notedRule {
		allow = genericAllow()
	}
	for i := range allow {
		if allow[i].holds(c) {
			return false
		}
	}
	return true
}

// holds tells whether an allowlist lets a match stand.
func (a *allowlist) holds(c candidate) bool {
	if a.all {
		return (len(a.patterns) == 0 || a.hasPattern(c)) && (len(a.words) == 0 || a.hasWord(c))
	}
	return a.hasPattern(c) || a.hasWord(c)
}

func (a *allowlist) hasPattern(c candidate) bool {
	if len(a.patterns) == 0 {
		return false
	}
	target := c.secret()
	switch a.target {
	case "match":
		target = c.match()
	case "line":
		target = c.line()
	}
	for _, p := range a.patterns {
		if compile(p).MatchString(target) {
			return true
		}
	}
	return false
}

func (a *allowlist) hasWord(c candidate) bool {
	if len(a.words) == 0 {
		return false
	}
	low := lower(c.secret())
	for _, w := range a.words {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
