package fallback

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// readIndex reads the index of a work tree; one that is missing is empty.
func readIndex(gitDir string) (*index.Index, error) {
	f, err := os.Open(filepath.Join(gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return &index.Index{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	idx, err := decodeIndex(data)
	if err != nil {
		return nil, fmt.Errorf("the index cannot be read without git: %w", err)
	}
	idx.ModTime = fi.ModTime()
	return idx, nil
}

func decodeIndex(data []byte) (*index.Index, error) {
	idx := &index.Index{}
	err := index.NewDecoder(bytes.NewReader(data)).Decode(idx)
	if errors.Is(err, index.ErrInvalidChecksum) && bytes.HasSuffix(data, make([]byte, 20)) {
		err = nil // index.skipHash: git left the checksum out
	}
	if err != nil {
		return nil, err
	}
	for _, e := range idx.Entries {
		if !validPath(e.Name) {
			return nil, fmt.Errorf("%q is no path inside a work tree", e.Name)
		}
	}
	return idx, nil
}

// validPath refuses what git refuses in an index: a path that leads out of the
// work tree or into a git dir.
func validPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return filepath.IsLocal(filepath.FromSlash(path))
}
