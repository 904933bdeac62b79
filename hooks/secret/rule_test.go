package secret

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/hooks/secret/secrettest"
)

func allRules() []*rule {
	var all []*rule
	for i := range library {
		all = append(all, &library[i])
	}
	for i := range own {
		all = append(all, &own[i])
	}
	return all
}

func TestEveryRuleCanBeUsed(t *testing.T) {
	t.Parallel()
	if len(library) < 200 {
		t.Errorf("only %d rules of the library", len(library))
	}
	for _, r := range allRules() {
		re, err := regexp.Compile(r.pattern)
		if err != nil {
			t.Errorf("%s: %v", r.id, err)
			continue
		}
		if r.group > re.NumSubexp() {
			t.Errorf("%s has no group %d", r.id, r.group)
		}
		if len(r.keywords) == 0 {
			t.Errorf("%s would be compiled for every text", r.id)
		}
		for _, k := range r.keywords {
			if k == "" || k != lower(k) {
				t.Errorf("%s: the keyword %q is never there", r.id, k)
			}
		}
		if strings.IndexFunc(r.id, func(r rune) bool { return !isRuleRune(r) }) >= 0 {
			t.Errorf("%q does not fit into a mark", r.id)
		}
		for _, a := range append(r.allow, allowed...) {
			for _, p := range a.patterns {
				if _, err := regexp.Compile(p); err != nil {
					t.Errorf("%s: %v", r.id, err)
				}
			}
			for _, w := range a.words {
				if w == "" || w != lower(w) {
					t.Errorf("%s: the word %q is never there", r.id, w)
				}
			}
		}
	}
}

// The surroundings of a keyword are all that is read for a value that is
// assigned: no match may go further.
func TestNoAssignedValueReachesFurtherThanIsRead(t *testing.T) {
	t.Parallel()
	n := 0
	for _, r := range allRules() {
		if !r.assigns() {
			continue
		}
		n++
		re, err := syntax.Parse(r.expression().String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		longest := 4 * maxRunes(re)
		if longest > reach {
			t.Errorf("%s: a match may have %d bytes", r.id, longest)
		}
		if shortest := minSecret(re); shortest < minValue {
			t.Errorf("%s: a secret may have %d characters", r.id, shortest)
		}
	}
	if n < 80 {
		t.Errorf("only %d rules are of this kind: the library has changed its form", n)
	}
}

// minSecret is the length of the shortest value of a group, of those that are
// no part of another.
func minSecret(re *syntax.Regexp) int {
	if re.Op == syntax.OpCapture {
		if n := minRunes(re.Sub[0]); n > 5 { // a group like (login|token) is no secret
			return n
		}
	}
	shortest := 1 << 20
	for _, sub := range re.Sub {
		shortest = min(shortest, minSecret(sub))
	}
	return shortest
}

func minRunes(re *syntax.Regexp) int {
	sum := 0
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			sum += minRunes(sub)
		}
	case syntax.OpAlternate:
		sum = 1 << 20
		for _, sub := range re.Sub {
			sum = min(sum, minRunes(sub))
		}
	case syntax.OpRepeat:
		return re.Min * minRunes(re.Sub[0])
	}
	return sum
}

// maxRunes is the length of the longest match, but for values of any length
// that hold neither blanks nor quotes.
func maxRunes(re *syntax.Regexp) int {
	const endless = 1 << 20
	sum := 0
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			sum += maxRunes(sub)
		}
	case syntax.OpAlternate, syntax.OpQuest:
		for _, sub := range re.Sub {
			sum = max(sum, maxRunes(sub))
		}
	case syntax.OpRepeat:
		if re.Max < 0 && isValue(re.Sub[0]) {
			return re.Min
		}
		if re.Max < 0 {
			return endless
		}
		return re.Max * maxRunes(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		if isValue(re.Sub[0]) {
			return 1
		}
		return endless
	}
	return min(sum, endless)
}

func isValue(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && !strings.ContainsAny(onlyOf(re), " \t\r\n\"'`")
}

// onlyOf lists the characters below 128 that a class takes.
func onlyOf(re *syntax.Regexp) string {
	class := regexp.MustCompile("^" + re.String() + "$")
	var b strings.Builder
	for r := range rune(128) {
		if class.MatchString(string(r)) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestOnlyRulesWhoseKeywordsOccurAreCompiled(t *testing.T) {
	t.Parallel()
	concerned := func(text string) []string {
		var ids []string
		for _, r := range allRules() {
			if r.concerns(lower(text)) {
				ids = append(ids, r.id)
			}
		}
		return ids
	}
	if ids := concerned("Finished the parser; two fixtures are left, then on with the printer at 3f9a1c0b7d2e."); len(ids) > 0 {
		t.Errorf("ordinary words compile %v", ids)
	}
	for _, k := range secrettest.Kinds() {
		ids := concerned(k.Text())
		found := false
		for _, id := range ids {
			found = found || id == k.Rule
		}
		if !found || len(ids) > 25 {
			t.Errorf("%s compiles %v", k.Name, ids)
		}
	}
}

// texts are made of what makes rules interfere with each other.
func texts() *rapid.Generator[string] {
	pieces := []string{" ", "\n", "\"", "'", "`", ":", "=", ",", ".", "@", "/", "\\n", "\xff", "é", "key", "api_key=", "token: ", "password", "secret",
		"curl -u ", "curl -H \"Authorization: Bearer ", "https://", "a:b@", "kind: Secret\ndata:\n  x: ", "[redacted:", "]", "[redacted:github-pat]",
		"_", "| token | ", " |", "**token**: ", "the API key is ", "--password ", "client-secret ", "CHECKSUMS:\n", "js-tokens: ", strings.Repeat("3f9a1c0b7d", 4),
		"-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----", "abcdefghij0123456789", "3f9a1c0b7d2e.k7q2m9x4"}
	for _, k := range secrettest.Kinds() {
		pieces = append(pieces, k.Text(), k.Secret, k.Secret[:len(k.Secret)/2])
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
	})
}

func TestASecondTimeNothingIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkRedact(t.Errorf, texts().Draw(t, "text")) })
}

// checkRedact holds a text against what Redact promises for any.
func checkRedact(errorf func(string, ...any), text string) {
	clean, found := Redact(text)
	if (clean == text) != (found == nil) {
		errorf("%q became %q with %v", text, clean, found)
	}
	again, more := Redact(clean)
	if again != clean || more != nil {
		errorf("%q became %q, then %q with %v", text, clean, again, more)
	}
	n := 0
	for rule, hits := range found {
		if hits < 1 || rule == "" {
			errorf("%q: %d of %q", text, hits, rule)
		}
		n += hits
	}
	if marks := strings.Count(clean, markStart); marks > n+strings.Count(text, markStart) {
		errorf("%q: %d marks for %d hits", text, marks, n)
	}
}

func FuzzRedact(f *testing.F) {
	for _, k := range secrettest.Kinds() {
		f.Add(k.Text())
		f.Add(k.Text() + ", " + k.Text())
	}
	f.Add(page)
	f.Add("| token | " + strings.Repeat("aB3dE5", 6) + " |\nx_" + secrettest.Kinds()[0].Secret + "_y")
	f.Add("SPEC CHECKSUMS:\n  token: " + strings.Repeat("3f9a1c0b7d", 4) + "\n")
	f.Add("curl -u \"[redacted:generic-api-key]\" \xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		checkRedact(t.Errorf, text)
	})
}
