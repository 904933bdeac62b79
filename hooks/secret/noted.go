package secret

import "strings"

// notedRule takes what a note names as a secret without assigning it: in a
// table, behind a name that is emphasised, behind "is", as an argument.
const notedRule = "noted-secret"

const (
	notedName = `(?:(?:api|access|auth|private|secret|client|encryption|signing)[ _-]?(?:key|secret|token)|passw(?:or)?d|passphrase|pwd|secret|token)`
	// twoWords is a name that is none of ordinary prose.
	twoWords  = `(?:api|access|auth|private|secret|client|encryption|signing)[_-](?:key|secret|token)`
	notedForm = `\|[^|\n]{0,40}?` + notedName + "[*_`]{0,3}(?:[ \\t]{1,3}\\([^|\\n)]{0,30}\\))?[ \\t]{0,60}\\|[ \\t]{0,60}" + // | name | value |
		`|` + notedName + "(?:[*_`]{1,3}[ \\t]{0,3}[:=]|[:=][*_]{1,3})[ \\t]{0,3}" + // **name**: value
		`|` + notedName + "[*_`\"']{0,3}\\s{1,3}(?:is|was)(?:\\s{1,3}now)?:?\\s{1,3}" + // the name is value
		`|--?[a-z0-9-]{0,30}?` + notedName + `[ \t]{1,3}` + // --name value
		`|` + twoWords + `[ \t]{1,3}` // some-name value
	notedPattern = `(?i)(?:` + notedForm + ")\\\\?[*_`\"']{0,3}([a-z0-9!#^~+][\\w.=+/~!@#$%^&-]{9,})\\*{0,3}" + ending
)

// mayNote tells whether a text that begins with a keyword may go on as one of
// the forms does, with something like a value near.
func mayNote(low string) bool {
	const most = 200 // cells are padded
	low = low[:min(len(low), most)]
	name := strings.TrimLeft(low, "abcdefghijklmnopqrstuvwxyz")
	rest := strings.TrimLeft(name, "*_"+quotes)
	marked := len(rest) < len(name)
	after := strings.TrimLeft(rest, blank)
	switch {
	case strings.HasPrefix(after, "|"), strings.HasPrefix(after, "("):
	case strings.HasPrefix(after, ":"), strings.HasPrefix(after, "="):
		if !marked && !strings.HasPrefix(after[1:], "*") && !strings.HasPrefix(after[1:], "_") {
			return false
		}
	case len(after) == len(rest):
		return false
	case strings.HasPrefix(after, "is"), strings.HasPrefix(after, "was"):
	default:
		end := strings.IndexAny(after, blank)
		if end < 0 {
			end = len(after)
		}
		return hasValue(after[:end])
	}
	return hasValue(after)
}

// hasValue tells whether anything in s is long enough for a value and has a digit.
func hasValue(s string) bool {
	run, digit := 0, false
	for i := range len(s) {
		if strings.IndexByte(blank+quotes+`*|<>(){}[],;:\`, s[i]) >= 0 {
			run, digit = 0, false
			continue
		}
		run++
		digit = digit || isDigit(s[i])
		if run > minValue && digit {
			return true
		}
	}
	return false
}

// isNoted tells whether what a note names is a secret, and no word, name or
// number.
func isNoted(c candidate) bool {
	s := c.secret()
	if isHex(s) && isID(s) && len(s) < 32 || !strings.ContainsAny(s, "0123456789") || strings.Trim(lower(s), "0123456789.-+_/") == "" {
		return false
	}
	if isID(s) && compile(`(?i)`+twoWords+`[ \t]+$`).MatchString(c.before()) && !strings.HasPrefix(c.before(), "-") {
		return false // nothing says that the id is what the name in front stands for
	}
	return isUUID(s) || isRandom(s)
}

// genericAllow are the words and names that the library lets stand where it
// looks for anything.
func genericAllow() []allowlist {
	for i := range library {
		if library[i].id == genericRule {
			return library[i].allow
		}
	}
	return nil
}
