package secret

import (
	"regexp"
	"strings"
	"sync"
)

// rule says how a kind of secret looks.
type rule struct {
	id      string
	pattern string
	// group is the part of the pattern that is the secret; 0: the first that
	// took part in a match, the whole where there is none.
	group    int
	entropy  float64  // what the secret has to exceed, 0: nothing
	keywords []string // in lower case; without one of them there is no match
	run      int      // that many bytes from the keyword on have no blank, 0: unknown
	allow    []allowlist
}

// allowlist says what is no secret although it looks like one.
type allowlist struct {
	all      bool   // all of it has to hold, else any
	target   string // what the patterns look at: "match", "line", "" the secret
	patterns []string
	words    []string // in lower case, of the secret
}

// wider makes the library's patterns, which are for files of code, fit for prose
// and for text that is quoted in another: a secret is followed by a comma, a full
// stop or a bracket as well, and its quotes may be escaped.
var wider = [][2]string{
	{"(?:[\\x60'\"\\s;]|\\\\[nr]|$)", ending},    // behind most values
	{"(?:$|[\\\\'\"\\x60\\s<),])", ending},       // behind one
	{`[\s'"]{0,3}(?:=|>`, `[\s'"\\]{0,4}(?:=|>`}, // in front of what assigns
	{`[\x60'"\s=]{0,5}`, `[\x60'"\s=\\]{0,7}`},   // behind it
}

const ending = "(?:[\\x60'\"\\s;,!?)\\]}<>|&\\\\]|[.:](?:\\s|$)|$)"

// compiled are the patterns that were needed so far.
var compiled sync.Map // pattern: *regexp.Regexp

func compile(pattern string) *regexp.Regexp {
	if re, ok := compiled.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := compiled.LoadOrStore(pattern, regexp.MustCompile(pattern))
	return re.(*regexp.Regexp)
}

// genericRule takes anything that is assigned to a name like key or token.
const genericRule = "generic-api-key"

// broad tells the rules that know a place for secrets, not a kind of them.
func (r *rule) broad() bool {
	switch r.id {
	case genericRule, notedRule, "password", "url-password", "authorization-header":
		return true
	}
	return false
}

// expression is the pattern as it is used.
func (r *rule) expression() *regexp.Regexp {
	pattern := r.pattern
	for _, w := range wider {
		pattern = strings.ReplaceAll(pattern, w[0], w[1])
	}
	if r.bounded() {
		pattern = withUnderscores(pattern)
	}
	return compile(pattern)
}

// find appends the secrets of this kind. low is the text in lower case.
func (r *rule) find(spans []span, text, low string) []span {
	if !r.assigns() {
		if r.concerns(low) {
			spans = r.match(spans, r.expression(), text, 0, len(text))
		}
		return spans
	}
	// The keyword is part of any match, so that only its surroundings need be
	// read: these patterns are slow.
	for _, w := range r.windows(low) {
		spans = r.match(spans, r.expression(), text, w.start, w.end)
	}
	return spans
}

func (r *rule) concerns(low string) bool {
	for _, k := range r.keywords {
		for at := 0; ; {
			i := strings.Index(low[at:], k)
			if i < 0 {
				break
			}
			at += i
			if r.run == 0 || len(low)-at >= r.run && !strings.ContainsAny(low[at:at+r.run], blank+quotes) {
				return true
			}
			at += len(k)
		}
	}
	return false
}

// match appends the secrets in text[from:to].
func (r *rule) match(spans []span, re *regexp.Regexp, text string, from, to int) []span {
	for _, m := range re.FindAllStringSubmatchIndex(text[from:to], -1) {
		start, end := r.secret(m)
		c := candidate{text: text, matchStart: from + m[0], matchEnd: from + m[1], start: from + start, end: from + end}
		// What escapes the quote behind it, or ends a sentence, is no part of it.
		c.end = c.start + len(strings.TrimRight(c.secret(), `\`))
		switch {
		case r.id == genericRule:
			c.end = c.start + len(strings.TrimRight(c.secret(), "."))
		case r.id == notedRule:
			c.end = c.start + len(strings.TrimRight(c.secret(), ".!?,;"))
		case r.bounded():
			c = r.withoutBorder(c)
			if besideUnderscore(c) && !(r.holdsKeyword(c.secret()) && isRandom(c.secret())) {
				continue
			}
		}
		if r.isSecret(c) {
			spans = append(spans, span{start: c.start, end: c.end, rule: r.id, broad: r.broad()})
		}
	}
	return spans
}

// secret is the part of a match that has to be kept from others.
func (r *rule) secret(m []int) (start, end int) {
	if r.group > 0 {
		return m[2*r.group], m[2*r.group+1]
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 && m[g+1] > m[g] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}
