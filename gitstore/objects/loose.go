package objects

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
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

// compress makes the content of a loose file.
func compress(o Object) ([]byte, error) {
	kind, err := plumbing.ParseObjectType(string(o.Kind))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := objfile.NewWriter(&b)
	if err := w.WriteHeader(kind, int64(len(o.Data))); err != nil {
		return nil, err
	}
	if _, err := w.Write(o.Data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
