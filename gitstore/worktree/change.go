package worktree

import (
	"cmp"
	"slices"
	"strings"
)

// Change is one path that differs between HEAD, the index and the work tree. A
// path can stand in a list twice, as "D " and "??": removed from the index,
// and there.
type Change struct {
	// Path has the bytes that git knows it by, below the top of the work tree,
	// separated by slashes. A repository inside that is not tracked ends in one.
	Path string
	// State is git's two letters as in "git status --porcelain=v1", index and work
	// tree: " M", "??", "UU".
	State     string
	Submodule bool
	// Inside says of a submodule what has changed in it apart from its commit: "M"
	// for tracked files, "U" for untracked ones, "MU" for both.
	Inside string
}

// ownFolder is where a directory bundle lives. What ChatRail writes is nobody's
// unfinished work.
const ownFolder = ".chatrail"

func inOwnFolder(path string) bool {
	for part, rest, more := strings.Cut(path, "/"); more; part, rest, more = strings.Cut(rest, "/") {
		if part == ownFolder {
			return true
		}
	}
	return false
}

func sortChanges(changes []Change) {
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(b.State, a.State))
	})
}
