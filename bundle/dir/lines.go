package dir

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"chatrail/bundle"
)

// errLongLine says that a line is longer than any event can be.
var errLongLine = errors.New("line too long")

// line is one line of the events file.
type line struct {
	text  []byte // without the line break and blanks around it; valid until the next call
	start int64  // offset of its first byte
	end   int64  // offset behind its line break
	torn  bool   // the file ends before the line break
}

// blank reports a line that says nothing.
func (l line) blank() bool { return len(l.text) == 0 }

// forward reads lines from an offset on.
type forward struct {
	r   *bufio.Reader
	pos int64
	buf []byte
}

func newForward(r io.ReaderAt, from, to int64) *forward {
	return &forward{r: bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), 128<<10), pos: from}
}

// next returns io.EOF behind the last line and errLongLine for a line that
// nobody should hold in memory.
func (f *forward) next() (line, error) {
	f.buf = f.buf[:0]
	l := line{start: f.pos}
	for {
		part, err := f.r.ReadSlice('\n')
		f.buf = append(f.buf, part...)
		f.pos += int64(len(part))
		if len(f.buf) > bundle.MaxEventLine+2 {
			return l, errLongLine
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(f.buf) == 0:
			return l, io.EOF
		case err != nil && err != io.EOF:
			return l, err
		}
		l.text, l.end, l.torn = trim(f.buf), f.pos, err == io.EOF
		return l, nil
	}
}

// backward reads lines from an offset, where a line ends, to the beginning.
type backward struct {
	r   io.ReaderAt
	pos int64  // offset of buf
	buf []byte // what is read and not yet returned
}

func newBackward(r io.ReaderAt, from int64) *backward { return &backward{r: r, pos: from} }

// next returns the line before the last one, io.EOF at the beginning.
func (b *backward) next() (line, error) {
	for {
		body := bytes.TrimSuffix(b.buf, []byte("\n"))
		at := bytes.LastIndexByte(body, '\n')
		if at < 0 && b.pos > 0 {
			if len(b.buf) > bundle.MaxEventLine+2 {
				return line{}, errLongLine
			}
			if err := b.fill(); err != nil {
				return line{}, err
			}
			continue
		}
		if len(b.buf) == 0 {
			return line{}, io.EOF
		}
		l := line{
			text: trim(body[at+1:]), start: b.pos + int64(at+1), end: b.pos + int64(len(b.buf)),
			torn: len(body) == len(b.buf),
		}
		b.buf = b.buf[:at+1]
		return l, nil
	}
}

// fill puts the chunk before buf in front of it.
func (b *backward) fill() error {
	const chunk = 64 << 10
	// Growing with what is there keeps a long line from being copied for each chunk.
	size := min(max(chunk, int64(len(b.buf))), b.pos)
	grown := make([]byte, size, size+int64(len(b.buf)))
	if _, err := b.r.ReadAt(grown, b.pos-size); err != nil && err != io.EOF {
		return err
	}
	b.buf = append(grown, b.buf...)
	b.pos -= size
	return nil
}

// trim takes off the line break, also one that git made CRLF, and blanks.
func trim(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }
