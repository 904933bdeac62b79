package secret

import "strings"

const (
	// secretWord is a name that is nothing but a word for a secret, with what it
	// is for in front. With dashes it may be a package, so only the plainest are
	// taken.
	secretWord = `^(?:(?i:token|secret|passw(?:or)?d|pwd|passphrase)|apikey` +
		`|(?:[a-z0-9]+_)*(?:token|secret|passw(?:or)?d|pwd|passphrase|(?:api|access|auth|private|secret|encryption|signing)_?key)` +
		`|(?:[A-Z0-9]+_)*(?:TOKEN|SECRET|PASSW(?:OR)?D|PWD|PASSPHRASE|(?:API|ACCESS|AUTH|PRIVATE|SECRET|ENCRYPTION|SIGNING)_?KEY)` +
		`|[a-zA-Z][a-z]*(?:[A-Z][a-z]+)*(?:Token|Secret|Password|Passphrase)|(?:[a-zA-Z][a-z]*)?(?:api|Api|access|Access|private|Private|secret|Secret)Key` +
		`|(?:client|access|api|private|secret)-(?:secret|token|key))$`
	// packageWord is a word for a secret that a package may be called.
	packageWord = `^[a-z-]+$`
	checksums   = `(?i)^[^\n]*checksums?["']?:?[ \t]*\r?$`
	// maxBlock bounds how far up a heading is looked for, and near how many lines
	// on either side may tell that a word is a package's name.
	maxBlock, near = 100, 4
)

// isLocked tells of the digest of a package, whatever the package is called. A
// word for a secret is the name of one only where the lines around say so.
func isLocked(c candidate) bool {
	switch len(c.secret()) {
	case 40, 64, 128:
	default:
		return false
	}
	if !isHex(c.secret()) {
		return false
	}
	start, end := lineStart(c.text, c.start), lineEnd(c.text, c.end)
	name := lockedName(c.text[start:end])
	if name == "" {
		return false
	}
	if !isSecretWord(name) {
		return true
	}
	packages := 0
	isWord := compile(packageWord).MatchString(name)
	for n := 0; n < maxBlock && start > 0; n++ { // upward, to the heading
		above := lineStart(c.text, start-1)
		line := c.text[above : start-1]
		other := lockedName(line)
		if other == "" {
			if compile(checksums).MatchString(line) {
				return true
			}
			break
		}
		if isWord && n < near {
			packages += isPackage(other)
		}
		start = above
	}
	for n := 0; isWord && n < near && end < len(c.text); n++ {
		next := lineEnd(c.text, end+1)
		other := lockedName(c.text[end+1 : next])
		if other == "" {
			break
		}
		packages += isPackage(other)
		end = next
	}
	return packages >= 2
}

// lineStart is where the line that at is on begins, or how far back it is
// followed, which is further than any line of a lock file.
func lineStart(text string, at int) int {
	least := max(0, at-maxLine-1)
	return least + strings.LastIndexByte(text[least:at], '\n') + 1
}

// lineEnd is where the line that at is on ends, or how far it is followed.
func lineEnd(text string, at int) int {
	most := min(len(text), at+maxLine+1)
	if i := strings.IndexByte(text[at:most], '\n'); i >= 0 {
		return at + i
	}
	return most
}

// lockedName is the name on a line that holds but a name and a digest, as those
// of lock files do; "" on any other.
func lockedName(line string) string {
	if len(line) > maxLine {
		return ""
	}
	line = strings.TrimPrefix(strings.Trim(line, " \t\r"), "- ")
	name, digest, ok := strings.Cut(line, ": ")
	if !ok {
		return ""
	}
	digest = unquote(strings.TrimRight(strings.TrimLeft(digest, " \t"), ","))
	switch len(digest) {
	case 40, 64, 128:
	default:
		return ""
	}
	name = unquote(name)
	if !isHex(digest) || strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }) >= 0 {
		return ""
	}
	return name
}

func unquote(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// isNameRune knows what the names of packages are made of.
func isNameRune(r rune) bool {
	return r < 128 && (isRuleRune(r) || r >= 'A' && r <= 'Z' || strings.ContainsRune("_./@+", r))
}

// isSecretWord looks at the last part of a name with dots, as settings have it.
func isSecretWord(name string) bool {
	return compile(secretWord).MatchString(name[strings.LastIndexByte(name, '.')+1:])
}

// isPackage counts a line that can stand for a package: no secret, and no id of
// something in a repository.
func isPackage(name string) int {
	if isSecretWord(name) || compile(otherName).MatchString(lower(name)) {
		return 0
	}
	return 1
}
