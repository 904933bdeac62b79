package objects

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

func loosePath(dir, id string) string { return filepath.Join(dir, id[:2], id[2:]) }

// errDamaged says that a loose file does not hold what its name says. It is as
// good as missing: nothing but the right bytes can take its place.
var errDamaged = fmt.Errorf("%w: its file is damaged", ErrMissing)

// readLoose reads the loose object id below dir.
func (h Hash) readLoose(dir, id string) (Object, error) {
	f, err := os.Open(loosePath(dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return Object{}, ErrMissing
	}
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return Object{}, errDamaged
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err != nil {
		return Object{}, errDamaged
	}
	if size > MaxSize {
		return Object{}, ErrTooLarge
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return Object{}, errDamaged
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return Object{}, errDamaged
	}
	o := h.Object(Kind(kind.String()), data)
	if o.ID != id {
		return Object{}, errDamaged
	}
	return o, nil
}

// deflaters are kept for the next object: the tables of a fresh one are a third
// of a megabyte of untouched memory, which costs a short process more than the
// compression itself. The fastest level does for objects of a few kilobytes.
var deflaters = sync.Pool{New: func() any {
	w, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant of the package
	}
	return w
}}

// compress makes the content of a loose file: the canonical form, deflated.
func compress(o Object) ([]byte, error) { return Deflate(o.Canonical()) }

// Deflate compresses parts, one behind the other, as zlib does.
func Deflate(parts ...[]byte) ([]byte, error) {
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
