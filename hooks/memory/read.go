package memory

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// errShape says that something is no regular file.
var errShape = errors.New("not a regular file")

// errSize says that a file has more bytes than are read.
var errSize = errors.New("too large")

// readPath reads a regular file of at most limit bytes. It may be reached by
// links: settings often are.
func readPath(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errShape
	}
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOpen(f, info, limit)
}

// readIn reads a regular file of a folder, never through a link: Lstat sees it,
// and what was opened has to be the same.
func readIn(folder *os.Root, name string, limit int64) ([]byte, error) {
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("a link, and links are not followed")
	}
	if !info.Mode().IsRegular() {
		return nil, errShape
	}
	f, err := folder.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOpen(f, info, limit)
}

func readOpen(f *os.File, seen fs.FileInfo, limit int64) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || !os.SameFile(info, seen):
		return nil, errShape
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, errSize
	}
	return data, err
}
