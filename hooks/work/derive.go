package work

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// derived is what can be told at a moment without asking anybody.
type derived struct {
	chronicle.Checkpoint
	ended []string // work items finished or cut lately, in words
	named string   // what is next, where somebody named it
}

// Bounds of the contents that are read to tell whether a path changed.
var contentBounds = worktree.Bounds{Paths: 20_000, Bytes: 256 << 20}

// derive looks at everything that a checkpoint is made of. s may have no store:
// then what a bundle would add is missing. The context bounds the look at the
// work tree; what is not read by then is marked as partial.
func (d *Desk) derive(ctx context.Context, s *Scope, byHand bool) (derived, error) {
	var c derived
	if repo := d.repoOf(s.Place, byHand); repo != nil {
		d.deriveTree(ctx, &c.Checkpoint, repo, s, byHand)
	}
	// The rest is short, and worth having also when the deadline has passed.
	ctx = context.WithoutCancel(ctx)
	if s.Place.Kind != "" && keepsMemory(s.Receipt) {
		memory, err := d.memory(ctx, s.Place)
		if err == nil {
			c.Memory = memory
		}
	}
	rev, _, err := s.Revision(ctx, "")
	if err != nil || rev == nil || s.Store == nil {
		return c, nil // the words of a bundle that cannot be read are missing
	}
	x, err := d.index(ctx, s.Place, s.Store, rev.ID)
	if err != nil {
		return c, err
	}
	c.road(rev.State)
	c.notes(x, callers(s.Key, s.Receipt.Adopted))
	c.ended = endedLately(x, d.Now())
	return c, d.cover(ctx, &c.Checkpoint, x, s.Store, rev.ID)
}

// road takes the words of the Rail that somebody named.
func (c *derived) road(s bundle.State) {
	if s.Rail.HasNorth() {
		c.North = s.Rail.North
	}
	if s.Rail.Next != nil && !s.IsDefault() {
		c.Next = s.Rail.Next.Summary
		c.named = c.Next
	}
}

// notes takes what the chronicle says of work in flight and owed, and of the
// caller's draft.
func (c *derived) notes(x *chronicle.Index, tasks []string) {
	c.InFlight, c.Owed, c.Draft = nil, nil, nil
	for _, item := range x.InFlight() {
		c.InFlight = append(c.InFlight, chronicle.RefOf(item))
	}
	for _, item := range x.Owed() {
		c.Owed = append(c.Owed, chronicle.RefOf(item))
	}
	if draft, ok := x.ActiveDraft(tasks...); ok {
		ref := chronicle.RefOf(draft)
		c.Draft = &ref
	}
}

// repoOf is the repository whose work tree a checkpoint is about: the one that
// one stands in, unless the bundle belongs to another; nil for none.
func (d *Desk) repoOf(p task.Place, byHand bool) *refs.Repo {
	var here *refs.Repo
	if d.Dir != "" {
		var err error
		if byHand {
			here, err = refs.DiscoverEnv(d.Dir, d.Env)
		} else {
			here, err = refs.Discover(d.Dir)
		}
		if err != nil {
			here = nil
		}
	}
	if p.Kind != task.KindGit || here != nil && here.CommonDir == p.Path {
		return here
	}
	for _, top := range []string{p.WorkTree, p.Path} {
		if top == "" {
			continue
		}
		if there, err := refs.At(top); err == nil && there.CommonDir == p.Path {
			return there
		}
	}
	return nil
}

// deriveTree reads the work tree: where HEAD is, what is changed, and what the
// task committed. What cannot be read is said in the checkpoint itself.
func (d *Desk) deriveTree(ctx context.Context, c *chronicle.Checkpoint, repo *refs.Repo, s *Scope, byHand bool) {
	dir, hand := cmp.Or(repo.WorkTree, repo.GitDir), byHand
	if here, err := refs.DiscoverEnv(d.Dir, d.Env); byHand && err == nil && here.GitDir == repo.GitDir {
		dir = d.Dir // as git would see it from here
	} else {
		byHand = false
	}
	standing, err := worktree.Standing(repo)
	if err != nil {
		c.Trouble = bundle.OneLine(err.Error(), 300)
	}
	c.Branch, c.Head, c.Operation = standing.Branch, standing.Head, standing.Operation.Words()
	if standing.Detached {
		c.Branch = chronicle.Detached(c.Head)
	}
	listing, err := worktree.Changed(ctx, dir, worktree.Options{HonourEnv: byHand, Foreign: hand && d.foreign(s.Key, s.Receipt, dir), Fallback: d.Fallback})
	switch {
	case err != nil:
		c.Trouble, c.Partial = bundle.OneLine(err.Error(), 300), true
	case listing.Refused != "":
		c.Trouble = bundle.OneLine(listing.Refused, 300)
	}
	c.Approximate, c.Unlisted = listing.Approximate, c.Partial || listing.Partial
	c.Partial = c.Unlisted
	began := s.baseline()
	d.paths(ctx, c, repo, d.notOurs(repo, listing.Changed), began)
	if began.At.IsZero() {
		return // outside a task, or before its first prompt: nothing began here
	}
	made, err := worktree.Commits(context.WithoutCancel(ctx), repo, began.since(repo))
	if err != nil {
		c.CommitsPartial = true
		return
	}
	c.CommitsPartial = made.Partial
	for _, m := range made.Commits {
		c.Commits = append(c.Commits, chronicle.Uncovered{ID: m.ID, Subject: m.Subject})
	}
}

// paths lists the changed paths with what is known of each.
func (d *Desk) paths(ctx context.Context, c *chronicle.Checkpoint, repo *refs.Repo, changed []worktree.Change, began baseline) {
	if len(changed) == 0 {
		return
	}
	contents, partial := worktree.Contents(ctx, repo.WorkTree, changed, contentBounds)
	c.Partial = c.Partial || partial
	declared, err := d.declarations(repo)
	if err != nil {
		declared = declarations{} // nothing is known to be declared
	}
	for _, change := range changed {
		content, read := contents[change.Path]
		path := chronicle.Path{
			Path: change.Path, State: strings.ReplaceAll(change.State, " ", "."), Content: content,
			Declared: read && declared.holds(change.Path, content),
			Earlier:  began.had(repo, change, content),
		}
		if !read { // then the clock tells one state from the next
			at, _ := lastChange(pathOf(repo, change))
			path.Content = "at " + at.UTC().Format(time.RFC3339Nano)
		}
		c.Changed = append(c.Changed, path)
	}
}

// cover leaves out the commits that an entry or a checkpoint with prose accounts
// for. The bodies of notes are only read where that is not settled by their
// front matter.
func (d *Desk) cover(ctx context.Context, c *chronicle.Checkpoint, x *chronicle.Index, store bundle.Store, id string) error {
	if len(c.Commits) == 0 {
		return nil
	}
	drop := func(hash string) {
		c.Commits = slices.DeleteFunc(c.Commits, func(u chronicle.Uncovered) bool { return chronicle.SameCommit(u.ID, hash) })
	}
	for _, item := range x.Entries(chronicle.Filter{}) {
		for _, hash := range item.Hashes {
			drop(hash)
		}
	}
	if len(c.Commits) == 0 {
		return nil
	}
	return store.EachNote(ctx, id,
		func(ref bundle.NoteRef) bool { return len(c.Commits) > 0 && chronicle.KindOf(ref.Path) != "" },
		func(_ bundle.NoteRef, data []byte) error {
			if !bytes.Contains(data, []byte("covers=")) {
				return nil
			}
			for _, b := range chronicle.Blocks(chronicle.Read(data).Body) {
				for _, hash := range b.Covers {
					drop(hash)
				}
			}
			return nil
		})
}

// How long what ended is told, and how many of it.
const (
	lately   = 14 * 24 * time.Hour
	maxEnded = 6
)

// endedLately names the work items that were finished or cut a short while ago:
// plans that a summary could bring back to life.
func endedLately(x *chronicle.Index, now time.Time) (list []string) {
	var items []chronicle.Item
	for _, status := range []chronicle.Status{chronicle.Done, chronicle.Cut} {
		items = append(items, x.WorkItems(chronicle.Filter{Status: status, Since: now.Add(-lately)})...)
	}
	slices.SortStableFunc(items, func(a, b chronicle.Item) int { return b.At.Compare(a.At) })
	for _, item := range items[:min(len(items), maxEnded)] {
		text := named(item) + " (" + string(item.Status)
		if item.Status == chronicle.Cut && item.ClosedBy != "" {
			text += ": " + bundle.OneLine(item.ClosedBy, 80)
		}
		list = append(list, text+")")
	}
	return list
}
