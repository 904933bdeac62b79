package task

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
)

// shortLen is the length of the prefix of a task key that names, review ids
// and messages carry.
const shortLen = 12

// Key is the name of a task: 64 lower-case hex digits made from the agent's
// session id alone, so that no byte of the id reaches a path.
func Key(session string) string {
	sum := sha256.Sum256([]byte("codex-chatrail-v1\x00" + session))
	return hex.EncodeToString(sum[:])
}

// Short is the prefix of a task key that is shown to people, 12 hex digits.
func Short(key string) string {
	if len(key) < shortLen {
		return key
	}
	return key[:shortLen]
}

// IsKey tells whether s has the form of a task key.
func IsKey(s string) bool { return len(s) == 2*sha256.Size && isHex(s) }

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// reviewAlphabet has 32 characters that read aloud without confusion and need
// no quotes in any shell.
const reviewAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// NewReviewID makes the id of a review of a task: the short key, a dot and 8
// random characters of [a-z2-7], as in "3f9a1c0b7d2e.k7q2m9x4".
func NewReviewID(key string) string {
	// It has to be different, not secret: the generator of the runtime, which
	// the system seeds, costs no start-up.
	var tail [8]byte
	for i := range tail {
		tail[i] = reviewAlphabet[rand.IntN(len(reviewAlphabet))]
	}
	return Short(key) + "." + string(tail[:])
}

// ReviewTask returns the prefix of the task key that a review id carries, and
// false for an id of another form.
func ReviewTask(id string) (prefix string, ok bool) {
	prefix, tail, _ := strings.Cut(id, ".")
	if len(prefix) != shortLen || !isHex(prefix) || len(tail) != 8 || strings.Trim(tail, reviewAlphabet) != "" {
		return "", false
	}
	return prefix, true
}
