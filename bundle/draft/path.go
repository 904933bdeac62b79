package draft

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatrail/bundle"
)

// Bounds of a note's path, in bytes: what file systems and git take everywhere.
const (
	maxPart = 255
	maxPath = 1024
)

// CheckNotePath refuses a path that is not a note's, with a *bundle.RuleError.
// A note lies below entries/ or tasks/. No part of its path is empty, hidden
// (which covers "..", ".git" and its disguises) or ends in a dot or a blank, and
// none holds a backslash, a colon or a control character: such names mean
// something else to another system.
func CheckNotePath(path string) error {
	top, rest, _ := strings.Cut(path, "/")
	switch {
	case top != "entries" && top != "tasks":
		return pathError(path, "lies below entries/ or tasks/")
	case len(path) > maxPath:
		return pathError(path, "has at most 1024 bytes")
	case !utf8.ValidString(path):
		return pathError(path, "is UTF-8")
	case strings.ContainsFunc(path, misread):
		return pathError(path, `holds no backslash, colon, control or invisible character`)
	}
	for part := range strings.SplitSeq(rest, "/") {
		switch {
		case part == "":
			return pathError(path, "has no empty part")
		case len(part) > maxPart:
			return pathError(path, "has parts of at most 255 bytes")
		case part[0] == '.' || strings.EqualFold(part, "git~1"):
			return pathError(path, "has no hidden part")
		case strings.TrimRight(part, ". ") != part:
			return pathError(path, "has no part that ends in a dot or a blank")
		}
	}
	return nil
}

// misread reports a character that a file system, git or a terminal takes for
// something else than a letter of a name.
func misread(r rune) bool {
	return r == '\\' || r == ':' || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func pathError(path, rule string) error {
	return &bundle.RuleError{Field: "note.path", Value: quote(path), Rule: rule}
}

// quote makes a value safe and short enough for one line of an error.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.QuoteToASCII(s)
}
