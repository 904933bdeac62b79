package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A file of our own begins with a line that says so, with a digest of the rest:
// one that somebody has changed since is no longer ours to replace.

const signature = " Written by chatrail install; chatrail uninstall takes it away. "

func sign(comment, text string) []byte {
	return []byte(fmt.Sprintf("%s%s%s\n%s", comment, signature, digest([]byte(text))[:16], text))
}

// signed tells whether a file is one of ours, as it was written.
func signed(text []byte) bool {
	line, rest, ok := bytes.Cut(text, []byte("\n"))
	_, sum, found := strings.Cut(string(line), signature)
	return ok && found && sum == digest(rest)[:16]
}

// claimed tells whether it began as one of ours.
func claimed(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.Contains(line, []byte(signature))
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
