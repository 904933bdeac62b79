// Package fallback reads the changed paths of a work tree through go-git, for
// machines without a git program. Its answers are approximate: go-git knows
// neither attributes nor filters nor most settings, and compares only sizes,
// times and modes. It is a package of its own because go-git is expensive to
// link.
package fallback

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// Status lists what go-git finds changed in the work tree that a folder lies in,
// in no order. It is a worktree.Options.Fallback. It refuses what git refuses:
// a bare repository and one that belongs to another user.
func Status(dir string) (changes []worktree.Change, err error) {
	defer func() {
		// Broken files of a repository are input, and go-git trusts its input.
		if broken := recover(); broken != nil {
			changes, err = nil, fmt.Errorf("go-git cannot read this repository: %v", broken)
		}
	}()
	repo, err := refs.Discover(dir)
	switch {
	case err != nil:
		return nil, err
	case repo.OwnedByOther():
		return nil, fmt.Errorf("the repository at %s belongs to another user", repo.GitDir)
	case repo.WorkTree == "":
		return nil, errors.New("this operation must be run in a work tree")
	}
	store := storage(repo)
	opened, err := git.Open(store, osfs.New(repo.WorkTree))
	if err != nil {
		return nil, err
	}
	tree, err := opened.Worktree()
	if err != nil {
		return nil, err
	}
	status, err := tree.Status()
	if err != nil {
		return nil, err
	}
	idx, err := store.Index()
	if err != nil {
		return nil, err
	}
	return list(repo.WorkTree, status, unmerged(idx)), nil
}

// storage is a storage over the files of a linked work tree and of the common
// directory, with alternates that may lie anywhere.
func storage(repo *refs.Repo) *filesystem.Storage {
	files := osfs.New(repo.GitDir)
	if repo.CommonDir != repo.GitDir {
		files = dotgit.NewRepositoryFilesystem(files, osfs.New(repo.CommonDir))
	}
	root := filepath.VolumeName(repo.CommonDir) + string(filepath.Separator)
	return filesystem.NewStorageWithOptions(files, cache.NewObjectLRUDefault(), filesystem.Options{AlternatesFS: osfs.New(root)})
}

// conflicts are git's letters for the stages that an unmerged path has in the
// index: 1 the common ancestor, 2 ours, 4 theirs.
var conflicts = map[int]string{1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}

func unmerged(idx *index.Index) map[string]string {
	stages := map[string]int{}
	for _, e := range idx.Entries {
		if e.Stage != 0 {
			stages[e.Name] |= 1 << (e.Stage - 1)
		}
	}
	states := map[string]string{}
	for path, set := range stages {
		states[path] = conflicts[set]
	}
	return states
}

func list(top string, status git.Status, unmerged map[string]string) []worktree.Change {
	var changes []worktree.Change
	nested := map[string]bool{}
	for path, s := range status {
		if _, ok := unmerged[path]; ok || s.Staging == git.Unmodified && s.Worktree == git.Unmodified {
			continue
		}
		c := worktree.Change{Path: path, State: string(s.Staging) + string(s.Worktree)}
		if s.Worktree == git.Untracked {
			c.State = "??"
			if inside := repositoryOf(top, path); inside != "" {
				if nested[inside] {
					continue
				}
				nested[inside] = true
				c.Path = inside
			}
		}
		changes = append(changes, c)
	}
	for path, state := range unmerged {
		changes = append(changes, worktree.Change{Path: path, State: state})
	}
	return changes
}

// repositoryOf is the folder, with a slash behind it, of the repository that a
// file belongs to when that is another one; go-git walks into those.
func repositoryOf(top, path string) string {
	for at := 0; ; at++ {
		slash := strings.IndexByte(path[at:], '/')
		if slash < 0 {
			return ""
		}
		at += slash
		if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(path[:at]), ".git")); err == nil {
			return path[:at+1]
		}
	}
}
