package worktree

import (
	"context"
	"errors"

	"chatrail/refs"
)

// State is a work tree as it was found.
type State struct {
	Top       string // absolute, without links; "" in a bare repository and inside a git dir
	Branch    string // "main"; the whole name for a reference outside refs/heads/; "" when detached or not known
	Head      string // commit id, "" when unborn or not known
	Detached  bool
	Unborn    bool // the branch has no commit yet
	Operation Operation
	Listing
}

// shortID is how many digits of a commit id are shown to people.
const shortID = 12

// BranchWords names where HEAD stands: "main", "main (no commit yet)",
// "detached at 3f9a1c0b7d2e", "" where it is not known.
func (s State) BranchWords() string {
	switch {
	case s.Detached:
		return "detached at " + s.Head[:min(len(s.Head), shortID)]
	case s.Unborn && s.Branch != "":
		return s.Branch + " (no commit yet)"
	}
	return s.Branch
}

// Read is the whole state of the work tree that a folder lies in; an empty dir
// is the working directory. When the context's deadline passes, the paths read
// so far stand and the state is partial.
//
// What cannot answer is a state too: Refused says why. Read returns
// refs.ErrNotRepo where there is no repository, and the errors of Changed.
func Read(ctx context.Context, dir string, o Options) (State, error) {
	repo, err := o.discover(dir)
	if errors.Is(err, refs.ErrNotRepo) {
		return State{}, err
	}
	var s State
	if err == nil {
		s, err = Standing(repo)
	}
	listing, failed := Changed(ctx, dir, o)
	if failed != nil {
		return State{}, failed
	}
	s.Listing = listing
	if s.Refused == "" && err != nil {
		// Git copes with something that we do not: the paths are right, and the
		// rest is not passed off as known.
		s.Refused = harmless(err.Error())
	}
	return s, nil
}

// Standing is the part of the state that is in the repository's files: all but
// the changed paths. It starts no process unless the references are kept in
// another storage than files.
func Standing(repo *refs.Repo) (State, error) {
	s := State{Top: repo.WorkTree, Operation: InProgress(repo)}
	head, err := repo.Head()
	if err != nil {
		return s, err
	}
	s.Branch, s.Head, s.Detached, s.Unborn = head.Branch, head.Commit, head.Detached, head.Unborn
	return s, nil
}
