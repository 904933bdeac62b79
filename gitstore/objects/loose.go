package objects

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

func loosePath(dir, id string) string { return filepath.Join(dir, id[:2], id[2:]) }

// errDamaged says that a loose file does not hold what its name says. It is as
// good as missing: nothing but the right bytes can take its place.
var errDamaged = fmt.Errorf("%w: its file is damaged", ErrMissing)

// maxHeader is the length of a kind, a size and what divides them, as git
// bounds it.
const maxHeader = 32

// readLoose reads the loose object id below dir. However much a file inflates
// to, no more than the object should have is read of it.
func (h Hash) readLoose(dir, id string) (Object, error) {
	f, err := openRegular(loosePath(dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return Object{}, ErrMissing
	}
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	in := inflaters.Get().(*inflater)
	defer inflaters.Put(in)
	r, err := in.open(f)
	if err != nil {
		return Object{}, errDamaged
	}
	kind, size, ok := readHeader(r)
	if !ok {
		return Object{}, errDamaged
	}
	if tooLarge(kind, size) {
		return Object{}, ErrTooLarge
	}
	// The buffer grows with what comes, not with what the header promises.
	data := make([]byte, 0, min(size, firstBuffer)+bytes.MinRead)
	all := bytes.NewBuffer(data)
	n, err := all.ReadFrom(io.LimitReader(r, size+1))
	if err != nil || n != size {
		return Object{}, errDamaged
	}
	o := h.Object(kind, all.Bytes())
	if o.ID != id {
		return Object{}, errDamaged
	}
	return o, nil
}

// firstBuffer is what an object is given before any of it has come.
const firstBuffer = 64 << 10

// inflater reads one compressed file after another. A fresh one clears some fifty
// kilobytes, which costs more than to inflate an object of two.
type inflater struct {
	file *bufio.Reader
	z    io.ReadCloser
	out  *bufio.Reader
}

var inflaters = sync.Pool{New: func() any {
	return &inflater{file: bufio.NewReaderSize(nil, 4<<10), out: bufio.NewReaderSize(nil, 512)}
}}

func (i *inflater) open(f io.Reader) (*bufio.Reader, error) {
	i.file.Reset(f)
	var err error
	if i.z == nil {
		i.z, err = zlib.NewReader(i.file)
	} else {
		err = i.z.(zlib.Resetter).Reset(i.file, nil)
	}
	if err != nil {
		return nil, err
	}
	i.out.Reset(i.z)
	return i.out, nil
}

// openRegular opens a file, and nothing that only has the name of one.
func openRegular(path string) (*os.File, error) {
	f, err := openFile(path)
	if err != nil {
		// A socket, or a directory where those cannot be opened.
		if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, errDamaged
		}
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, cmp.Or(err, errDamaged)
	}
	return f, nil
}

// readHeader reads "kind size" up to its zero byte.
func readHeader(r *bufio.Reader) (Kind, int64, bool) {
	head := make([]byte, 0, maxHeader)
	for len(head) < maxHeader {
		c, err := r.ReadByte()
		if err != nil {
			return "", 0, false
		}
		if c != 0 {
			head = append(head, c)
			continue
		}
		kind, digits, _ := strings.Cut(string(head), " ")
		size, err := strconv.ParseInt(digits, 10, 64)
		return Kind(kind), size, err == nil && size >= 0
	}
	return "", 0, false
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
