package worktree

import (
	"context"

	"chatrail/refs"
)

// Replayed tells whether the commit that HEAD stands at was made out of another
// one by a rebase, or out of a mail by git am: in the middle of such an
// operation, whatever it did for this commit (pick, squash, reword, continue).
// What somebody commits or amends by hand while a rebase has stopped is not, be
// it a conflict that git would have committed at --continue; nor is a cherry-pick
// or a revert.
//
// The log of HEAD tells. Where it is not kept, every commit in the middle of a
// rebase counts as its own.
func Replayed(ctx context.Context, repo *refs.Repo) bool {
	if head, err := repo.Head(); err == nil {
		var newest entry
		_, err := eachEntry(ctx, repo, func(e entry) bool {
			newest = e
			return false
		})
		if d, ok := judge(newest); err == nil && ok && newest.id == head.Commit {
			return d.how == Rebase || d.how == Am
		}
	}
	switch InProgress(repo).Kind {
	case Rebase, Am:
		return true
	}
	return false
}
