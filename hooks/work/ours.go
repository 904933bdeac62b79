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
	home, err := filepath.EvalSymlinks(d.Home.Dir)
	if err != nil {
		return changed
	}
	rel, err := filepath.Rel(repo.WorkTree, home)
	if err != nil || !filepath.IsLocal(rel) {
		return changed
	}
	prefix := filepath.ToSlash(rel) + "/"
	return slices.DeleteFunc(changed, func(c worktree.Change) bool { return strings.HasPrefix(c.Path, prefix) })
}
