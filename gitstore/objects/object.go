package objects

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"

	githash "github.com/go-git/go-git/v5/plumbing/hash"
)

// MaxSize is the size in bytes above which an object is not read: everything
// that ChatRail writes is far smaller.
const MaxSize = 8 << 20

// MaxCommit is the same for commits: a message is a few lines.
const MaxCommit = 64 << 10

// tooLarge says that an object of this kind and size, in bytes, is not read.
func tooLarge(kind Kind, size int64) bool {
	return size > MaxSize || kind == Commit && size > MaxCommit
}

// Kind is the type of an object, as git spells it.
type Kind string

// The kinds of objects that a bundle is made of.
const (
	Blob   Kind = "blob"
	Tree   Kind = "tree"
	Commit Kind = "commit"
)

// Object is one object with its id.
type Object struct {
	ID   string // 40 or 64 hex digits
	Kind Kind
	Data []byte
}

// ErrMissing says that an object is not in the repository, or not whole.
var ErrMissing = errors.New("object missing")

// ErrLeftOut is ErrMissing in a partial clone, ErrShallow that of a commit in a
// shallow one: the repository never had the object, and nobody asks for it over
// the network.
var (
	ErrLeftOut = fmt.Errorf("%w: the repository is a partial clone", ErrMissing)
	ErrShallow = fmt.Errorf("%w: the repository is shallow", ErrMissing)
)

// ErrTooLarge says that an object has more than MaxSize bytes, or a commit more
// than MaxCommit.
var ErrTooLarge = errors.New("object too large")

// ErrBroken says that an object is not of the kind or the form that it should
// be.
var ErrBroken = errors.New("object broken")

// Hash is the hash function of a repository.
type Hash string

// The object formats of git.
const (
	SHA1   Hash = "sha1"
	SHA256 Hash = "sha256"
)

// Len is the length of an id in hex digits.
func (h Hash) Len() int {
	if h == SHA256 {
		return 64
	}
	return 40
}

// Valid says whether s is a full id in this format.
func (h Hash) Valid(s string) bool {
	if len(s) != h.Len() {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func (h Hash) new() hash.Hash {
	if h == SHA256 {
		return sha256.New()
	}
	return githash.New(crypto.SHA1) // the collision-detecting one
}

// Object names data: its id is the hash of git's canonical form.
func (h Hash) Object(kind Kind, data []byte) Object {
	sum := h.new()
	sum.Write(header(kind, len(data)))
	sum.Write(data)
	return Object{ID: hex.EncodeToString(sum.Sum(nil)), Kind: kind, Data: data}
}

// header is what stands before the data in git's canonical form.
func header(kind Kind, size int) []byte {
	b := append([]byte(kind), ' ')
	b = strconv.AppendInt(b, int64(size), 10)
	return append(b, 0)
}

// expect refuses an object of another kind.
func (o Object) expect(kind Kind) error {
	if o.Kind != kind {
		return fmt.Errorf("%w: %s is a %s, not a %s", ErrBroken, o.ID, o.Kind, kind)
	}
	return nil
}

// Canonical is the object in git's canonical form, kind and size before the
// data: what its id is the hash of.
func (o Object) Canonical() []byte { return append(header(o.Kind, len(o.Data)), o.Data...) }

// ParseCanonical reads objects that stand one after another in canonical form.
// It ends at the first that is not whole.
func (h Hash) ParseCanonical(data []byte) []Object {
	var found []Object
	for {
		head, rest, ok := bytes.Cut(data, []byte{0})
		kind, digits, spaced := strings.Cut(string(head), " ")
		size, err := strconv.Atoi(digits)
		if !ok || !spaced || err != nil || size < 0 || size > len(rest) {
			return found
		}
		found = append(found, h.Object(Kind(kind), rest[:size:size]))
		data = rest[size:]
	}
}
