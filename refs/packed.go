package refs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// packed is an open packed-refs file: lines "<id> <name>" in the order of the
// names, each perhaps followed by "^<id>", the object behind a tag. Git replaces
// the file by rename, so an open one never changes.
type packed struct {
	file   io.ReaderAt
	size   int64
	idLen  int
	start  int64 // behind the header
	sorted bool
	block  []byte // the part of the file that was read last, from off on
	off    int64
}

const packedBlock = 4096

// openPacked returns nil, and no error, where nothing is packed.
func (r *Repo) openPacked() (*packed, func(), error) {
	f, err := os.Open(filepath.Join(r.CommonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	p, err := newPacked(f, fi.Size(), r.idLength())
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return p, func() { f.Close() }, nil
}

func newPacked(file io.ReaderAt, size int64, idLen int) (*packed, error) {
	p := &packed{file: file, size: size, idLen: idLen}
	for p.start < size {
		line, next, err := p.line(p.start)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(line, "#") {
			break
		}
		if traits, ok := strings.CutPrefix(line, "# pack-refs with:"); ok {
			p.sorted = strings.Contains(traits+" ", " sorted ")
		}
		p.start = next
	}
	return p, nil
}

// lookup is the id of a packed reference, "" where it is not packed.
func (p *packed) lookup(name string) (string, error) {
	id := ""
	err := p.each(name, func(n, i string) bool {
		if n == name {
			id = i
		}
		return n != name && !(p.sorted && n > name)
	})
	return id, err
}

// each calls fn for the records from the first that is not before a name on,
// until it returns false. Where the file is not known to be sorted, for all.
func (p *packed) each(from string, fn func(name, id string) bool) error {
	at := p.start
	if p.sorted {
		var err error
		if at, err = p.seek(from); err != nil {
			return err
		}
	}
	for at < p.size {
		line, next, err := p.line(at)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(line, "^") {
			id, name, err := p.record(line)
			if err != nil {
				return err
			}
			if !fn(name, id) {
				return nil
			}
		}
		at = next
	}
	return nil
}

// seek finds by halving where the first record begins that is not before name.
func (p *packed) seek(name string) (int64, error) {
	lo, hi := p.start, p.size // lo is the start of a line; records before it are smaller, from hi on they are not
	for lo < hi {
		mid := lo + (hi-lo)/2
		at, line, next, err := p.recordFrom(lo, mid)
		if err != nil {
			return 0, err
		}
		if at >= hi {
			hi = mid
			continue
		}
		_, found, err := p.record(line)
		if err != nil {
			return 0, err
		}
		if found < name {
			lo = next
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// recordFrom is the first record that begins at or after pos. start is the
// beginning of some line not after pos.
func (p *packed) recordFrom(start, pos int64) (at int64, line string, next int64, err error) {
	at = pos
	if pos > start {
		if _, at, err = p.line(pos - 1); err != nil {
			return 0, "", 0, err
		}
	}
	for at < p.size {
		if line, next, err = p.line(at); err != nil || !strings.HasPrefix(line, "^") {
			return at, line, next, err
		}
		at = next
	}
	return at, "", at, nil
}

// line reads from a position up to the end of its line; next is behind that.
func (p *packed) line(at int64) (text string, next int64, err error) {
	var long []byte
	for at < p.size {
		if err := p.load(at); err != nil {
			return "", 0, err
		}
		rest := p.block[at-p.off:]
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return string(append(long, rest[:n]...)), at + int64(n) + 1, nil
		}
		long = append(long, rest...)
		at += int64(len(rest))
	}
	return string(long), p.size, nil
}

// load makes the block cover a position.
func (p *packed) load(at int64) error {
	if at >= p.off && at < p.off+int64(len(p.block)) {
		return nil
	}
	if p.block == nil {
		p.block = make([]byte, 0, packedBlock)
	}
	p.off = at / packedBlock * packedBlock
	n, err := p.file.ReadAt(p.block[:min(packedBlock, p.size-p.off)], p.off)
	p.block = p.block[:n]
	if p.off+int64(n) > at {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("packed-refs: %w", err)
}

func (p *packed) record(line string) (id, name string, err error) {
	id, name, ok := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
	if !ok || len(id) != p.idLen || !isHex(id) || name == "" {
		return "", "", fmt.Errorf("%w: packed-refs has a line that is none", ErrCorrupt)
	}
	return strings.ToLower(id), name, nil
}
