package task

import (
	"path/filepath"

	"chatrail/refs"
)

// SuccessorOf is the reference that `init` would have moved the bundle of a
// project's folder onto, and false where there is none. Whether it is the same
// history is for a caller to see who opens it.
func SuccessorOf(p Place) (Place, bool) {
	if p.Kind != KindDir || filepath.Base(p.Path) != bundleDir {
		return Place{}, false
	}
	folder := filepath.Dir(p.Path)
	repo, err := refs.Discover(folder)
	if err != nil || repo.WorkTree == "" {
		return Place{}, false
	}
	name := refs.Project()
	if folder != repo.WorkTree {
		rel, err := repo.Rel(folder)
		if err != nil {
			return Place{}, false
		}
		name = refs.AtFolder(rel)
	}
	if _, err := repo.Read(name); err != nil {
		return Place{}, false
	}
	return Place{Kind: KindGit, Path: repo.CommonDir, Ref: name, WorkTree: repo.WorkTree}, true
}
