package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// value is what a reference holds: an id, or the name of another reference.
// The zero value is a reference that is not there.
type value struct {
	id     string
	target string
}

func (v value) absent() bool { return v == value{} }

// A writer that is not git truncates a reference before it writes it, so an
// empty file is read again for about emptyTries times emptyPause before it
// counts as corrupt.
const (
	emptyTries = 10
	emptyPause = 4 * time.Millisecond
)

// refPath is the file of a loose reference.
func (r *Repo) refPath(name string) string {
	dir := r.CommonDir
	if perWorktree(name) {
		dir = r.GitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// loose reads the file of a reference.
func (r *Repo) loose(name string) (value, error) {
	path := r.refPath(name)
	for try := 0; ; try++ {
		data, err := readLoose(path)
		if err != nil {
			return value{}, err
		}
		if data == nil {
			return value{}, nil
		}
		if len(data) > 0 {
			return r.parseLoose(name, string(data))
		}
		r.at(pointEmpty)
		if try == emptyTries {
			return value{}, fmt.Errorf("%w: %s is empty", ErrCorrupt, path)
		}
		time.Sleep(emptyPause)
	}
}

// readLoose returns nil, and no error, where there is no such file. A link below
// refs/ is an old form of symbolic reference.
func readLoose(path string) ([]byte, error) {
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return []byte("ref: " + target), nil
	}
	data, err := readSmall(path, 4096)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, fs.ErrNotExist), isNotDir(err), isDir(path):
		return nil, nil
	}
	return nil, err
}

// parseLoose reads as git does: what follows an id and white space is ignored.
func (r *Repo) parseLoose(name, text string) (value, error) {
	if target, ok := strings.CutPrefix(text, "ref:"); ok {
		target = strings.TrimSpace(target)
		if !validName(target) {
			return value{}, fmt.Errorf("%w: %s points to a name that is none", ErrCorrupt, name)
		}
		return value{target: target}, nil
	}
	n := r.idLength()
	if len(text) < n || !isHex(text[:n]) || len(text) > n && !isSpace(text[n]) {
		return value{}, fmt.Errorf("%w: %s holds no object id", ErrCorrupt, name)
	}
	return value{id: strings.ToLower(text[:n])}, nil
}
