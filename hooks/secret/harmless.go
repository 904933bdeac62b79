package secret

import (
	"strings"
)

// harmless tells of what has to stay although a pattern takes it: ids and
// digests, which everything that is told about work in a repository is full of.
// Some secrets look the same; what is named as a secret, and stands in that
// name's place, is one all the same.
func harmless(r *rule, c candidate) bool {
	s := c.secret()
	switch {
	case isReviewID(s):
		return true
	case isDigest(c), isLocked(c):
		return true
	case r.id == notedRule:
		return !isNoted(c)
	case isID(s):
		// A pattern that took it by its place, behind a header say, knows better.
		return c.before() == "" || r.assigns() && !r.named(c)
	}
	return (r.id == genericRule || r.id == "vault-service-token") && isName(c)
}

// isReviewID knows our own ids of reviews, as in 3f9a1c0b7d2e.k7q2m9x4.
func isReviewID(s string) bool {
	head, tail, ok := strings.Cut(s, ".")
	return ok && len(head) == 12 && len(tail) == 8 && isHex(head) && strings.Trim(tail, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// isID knows the forms of commits, whole and short, of digests in hex, and of
// UUIDs.
func isID(s string) bool {
	if isHex(s) {
		switch n := len(s); n {
		case 40, 56, 64, 96, 128: // of the SHA family
			return true
		default:
			return n < 32
		}
	}
	return isUUID(s)
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') {
			return false
		}
	}
	return isHex(strings.ReplaceAll(s, "-", ""))
}

// isDigest knows a digest by the name of its algorithm in front, as lock files
// have it: sha512-…, h1:…, sha256:….
func isDigest(c candidate) bool {
	if digestStart(c.secret()) || compile(`^\d{1,2}(?:c\d)?/[0-9a-f]{128}$`).MatchString(c.secret()) { // the second is Yarn's
		return true
	}
	const most = len("blake2b-512:")
	before := lower(c.text[max(0, c.start-most):c.start])
	i := strings.LastIndexFunc(before, func(r rune) bool { return !isRuleRune(r) && r != ':' && r != '=' })
	return digestStart(before[i+1:] + "x")
}

// digestStart tells whether s begins with an algorithm and goes on.
func digestStart(s string) bool {
	i := strings.IndexAny(s, "-:=")
	if i < 0 || i == len(s)-1 {
		return false
	}
	switch lower(s[:i]) {
	case "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "h1", "zh", "blake2b", "blake3":
		return true
	}
	return false
}

// Names that say that a secret follows, and names that say it is something
// that belongs to one.
var (
	secretName = `(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|creds|(?:api|access|auth|private|encryption|signing|license|account)[ _.-]?key)s?(?:[_.-]\w+)*$`
	otherName  = `(?:hash|sha\d*|sums?|checksum|digest|commit|rev|revision|ref|fingerprint|id|uuid|version|tree|parent|head)$`
)

// named tells whether the words in front of the secret name it as one and
// assign it: "token: …", "HEROKU_API_KEY=…", not "fixed the token, …".
func (r *rule) named(c candidate) bool {
	before := lower(c.before())
	name := strings.TrimRight(before, " \t\r\n`'\"\\=:>|,?")
	assignment := before[len(name):]
	if !strings.ContainsAny(assignment, "=:") || strings.ContainsAny(assignment, ",\n") {
		return false
	}
	if compile(otherName).MatchString(name) {
		return false
	}
	if compile(secretName).MatchString(name) {
		return true
	}
	// A vendor's own name, as in HEROKU=….
	last := name[strings.LastIndexAny(name, " \t")+1:]
	if r.id == genericRule {
		return false
	}
	for _, k := range r.keywords {
		if strings.Contains(last, k) {
			return true
		}
	}
	return false
}

// isName tells of a word of a program that merely follows another one, as in
// "KeyAlgoRSA, KeyAlgoED25519", "type PrivateKey = ed25519.PrivateKey" or
// "PrivateKey: testRSA2048PrivateKey". Where
// letters and digits take turns more often than in a name, it is none.
func isName(c candidate) bool {
	s := c.secret()
	between := c.text[c.matchStart:c.start]
	if strings.HasSuffix(between, `"`) || strings.HasSuffix(between, "'") || strings.HasSuffix(between, "`") {
		return false
	}
	turns := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			turns++
		}
	}
	if turns > 3 || isDigit(s[0]) {
		return false
	}
	after := strings.TrimRight(between, " \t\r\n")
	return strings.HasSuffix(after, ",") || compile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`).MatchString(s) ||
		compile(`[A-Z]`).MatchString(s) && compile(`[a-z]{5}`).MatchString(s)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
