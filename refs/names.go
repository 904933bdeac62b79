package refs

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// Namespace is where the references of ChatRail live, RemoteNamespace where
// fetched ones are kept apart, one level down for each remote.
const (
	Namespace       = "refs/chatrail/"
	RemoteNamespace = "refs/chatrail-remote/"
)

// Project is the reference of a repository's project bundle.
func Project() string { return Namespace + "project" }

// AtFolder is the reference of a subfolder's own project. rel is the slash
// path below the top of the work tree, as Rel gives it.
func AtFolder(rel string) string {
	rel = path.Clean("/" + rel)[1:]
	return Namespace + "at/" + Encode(rel)
}

// Task is the reference of a task's own road.
func Task(name string) string { return Namespace + "task/" + Encode(name) }

// Known tells whether a name is one that Project, AtFolder or Task could have
// made. What else stands below the namespace is nobody's of ours.
func Known(name string) bool {
	if name == Project() {
		return true
	}
	for _, kind := range []string{"at/", "task/"} {
		if part, ok := strings.CutPrefix(name, Namespace+kind); ok {
			_, whole := Decode(part)
			return whole || isCut(part)
		}
	}
	return false
}

// isCut knows a name that Encode has cut.
func isCut(part string) bool {
	i := len(part) - 2*sha256.Size
	return i >= 2 && len(part) <= maxEncoded && part[i-2:i] == "==" && isHex(part[i:]) && !strings.Contains(part, "/")
}

// maxEncoded bounds an encoded name in bytes, so that it stays a file name with
// the endings that git and we put after it.
const maxEncoded = 200

// Encode makes any text one component of a reference name. Letters, digits,
// "_" and "-" of ASCII stand for themselves, every other byte is "=XX" in
// upper-case hex, and the empty text is "=". What would be longer than 200 bytes
// is cut to a readable head of at most 134, at the border of an encoded byte,
// with "==" and the SHA-256 of the text in lower-case hex behind it. No two
// texts have the same encoding, as far as that holds for a hash.
func Encode(text string) string {
	const upper = "0123456789ABCDEF"
	if text == "" {
		return "="
	}
	var b strings.Builder
	cut := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; isAlpha(c) || '0' <= c && c <= '9' || c == '_' || c == '-' {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'=', upper[c>>4], upper[c&15]})
		}
		if b.Len() <= maxEncoded-2-2*sha256.Size {
			cut = b.Len()
		}
	}
	if b.Len() <= maxEncoded {
		return b.String()
	}
	sum := sha256.Sum256([]byte(text))
	return b.String()[:cut] + "==" + hex.EncodeToString(sum[:])
}

// Decode is the text that Encode was given. It is false for a name that Encode
// did not make, and for one that was cut, because that cannot be undone.
func Decode(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '=' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			break
		}
		c, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	if text := b.String(); Encode(text) == name {
		return text, true
	}
	return "", false
}
