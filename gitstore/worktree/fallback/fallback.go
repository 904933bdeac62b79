// Package fallback reads the changed paths of a work tree without the git
// program. Its answers are approximate: it knows neither attributes nor filters
// nor most settings, and trusts sizes, times and modes.
//
// Of go-git it uses what parses a format: the index, the patterns of ignore
// files. Its status would bring the network, ssh and openpgp along, which every
// start of chatrail pays for.
package fallback

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// Status lists what is changed in the work tree that a folder lies in, in no
// order. It is a worktree.Options.Fallback. It refuses what git refuses: a bare
// repository, one that belongs to another user, a broken index; and what only
// git reads.
func Status(dir string) (changes []worktree.Change, err error) {
	defer func() {
		// Broken files of a repository are input, and go-git trusts its input.
		if broken := recover(); broken != nil {
			changes, err = nil, fmt.Errorf("this repository cannot be read without git: %v", broken)
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
	return changed(context.Background(), repo)
}

// changed puts together what differs between HEAD and the index, the index and
// the files, and what is in none of them.
func changed(ctx context.Context, repo *refs.Repo) ([]worktree.Change, error) {
	if repo.ObjectFormat != "sha1" || repo.RefStorage != "files" {
		return nil, fmt.Errorf("a repository with %s objects and references in %s is read by git alone: install git",
			repo.ObjectFormat, repo.RefStorage)
	}
	set, err := readSettings(repo)
	if err != nil {
		return nil, err
	}
	idx, err := readIndex(repo.GitDir)
	if err != nil {
		return nil, err
	}
	staged, err := staging(ctx, repo, idx)
	if err != nil {
		return nil, err
	}
	unmerged := conflicted(idx)
	files := newFiles(ctx, repo.WorkTree, set, idx)
	var changes []worktree.Change
	for _, e := range idx.Entries {
		if _, ok := unmerged[e.Name]; ok {
			continue
		}
		c := files.compare(e)
		c.State = staged.of(e) + c.State
		if c.State != "  " {
			changes = append(changes, c)
		}
	}
	for path := range staged.head {
		if _, ok := unmerged[path]; !ok {
			changes = append(changes, worktree.Change{Path: path, State: "D "})
		}
	}
	for path, state := range unmerged {
		changes = append(changes, worktree.Change{Path: path, State: state})
	}
	for _, path := range untracked(repo, set, idx) {
		changes = append(changes, worktree.Change{Path: path, State: "??"})
	}
	return changes, nil
}

// conflicts are git's letters for the stages that an unmerged path has in the
// index: 1 the common ancestor, 2 ours, 4 theirs.
var conflicts = map[int]string{1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}

func conflicted(idx *index.Index) map[string]string {
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
