package secret

import (
	"slices"
	"strings"
)

// assigned is how the library's patterns for a value that is assigned to a name
// begin.
const assigned = `[\w.-]{0,50}?`

// assigns tells the rules for a value that is assigned to a name with the
// keyword in it.
func (r *rule) assigns() bool {
	return r.id == "password" || r.id == notedRule || strings.HasPrefix(strings.TrimPrefix(r.pattern, "(?i)"), assigned)
}

const (
	// reach is further than any match of an assigned value goes on either side of
	// its keyword, in bytes: 300 characters of at most 4 bytes, with some to
	// spare. A value of any length is followed to its end.
	reach = 1500
	// maxName is further than the rest of a name reaches behind its keyword, up
	// to what assigns the value, and minValue is shorter than any value.
	maxName, minValue = 60, 8
	blank             = " \t\r\n\v\f"
	quotes            = "\"'`"
)

// windows are the surroundings of the keywords that something is assigned to,
// united where they overlap. Words like key and token are in many texts, a value
// behind them is in few: only those are worth a pattern.
func (r *rule) windows(low string) []span {
	var hits []int
	for _, k := range r.keywords {
		for at := 0; ; {
			i := strings.Index(low[at:], k)
			if i < 0 {
				break
			}
			at += i
			if r.mayAssign(low[at:]) {
				hits = append(hits, at)
			}
			at += len(k)
		}
	}
	slices.Sort(hits)
	var found []span
	for _, at := range hits {
		if n := len(found); n > 0 && at+reach <= found[n-1].end {
			continue
		}
		start, end := max(0, at-reach), min(len(low), at+reach)
		for end < len(low) && strings.IndexByte(blank+quotes, low[end]) < 0 {
			end++
		}
		if n := len(found); n > 0 && start <= found[n-1].end {
			found[n-1].end = end
			continue
		}
		found = append(found, span{start: start, end: end})
	}
	return found
}

// mayAssign tells whether a text that begins with a keyword may go on with a
// value: a pattern has the last word.
func (r *rule) mayAssign(low string) bool {
	if r.id == notedRule {
		return mayNote(low)
	}
	name := low[:min(len(low), maxName)]
	for at := 0; ; at++ {
		i := strings.IndexAny(name[at:], "=:,>|?")
		if i < 0 {
			return false
		}
		at += i
		value := strings.TrimLeft(low[at:min(len(low), at+maxName)], blank+quotes+"\\=:,>|?")
		if i := strings.IndexAny(value, blank+quotes); i >= 0 {
			value = value[:i]
		}
		if len(value) < minValue {
			continue
		}
		// Words alone are nothing to the rules for everything.
		if !r.broad() || strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_.-,;:()") != "" {
			return true
		}
	}
}
