package work

import (
	"strings"

	"chatrail/hooks/secret"
)

// ErrorLine is what went wrong, in one line that is safe on a terminal and holds
// no secret: an error may repeat what was said.
func ErrorLine(err error) string {
	clean, _ := secret.Redact(Fold(err.Error()))
	return clean
}

// Fold makes one line that is safe on a terminal out of a message that may hold
// anything, a path say.
func Fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 }), " ")
}
