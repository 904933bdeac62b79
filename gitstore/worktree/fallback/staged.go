package fallback

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"chatrail/gitstore/objects"
	"chatrail/refs"
)

// stage compares the index with HEAD.
type stage struct {
	same bool            // the index says itself that it holds the tree of HEAD
	head map[string]leaf // what HEAD has and no entry was compared with
	seen int             // entries of trees
}

// Bounds for trees that were made to hurt: few objects can hold the same tree
// over and over.
const (
	maxEntries = 1 << 23
	maxPath    = 1 << 16
)

var errTrees = fmt.Errorf("HEAD has more than %d entries, or a path of more than %d bytes", maxEntries, maxPath)

// leaf is a file, a link or a submodule in a tree.
type leaf struct {
	mode filemode.FileMode
	id   plumbing.Hash
}

func staging(ctx context.Context, repo *refs.Repo, idx *index.Index) (*stage, error) {
	head, err := repo.Head()
	if err != nil {
		return nil, err
	}
	if head.Commit == "" {
		return &stage{}, nil
	}
	db := objects.Open(repo)
	r := db.Reader(nil)
	defer r.Close()
	data, err := r.Get(ctx, head.Commit, objects.Commit)
	if err != nil {
		return nil, err
	}
	commit, err := db.Hash().DecodeCommit(data)
	if err != nil {
		return nil, err
	}
	// Git keeps the tree that it last made of the index or filled it with, and
	// forgets it with the first entry that differs.
	if idx.Cache != nil && len(idx.Cache.Entries) > 0 {
		if top := idx.Cache.Entries[0]; top.Path == "" && top.Hash.String() == commit.Tree {
			return &stage{same: true}, nil
		}
	}
	s := &stage{head: map[string]leaf{}}
	return s, s.take(ctx, db, r, commit.Tree, "")
}

// take collects the leaves of a tree.
func (s *stage) take(ctx context.Context, db *objects.DB, r *objects.Reader, tree, prefix string) error {
	data, err := r.Get(ctx, tree, objects.Tree)
	if err != nil {
		return err
	}
	entries, err := db.Hash().DecodeTree(data)
	if err != nil {
		return err
	}
	if s.seen += len(entries); s.seen > maxEntries || len(prefix) > maxPath {
		return errTrees
	}
	for _, e := range entries {
		path := prefix + e.Name
		if e.Mode == objects.ModeDir {
			err = s.take(ctx, db, r, e.ID, path+"/")
		} else {
			l := leaf{id: plumbing.NewHash(e.ID)}
			l.mode, err = filemode.New(e.Mode)
			s.head[path] = l
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// of is git's first letter for an entry of the index. Of one that was only
// announced, by "git add -N", nothing is staged.
func (s *stage) of(e *index.Entry) string {
	if s.same {
		return " "
	}
	was, known := s.head[e.Name]
	switch {
	case e.IntentToAdd && !known:
		return " "
	case e.IntentToAdd:
		delete(s.head, e.Name)
		return "D"
	case !known:
		return "A"
	}
	delete(s.head, e.Name)
	switch {
	case kind(was.mode) != kind(e.Mode):
		return "T"
	case was.id != e.Hash || executable(was.mode) != executable(e.Mode):
		return "M"
	}
	return " "
}

// kind is what a mode says about the kind of a thing.
func kind(mode filemode.FileMode) filemode.FileMode { return mode & 0o170000 }

// executable is all that git knows of the permissions of a file. Trees of old
// have others.
func executable(mode filemode.FileMode) bool {
	return kind(mode) == kind(filemode.Regular) && mode&0o100 != 0
}
