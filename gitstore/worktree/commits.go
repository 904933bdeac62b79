package worktree

import (
	"context"
	"slices"
	"strings"
	"time"

	"chatrail/refs"
)

// Commit is a commit that was made in a work tree.
type Commit struct {
	ID      string
	When    time.Time // when HEAD moved to it, whole seconds
	How     string    // Committed, Amended, Merge, CherryPick, Revert, Rebase or Am
	Subject string    // the first line of its message
}

// Made are the commits that were made in a work tree since some moment and that
// HEAD or a branch still has, oldest first.
type Made struct {
	Commits []Commit
	// Approximate says that there was no git program to tell what is still there:
	// amended commits are left out, those that were reset away are not, and what a
	// rebase made is missing.
	Approximate bool
	Partial     bool // the log was too long, broken, or missing: there may be more
}

// maxDeeds bounds how many commits are looked at, the newest.
const maxDeeds = 2000

// Commits lists what was committed, amended, picked, reverted, merged, applied
// and rebased in a work tree since a moment, by the log of its HEAD. Commits
// that came by a pull, a fast-forward, a reset or a checkout are not among
// them, nor are those that a rebase made anew out of commits which were not.
//
// It starts no process when the log tells of no commit, else one or two.
func Commits(ctx context.Context, repo *refs.Repo, since Since) (Made, error) {
	log, err := after(ctx, repo, since)
	if err != nil {
		return Made{}, err
	}
	made := Made{Partial: !log.whole}
	deeds := deedsOf(log.entries)
	if len(deeds) > maxDeeds {
		deeds, made.Partial = deeds[len(deeds)-maxDeeds:], true
	}
	silent := len(log.entries) == 0 && log.base == ""
	if len(deeds) == 0 && !silent {
		return made, nil
	}
	head, err := repo.Head()
	if err != nil || head.Unborn {
		return made, err
	}
	if silent {
		// There is a commit and no log that could tell where it came from.
		made.Partial = true
		return made, nil
	}
	known, err := lookUp(ctx, repo, deeds, head.Commit)
	if noProgram(err) {
		made.Approximate, made.Commits = true, withoutObjects(log.entries)
		return made, nil
	}
	if err != nil {
		return Made{}, err
	}
	kept, err := stillThere(ctx, repo, ownDeeds(deeds, known), known, head.Commit, log.base)
	if err != nil {
		return Made{}, err
	}
	for _, d := range kept {
		made.Commits = append(made.Commits, Commit{ID: d.id, When: d.when, How: d.how, Subject: known[d.id].subject})
	}
	return made, nil
}

// deedsOf keeps the last deed of each commit, in the order of the log.
func deedsOf(entries []entry) []deed {
	var deeds []deed
	seen := map[string]bool{}
	for _, e := range slices.Backward(entries) {
		if d, ok := judge(e); ok && !seen[d.id] {
			seen[d.id] = true
			deeds = append(deeds, d)
		}
	}
	slices.Reverse(deeds)
	return deeds
}

// ownDeeds leaves out what a rebase made of other people's commits, and of those
// from before. A rebase keeps the author, the time of writing and the subject:
// by these a commit is known again. Missing ones, amended or rebased away and
// pruned since, are no commits of HEAD.
func ownDeeds(deeds []deed, known map[string]object) []deed {
	own := map[string]bool{}
	for _, d := range deeds {
		if o, ok := known[d.id]; ok && !d.again {
			own[o.origin] = true
		}
	}
	return slices.DeleteFunc(deeds, func(d deed) bool {
		o, ok := known[d.id]
		return !ok || d.again && !own[o.origin]
	})
}

// stillThere keeps the deeds that HEAD or a branch can reach: work on a branch
// that was left is not gone. Most often the commits themselves tell; else git
// does.
func stillThere(ctx context.Context, repo *refs.Repo, deeds []deed, known map[string]object, head, base string) ([]deed, error) {
	reached := walk(known, head, base)
	gone := map[string]bool{}
	var ask []string
	for _, d := range deeds {
		if !reached[d.id] {
			ask = append(ask, d.id)
		}
	}
	if len(ask) > 0 {
		// What the commits in question have and neither HEAD nor a branch has; the way
		// back is short, since it ends where they meet.
		out, err := output(repo.Git(ctx, "rev-list", "--not", "--branches", "--not", "--stdin"), append(ask, "^"+head))
		if err != nil {
			return nil, err
		}
		for id := range strings.Lines(out) {
			gone[strings.TrimSuffix(id, "\n")] = true
		}
	}
	return slices.DeleteFunc(deeds, func(d deed) bool { return gone[d.id] }), nil
}

// walk follows parents from HEAD among the known commits, down to base: what is
// below that is older.
func walk(known map[string]object, head, base string) (reached map[string]bool) {
	reached = map[string]bool{}
	for next := []string{head}; len(next) > 0; {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		o, ok := known[id]
		if !ok || reached[id] || id == base {
			continue
		}
		reached[id] = true
		next = append(next, o.parents...)
	}
	return reached
}

// withoutObjects is what the log alone tells.
func withoutObjects(entries []entry) []Commit {
	var commits []Commit
	for _, e := range entries {
		d, ok := judge(e)
		if !ok || d.again {
			continue
		}
		commits = slices.DeleteFunc(commits, func(c Commit) bool {
			return c.ID == d.id || d.how == Amended && c.ID == d.old
		})
		_, subject, _ := strings.Cut(d.message, ": ")
		commits = append(commits, Commit{ID: d.id, When: d.when, How: d.how, Subject: subject})
	}
	return commits
}
