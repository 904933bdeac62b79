package objects

import (
	"os"
	"path/filepath"
	"strings"
)

// absent is the error for an object that is nowhere: it says where the way the
// repository was cloned explains that.
func (r *Reader) absent(kind Kind) error {
	switch {
	case kind == Commit && r.shallow():
		return ErrShallow
	case r.partial():
		return ErrLeftOut
	}
	return ErrMissing
}

// shallow says whether history is cut off in this repository.
func (r *Reader) shallow() bool {
	info, err := os.Stat(filepath.Join(r.db.repo.CommonDir, "shallow"))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// partial says whether a remote has promised objects that were not fetched: git
// marks the packs that came with such a promise.
func (r *Reader) partial() bool {
	for _, dir := range r.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".promisor") {
				return true
			}
		}
	}
	return false
}
