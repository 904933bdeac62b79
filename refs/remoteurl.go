package refs

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
)

// withoutCredentials takes the user and password out of every URL in a text,
// and what follows a "?", where tokens are put too. The user of an ssh URL stays,
// since it is part of the address. A word is judged up to its end, so that a
// password with a stray "/" or quote in it is not cut in half and left.
func withoutCredentials(text string) string {
	before, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	scheme := before[strings.LastIndexFunc(before, func(c rune) bool { return !isSchemeRune(c) })+1:]
	end := strings.IndexAny(rest, " \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	address := bareAddress(strings.ToLower(scheme), rest[:end])
	// There may be a second URL in the same word, and more behind it.
	return before + "://" + withoutCredentials(address) + withoutCredentials(rest[end:])
}

func isSchemeRune(c rune) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'
}

// bareAddress is what follows "scheme://", without credentials.
func bareAddress(scheme, address string) string {
	host := address
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		host = address[:i]
	}
	at := strings.LastIndexByte(host, '@')
	if at < 0 && !strings.HasPrefix(host, "[") {
		if _, port, ok := strings.Cut(host, ":"); ok && (port == "" || strings.Trim(port, "0123456789") != "") {
			// No port, so perhaps a password with a "/" in it.
			at = strings.LastIndexByte(address, '@')
		}
	}
	ssh := strings.Contains(scheme, "ssh")
	if at >= 0 {
		user, _, _ := strings.Cut(address[:at], ":")
		address = address[at+1:]
		if ssh && user != "" {
			return user + "@" + address
		}
	}
	if i := strings.IndexByte(address, '?'); i >= 0 && !ssh {
		return address[:i] + "?…"
	}
	return address
}

// urlSpace is the folder for what was fetched from a URL given by hand. "=-" in
// it keeps it apart from every encoded name.
func urlSpace(url string) string {
	key := withoutCredentials(url)
	key, _, _ = strings.Cut(key, "?…")
	key = strings.TrimRight(key, "/")
	word := strings.TrimSuffix(key[strings.LastIndexAny(key, `/\:`)+1:], ".git")
	word = strings.Map(func(c rune) rune {
		if c < 0x80 && (isAlpha(byte(c)) || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return c
		}
		return '-'
	}, word)
	if len(word) > 40 {
		word = word[:40]
	}
	sum := sha256.Sum256([]byte(key))
	return word + "=-" + hex.EncodeToString(sum[:8])
}

// isLocal reports whether git takes an address for a path of this machine.
func isLocal(address string) bool {
	colon, slash := strings.IndexByte(address, ':'), strings.IndexByte(address, '/')
	drive := len(address) > 1 && colon == 1 && isAlpha(address[0])
	return colon < 0 || slash >= 0 && slash < colon || drive && runtime.GOOS == "windows"
}
