package task

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
)

// Kind tells how the bundle at a place is kept.
type Kind string

// The kinds of a place.
const (
	KindGit     Kind = "git"     // on a reference of a repository
	KindDir     Kind = "dir"     // in a folder of a project
	KindPrivate Kind = "private" // in the state home, of one task
)

// Place is where a bundle lives, and enough of its identity to notice that
// another one took its place.
type Place struct {
	Kind Kind `json:"kind"`
	// Path is absolute and free of links: the common directory of the
	// repository, or the folder with the three files.
	Path string `json:"path"`
	// Ref is the full name of the reference, "" for a folder.
	Ref string `json:"ref,omitempty"`
	// WorkTree is the folder the bundle was found from, for messages: the top
	// of the work tree, or the folder that holds .chatrail.
	WorkTree string `json:"work_tree,omitempty"`
	// Root is the id of the root revision, "" until it is known.
	Root string `json:"root,omitempty"`
	// Marker is the mark of the repository, "" for a folder.
	Marker string `json:"marker,omitempty"`
	// Frozen is the cause when the place was found broken, one line.
	Frozen string `json:"frozen,omitempty"`
}

// ErrNone says that no project bundle was found: the task gets a private one.
var ErrNone = errors.New("no project bundle here")

// ID names the place in caches, journals and the list of trusted bundles: 32
// hex digits. It is the same from every linked work tree. That of a private
// bundle does not change when the state home moves.
func (p Place) ID() string {
	where := p.Path
	if p.Kind == KindPrivate {
		where = filepath.Base(p.Path)
	}
	sum := sha256.Sum256([]byte("chatrail-place-v1\x00" + string(p.Kind) + "\x00" + where + "\x00" + p.Ref))
	return hex.EncodeToString(sum[:16])
}

// Private is the place of the private bundle of a task, whether it is there
// or not.
func (h Home) Private(key string) Place {
	return Place{Kind: KindPrivate, Path: h.PrivateDir(key)}
}

// owns tells whether a place is a private bundle of this home.
func (h Home) owns(p Place) bool {
	key := filepath.Base(p.Path)
	return p.Kind == KindPrivate && h.Dir != "" && IsKey(key) && filepath.Clean(p.Path) == h.PrivateDir(key)
}
