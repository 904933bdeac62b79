package refs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// checkConflict makes sure that a new reference has no other one above or below
// it, loose or packed.
func (r *Repo) checkConflict(name string) error {
	p, closePacked, err := r.openPacked()
	if err != nil {
		return err
	}
	defer closePacked()
	for above := path.Dir(name); above != "refs"; above = path.Dir(above) {
		// A loose one cannot be there: our lock lies in a folder of that name.
		if p == nil {
			break
		}
		id, err := p.lookup(above)
		if err != nil {
			return err
		}
		if id != "" {
			return conflict(name, above)
		}
	}
	if dir := r.refPath(name); isDir(dir) && !isEmptyBelow(dir) {
		return conflict(name, name+"/…")
	}
	if p == nil {
		return nil
	}
	below := ""
	err = p.each(name+"/", func(n, _ string) bool {
		if strings.HasPrefix(n, name+"/") {
			below = n
		}
		return below == "" && !(p.sorted && n > name+"/")
	})
	if err == nil && below != "" {
		return conflict(name, below)
	}
	return err
}

// conflictAbove names the reference that has the name of a folder we need.
func (r *Repo) conflictAbove(name string) error {
	for above := path.Dir(name); above != "refs" && above != "."; above = path.Dir(above) {
		if fi, err := os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(above))); err == nil && !fi.IsDir() {
			return conflict(name, above)
		}
	}
	return conflict(name, path.Dir(name))
}

func conflict(name, other string) error {
	return fmt.Errorf("%w: %s cannot exist beside %s", ErrConflict, name, other)
}

// isEmptyBelow reports whether a folder holds no file at any depth.
func isEmptyBelow(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.IsDir() || !isEmptyBelow(filepath.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

// removeEmptyBelow removes a folder with the empty folders in it, and fails at
// the first that is not empty.
func removeEmptyBelow(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeEmptyBelow(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}
