package task

import (
	"os"
	"path/filepath"
	"strings"

	"chatrail/refs"
)

// Superproject returns the top of the work tree that a repository is a
// submodule of, and false where it is none. A submodule either keeps its
// repository inside that of the project around it, or, made before it was
// registered, is named in that project's .gitmodules.
func Superproject(repo *refs.Repo) (top string, inside bool) {
	if repo.WorkTree == "" {
		return "", false
	}
	outer, err := refs.Discover(filepath.Dir(repo.WorkTree))
	if err != nil || outer.WorkTree == "" || outer.CommonDir == repo.CommonDir {
		return "", false
	}
	if within(repo.CommonDir, filepath.Join(outer.CommonDir, "modules")) ||
		within(repo.CommonDir, filepath.Join(outer.GitDir, "modules")) {
		return outer.WorkTree, true
	}
	rel, err := outer.Rel(repo.WorkTree)
	if err != nil || !registered(outer.WorkTree, rel) {
		return "", false
	}
	return outer.WorkTree, true
}

// registered tells whether .gitmodules names a path. It reads the plain form
// that git writes.
func registered(top, rel string) bool {
	root, err := os.OpenRoot(top)
	if err != nil {
		return false
	}
	defer root.Close()
	data, err := readRegular(root, ".gitmodules", 1<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		key, value, found := strings.Cut(line, "=")
		if found && strings.TrimSpace(key) == "path" && strings.Trim(strings.TrimSpace(value), `"`) == rel {
			return true
		}
	}
	return false
}
