package work

import (
	"path/filepath"
	"slices"
	"strings"

	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// notOurs leaves the state home out of a list of changed paths, where it lies in
// the work tree, as in a repository of somebody's home directory: what ChatRail
// writes is nobody's unfinished work.
func (d *Desk) notOurs(repo *refs.Repo, changed []worktree.Change) []worktree.Change {
	ours := d.ours(repo)
	return slices.DeleteFunc(changed, func(c worktree.Change) bool { return ours(c.Path) })
}

// ours tells which paths of a work tree lie in the state home.
func (d *Desk) ours(repo *refs.Repo) func(path string) bool {
	home, err := filepath.EvalSymlinks(d.Home.Dir)
	if err != nil {
		return func(string) bool { return false }
	}
	rel, err := filepath.Rel(repo.WorkTree, home)
	if err != nil || !filepath.IsLocal(rel) {
		return func(string) bool { return false }
	}
	prefix := filepath.ToSlash(rel) + "/"
	return func(path string) bool { return strings.HasPrefix(path, prefix) }
}
