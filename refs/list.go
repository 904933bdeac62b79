package refs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Ref is a reference and the id that it has.
type Ref struct {
	Name string
	ID   string
}

// List returns the references whose names begin with prefix, which itself
// begins with "refs/", in the order of their names. References that cannot be
// read do not hide the others: the error, which wraps what Read would return for each,
// comes beside the rest.
func (r *Repo) List(prefix string) ([]Ref, error) {
	if !strings.HasPrefix(prefix, "refs/") || strings.Contains(prefix, "..") {
		return nil, errors.New("a prefix of references begins with refs/ and holds no dots in a row")
	}
	if !r.hasFiles() {
		return r.listByGit(prefix)
	}
	loose, err := r.looseNames(prefix)
	if err != nil {
		return nil, err
	}
	found, err := r.packedBelow(prefix)
	if err != nil {
		return nil, err
	}
	var broken error
	for _, name := range loose {
		switch id, err := r.Read(name); {
		case err == nil:
			found[name] = id
		case !errors.Is(err, ErrNoRef):
			delete(found, name)
			broken = also(broken, err)
		}
	}
	list := make([]Ref, 0, len(found))
	for name, id := range found {
		list = append(list, Ref{name, id})
	}
	sortRefs(list)
	return list, broken
}

func sortRefs(list []Ref) {
	slices.SortFunc(list, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
}

// looseNames walks the folder in which names with the prefix lie.
func (r *Repo) looseNames(prefix string) ([]string, error) {
	var names []string
	folder := prefix[:strings.LastIndexByte(prefix, '/')]
	err := filepath.WalkDir(r.refPath(folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			// Git removes folders that have become empty at any time.
			if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
				return nil
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(r.CommonDir, path)
		if err != nil {
			return err
		}
		if name := filepath.ToSlash(rel); strings.HasPrefix(name, prefix) && validName(name) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func (r *Repo) packedBelow(prefix string) (map[string]string, error) {
	found := map[string]string{}
	p, closePacked, err := r.openPacked()
	if err != nil {
		return nil, err
	}
	defer closePacked()
	if p == nil {
		return found, nil
	}
	err = p.each(prefix, func(name, id string) bool {
		if strings.HasPrefix(name, prefix) {
			found[name] = id
			return true
		}
		return !p.sorted || name < prefix
	})
	return found, err
}
