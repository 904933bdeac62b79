package work

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/refs"
)

// gate is one look at a commit that is about to be made.
type gate struct {
	*Desk
	options CheckOptions
	scope   *Scope
	project task.Project
	repo    *refs.Repo
	staged  worktree.Staging
	known   declarations
	note    string // the draft to name in the remedy, "" for the active one
}

// maxRounds is how often a task is asked to declare something more for the same
// commit. A gate that goes on after that cannot be met.
const maxRounds = 2

// repoHere is the repository of the working directory as git sees it here.
func (d *Desk) repoHere() (*refs.Repo, error) { return refs.DiscoverEnv(d.Dir, os.Getenv) }

// judge decides. The cheap questions come first.
func (g *gate) judge(ctx context.Context) (CheckResult, error) {
	left, err := g.undeclared(ctx)
	if err != nil || len(left) == 0 {
		return open, err
	}
	if g.scope.Frozen != "" || g.scope.Store == nil {
		return open, nil // nothing could be recorded; status and hooks say why
	}
	rev, err := g.scope.Tip(ctx)
	if err != nil {
		return open, err
	}
	written, found, err := g.draft(ctx, rev)
	if err != nil || written {
		return open, err
	}
	return g.refuse(ctx, left, found)
}

// draft looks at the caller's active draft, with what waits for it in the drop
// box: whether there is one, and whether somebody has written in it.
// Outside a task it is the newest draft that no task opened: the one that the
// commit is stamped on.
func (g *gate) draft(ctx context.Context, rev *bundle.Revision) (written, found bool, err error) {
	var notes *chronicle.Index
	read := func(path string) ([]byte, error) { return g.scope.Store.Note(ctx, rev.ID, path) }
	if g.scope.Key != "" && task.PendingDrop(g.Env, g.scope.Key) {
		expected, err := g.expected(ctx, g.scope)
		if err != nil {
			return false, false, err
		}
		notes, read = expected.index(), expected.read
	} else if notes, err = g.index(ctx, g.scope.Place, g.scope.Store, rev.ID); err != nil {
		return false, false, err
	}
	item, found := g.own(notes)
	if !found {
		return false, false, nil
	}
	if newest, _ := notes.ActiveDraft(""); g.scope.Key == "" && newest.Path != item.Path {
		g.note = item.Path // another one is what a bare append means
	}
	text, err := read(item.Path)
	return chronicle.Written(text), true, err
}

// own is the draft that a commit of the caller is stamped on.
func (g *gate) own(notes *chronicle.Index) (chronicle.Item, bool) {
	if g.scope.Key != "" {
		return notes.ActiveDraft(callers(g.scope.Key, g.scope.Receipt.Adopted)...)
	}
	for _, item := range notes.Entries(chronicle.Filter{State: chronicle.DraftState}) {
		if item.Task == "" && item.Broken == "" {
			return item, true
		}
	}
	return chronicle.Item{}, false
}

// undeclared are the staged paths that are not declared: neither as they are in
// the work tree now, of which a part may be staged, nor as they are staged.
func (g *gate) undeclared(ctx context.Context) (left []string, err error) {
	if err := g.forgetSpent(ctx); err != nil {
		return nil, err
	}
	var named []worktree.Change
	for _, p := range g.staged.Paths {
		if g.known.names(p.Path) {
			named = append(named, worktree.Change{Path: p.Path})
		}
	}
	present, _ := worktree.Contents(ctx, g.staged.Top, named, worktree.Bounds{})
	var differ []worktree.StagedPath
	for _, p := range g.staged.Paths {
		content, read := present[p.Path]
		switch {
		case g.known.counted(p.Path, g.project, g.staged.Head):
		case !g.known.names(p.Path):
			left = append(left, p.Path)
		case !read && ctx.Err() != nil:
			return nil, errTooLong
		case read && !g.known.takes(p.Path, content):
			differ = append(differ, p)
		}
	}
	contents, err := worktree.StagedContents(ctx, g.Dir, worktree.Options{HonourEnv: true}, differ)
	if err != nil {
		return nil, err
	}
	for _, p := range differ {
		if !slices.ContainsFunc(contents[p.Path], func(c string) bool { return g.known.takes(p.Path, c) }) {
			left = append(left, p.Path)
		}
	}
	slices.Sort(left)
	return left, nil
}

// forgetSpent leaves out what was declared on another HEAD and is in this one: it
// has been committed, and says nothing of what is staged now.
func (g *gate) forgetSpent(ctx context.Context) error {
	var before []worktree.StagedPath
	for _, p := range g.staged.Paths {
		if d, ok := g.known.paths[pathKey(p.Path)]; ok && d.Head != g.staged.Head && p.BeforeMode != "" {
			before = append(before, p.Before())
		}
	}
	held, err := worktree.StagedContents(ctx, g.Dir, worktree.Options{HonourEnv: true}, before)
	if err != nil {
		return err
	}
	for path, contents := range held {
		key := pathKey(path)
		if slices.Contains(contents, commitOf(g.known.paths[key].Content)) {
			delete(g.known.paths, key)
		}
	}
	return nil
}

// names tells whether a path is declared with any content.
func (s declarations) names(path string) bool {
	key := pathKey(path)
	if _, ok := s.paths[key]; ok {
		return true
	}
	return slices.ContainsFunc(s.waiting, func(l look) bool { _, ok := l.Contents[key]; return ok })
}

// takes is holds for what a commit takes: of a submodule that is its commit, and
// not what lies about in it.
func (s declarations) takes(path, content string) bool {
	if s.holds(path, content) {
		return true
	}
	key := pathKey(path)
	declared := []string{s.paths[key].Content}
	for _, l := range s.waiting {
		declared = append(declared, l.Contents[key])
	}
	return slices.ContainsFunc(declared, func(d string) bool { return d != "" && commitOf(d) == commitOf(content) })
}

func commitOf(content string) string {
	if !strings.HasPrefix(content, "commit:") {
		return content
	}
	commit, _, _ := strings.Cut(content, "+")
	return commit
}

// counted tells whether a declaration that still waits in the drop box named a
// path since HEAD moved. In a sandbox the gate cannot remember what it refused,
// so there the content may have changed.
func (s declarations) counted(path string, p task.Project, head string) bool {
	key := pathKey(path)
	return slices.ContainsFunc(s.waiting, func(l look) bool {
		_, named := l.Contents[key]
		return l.Project == p && l.Head == head && (named || !l.Whole)
	})
}

// refuse closes the gate, unless that would be for good. A path that was refused
// before and declared since has changed again, as what a build writes does: it is
// let through. What is remembered ends when HEAD moves.
func (g *gate) refuse(ctx context.Context, left []string, draft bool) (CheckResult, error) {
	r := CheckResult{}
	r.Command, r.review = g.remedy(draft)
	key := g.scope.Key
	if key == "" {
		r.Undeclared = left
		return r, nil
	}
	refused, err := g.Home.LoadRefusals(key)
	if err != nil {
		return open, err
	}
	head := g.staged.Head
	if now, err := worktree.Now(ctx, g.repo); err == nil {
		head += " " + now.Entry // HEAD that moved and came back is another moment
	}
	again := task.Refusal{}
	for _, old := range refused {
		if old.Project != g.project || old.Head != head {
			continue
		}
		if old.Answered && old.Rounds >= maxRounds {
			return doubt("tool bug: %s was declared %d times over and is still not", left[0], maxRounds+1), nil
		}
		again = old
	}
	for _, path := range left {
		if !again.Covers(path) {
			r.Undeclared = append(r.Undeclared, path)
		}
	}
	if len(r.Undeclared) == 0 {
		return CheckResult{Open: true, Doubt: left[0] + " changed again after it was declared", obeyed: true}, nil
	}
	keys := make([]string, len(left))
	for i, path := range left {
		keys[i] = pathKey(path)
	}
	err = g.Home.Refuse(ctx, key, task.Refusal{Project: g.project, Head: head, Paths: keys, At: g.Now().UTC().Truncate(time.Second)})
	if task.Unwritable(err) {
		err = task.CheckDrop(g.Env) // what the line writes goes there
	}
	return r, err
}

// remedy is the line that opens the gate, and whether it answers a review.
func (g *gate) remedy(draft bool) (command string, review bool) {
	program := g.options.Program
	if program == "" {
		program = "chatrail"
	}
	_, session, inAgent := task.InAgent(g.Env)
	if g.options.Session != "" {
		session = g.options.Session
	}
	if r := g.scope.Receipt.Turn.Review; r != nil && g.scope.Receipt.Pin != nil {
		if _, ours := task.ReviewTask(r.ID); ours {
			return program + " reconcile " + r.ID + " --no-task", true
		}
		if session != "" { // an id of the Python tool has no task in it
			return program + " reconcile --session-id " + words.ShellQuote(session) + " --review-id " + words.ShellQuote(r.ID) + " --no-task", true
		}
	}
	who := ""
	if g.options.Session != "" {
		who = " --session-id " + words.ShellQuote(session)
	}
	if g.note != "" {
		who += " --entry " + words.ShellQuote(g.note)
	}
	if draft && (session != "" || !inAgent) {
		return program + " append" + who + ` "what this commit does"`, false
	}
	return program + " new" + who + ` "what this commit does" "and why"`, false
}
