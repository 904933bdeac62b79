package chronicle

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatrail/bundle"
)

// CheckText refuses text that a note cannot hold, with a *bundle.RuleError that
// says where: broken UTF-8 and NUL bytes. Anything else is kept as it is,
// whatever it looks like.
func CheckText(text string) error { return checkText("text", text) }

func checkText(field, text string) error {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return &bundle.RuleError{Field: field, Rule: fmt.Sprintf("holds a NUL byte at offset %d; a note is text", at)}
	}
	if !utf8.ValidString(text) {
		at := firstInvalid([]byte(text))
		return &bundle.RuleError{Field: field, Rule: fmt.Sprintf("is not UTF-8 at offset %d (byte %#02x)", at, text[at])}
	}
	return nil
}
