package work

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// Declare says what the changed paths of the work tree are work on.
type Declare struct {
	Advance []string // work items, or items of the Rail, that it moves
	Close   []string // those that it finishes
	NoTask  bool     // it is work on none
}

func (x Declare) empty() bool { return len(x.Advance) == 0 && len(x.Close) == 0 && !x.NoTask }

func (x Declare) check() error {
	if x.NoTask && (len(x.Advance) > 0 || len(x.Close) > 0) {
		return &UsageError{"--no-task says that the changes are work on no item: give it alone"}
	}
	if slices.ContainsFunc(slices.Concat(x.Advance, x.Close), func(name string) bool { return strings.TrimSpace(name) == "" }) {
		return &UsageError{"--advance and --close need the name of an item"}
	}
	return nil
}

// declaring is a declaration before it is recorded: its JSON form is what waits
// in a drop box.
type declaring struct {
	Review string   `json:"review"`
	Items  []string `json:"items,omitempty"`
	Trees  []look   `json:"trees"`

	at          time.Time
	approximate bool // found without git
}

// look is what a review saw of a work tree.
type look struct {
	task.TreeState
	Head string `json:"head,omitempty"`
}

// listTime bounds how long the changed paths are listed and read. What is found
// by then is declared, and it is said that there may be more.
const listTime = 10 * time.Second

// prepare looks at everything that a declaration needs, and writes nothing. The
// moves of work items become a part of the change, and give it a reason where
// nothing else needs one.
func (d *Desk) prepare(ctx context.Context, receipt task.Receipt, r *Request, c *change) (*declaring, error) {
	x := &declaring{Review: r.Review, at: d.Now().UTC()}
	var err error
	if x.Items, c.Moves, err = d.items(ctx, receipt, *c, r.Declare); err != nil {
		return nil, err
	}
	if r.Reason == "" {
		r.Reason = c.moveReason()
	}
	return x, d.lookAround(ctx, receipt, x)
}

// lookAround lists the changed paths here, and in the other work trees where the
// gate refused a commit of this task: it may have been made by `git -C`.
func (d *Desk) lookAround(ctx context.Context, receipt task.Receipt, x *declaring) error {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	if d.Dir != "" {
		here, approximate, err := d.lookAt(ctx, receipt, d.Dir, true)
		switch {
		case errors.Is(err, refs.ErrNotRepo):
		case err != nil:
			return err
		default:
			x.Trees, x.approximate = append(x.Trees, here), approximate
		}
	}
	refused, err := d.Home.LoadRefusals(receipt.TaskKey)
	if err != nil {
		return nil // the gate opens where it cannot read them either
	}
	for _, r := range refused {
		if r.Answered || slices.ContainsFunc(x.Trees, func(l look) bool { return l.Project == r.Project }) {
			continue
		}
		there, approximate, err := d.lookAt(ctx, receipt, r.WorkTree, false)
		if err != nil || there.Project != r.Project {
			// Gone, another one by now, or a work tree that only git's variables named:
			// whoever did what the gate asked for is not asked again all the same.
			there = look{TreeState: task.TreeState{Project: r.Project}}
		}
		x.Trees, x.approximate = append(x.Trees, there), x.approximate || approximate
	}
	return nil
}

// lookAt lists the changed paths of the work tree that a folder lies in, and
// reads their contents.
func (d *Desk) lookAt(ctx context.Context, receipt task.Receipt, dir string, honourEnv bool) (l look, approximate bool, err error) {
	discover := refs.Discover
	if honourEnv {
		discover = func(dir string) (*refs.Repo, error) { return refs.DiscoverEnv(dir, os.Getenv) }
	}
	repo, err := discover(dir)
	if err != nil {
		return l, false, err
	}
	if repo.WorkTree == "" {
		return l, false, &RefusedError{"here is no work tree whose changes could be declared: change to one"}
	}
	l.Project = projectOf(repo)
	if head, err := repo.Head(); err == nil {
		l.Head = head.Commit
	}
	listing, err := worktree.Changed(ctx, dir, worktree.Options{
		HonourEnv: honourEnv, Limit: task.MaxDeclared, Foreign: d.foreign(receipt.TaskKey, receipt, dir), Fallback: d.Fallback,
	})
	if err != nil {
		return l, false, err
	}
	if listing.Refused != "" {
		return l, false, &RefusedError{"which paths are changed cannot be told: " + listing.Refused}
	}
	contents, partial := worktree.Contents(ctx, repo.WorkTree, d.notOurs(repo, listing.Changed), worktree.Bounds{})
	l.Contents = make(map[string]string, len(contents))
	for path, content := range contents {
		l.Contents[pathKey(path)] = content
	}
	l.Whole = !partial && !listing.Partial && !listing.Approximate
	return l, listing.Approximate, nil
}

// projectOf names the work tree of a repository.
func projectOf(repo *refs.Repo) task.Project {
	return task.Project{CommonDir: repo.CommonDir, WorkTree: repo.WorkTree}
}

// pathKey stands for a path without the slash that marks a repository inside:
// once it is tracked it is listed without one.
func pathKey(path string) string { return task.PathKey(strings.TrimSuffix(path, "/")) }

// declare records a declaration after the review was answered, or leaves it where
// the answer was left. A review that was answered before in other words still
// takes it: a second commit of one turn has nothing else to answer.
func (d *Desk) declare(ctx context.Context, key string, c change, x *declaring, a *Answer, err error) (*Answer, error) {
	if err != nil && c.onlyMoves() && (errors.Is(err, errOtherWords) || task.Unwritable(err)) {
		a, err = &Answer{Outcome: Repeated, Review: x.Review, Left: c.leftLines()}, nil
	}
	if err != nil {
		return a, err
	}
	a.declares(x)
	if a.Outcome != Kept {
		if err = d.recordDeclared(ctx, key, x); !task.Unwritable(err) {
			return a, afterAnswer(err)
		}
	}
	path, err := d.dropDeclared(ctx, key, x)
	if err != nil {
		return nil, afterAnswer(err)
	}
	if a.waiting = true; a.Dropped == "" {
		a.Dropped = path
	}
	return a, nil
}

// afterAnswer says that the review was answered and only the declaration failed.
func afterAnswer(err error) error {
	if err == nil {
		return nil
	}
	return &RefusedError{"the review is answered, but the changed paths could not be declared (" + err.Error() + "): run the same line again"}
}

// recordDeclared writes a declaration into the ledgers, and opens the gate for
// what it refused before.
func (d *Desk) recordDeclared(ctx context.Context, key string, x *declaring) error {
	var projects []task.Project
	for _, tree := range x.Trees {
		err := d.Home.Declare(ctx, tree.TreeState, task.Declaration{Items: x.Items, Review: x.Review, Head: tree.Head, At: x.at})
		if err != nil {
			return err
		}
		projects = append(projects, tree.Project)
	}
	return d.Home.AnswerRefusals(ctx, key, projects)
}

// declarations are the declared paths of one work tree.
type declarations struct {
	paths   map[string]task.Declaration
	waiting []look // what waits in the drop box to be declared
}

// declarations reads what is declared in a work tree.
func (d *Desk) declarations(repo *refs.Repo) (declarations, error) {
	l, err := d.Home.LoadDeclared(projectOf(repo))
	return declarations{paths: l.Paths}, err
}

// holds tells whether a path is declared with this content.
func (s declarations) holds(path, content string) bool {
	key := pathKey(path)
	if declared, ok := s.paths[key]; ok && declared.Content == content {
		return true
	}
	return slices.ContainsFunc(s.waiting, func(l look) bool {
		declared, ok := l.Contents[key]
		return ok && declared == content
	})
}
