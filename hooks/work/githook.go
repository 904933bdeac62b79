package work

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// errNotHere says that a commit is nothing to the bundle of the caller.
var errNotHere = errors.New("this commit is not of the bundle's repository")

// commitScope is the bundle that a commit belongs to, and the repository that
// git's environment names, in which it was made.
func (d *Desk) commitScope(ctx context.Context) (*Scope, *refs.Repo, error) {
	repo, err := refs.DiscoverEnv(d.Dir, d.Env)
	if err != nil {
		return nil, nil, err
	}
	if agent, session, ok := task.InAgent(d.Env); ok && session == "" {
		// Words filed under the wrong task are worse than words not filed.
		return nil, nil, errors.New("which task of " + agent + " this is cannot be told")
	}
	// Git runs its hooks at the top of the work tree and says where it was called.
	from := *d
	if below := d.Env("GIT_PREFIX"); filepath.IsLocal(below) && isFolder(filepath.Join(d.Dir, below)) {
		from.Dir = filepath.Join(d.Dir, below)
	}
	s, err := from.Scope(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	switch {
	case d.Home.Paused(d.Env, s.Receipt) != task.NotPaused || d.Home.PlaceOff(s.Place):
		return nil, nil, errors.New("paused")
	case s.Frozen != "" || s.Store == nil:
		return nil, nil, &bundle.FrozenError{Cause: s.Frozen}
	case !from.holdsCommit(s.Place, repo):
		return nil, nil, errNotHere
	}
	return s, repo, nil
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// holdsCommit tells whether a commit in a repository is of the bundle at a
// place: the project's own repository, for a folder the one around it. A private
// bundle has none; it takes what its task commits where no project has a bundle.
func (d *Desk) holdsCommit(p task.Place, repo *refs.Repo) bool {
	switch p.Kind {
	case task.KindGit:
		return sameFolder(p.Path, repo.CommonDir)
	case task.KindDir:
		around, err := refs.Discover(filepath.Dir(p.Path))
		return err == nil && sameFolder(around.CommonDir, repo.CommonDir)
	}
	var none *NoBundleError
	_, err := d.discover()
	return errors.As(err, &none)
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// deed is what a git hook writes, signed by who and where.
func (d *Desk) deed(s *Scope, repo *refs.Repo, do Deed) Noting {
	n := Noting{Do: do}
	d.sign(&n, s)
	n.Branch, n.Head = "", ""
	if head, err := repo.Head(); err == nil {
		n.Branch, n.Head = head.Branch, head.Commit
	}
	var r redactor
	n.redact(&r)
	return n
}

// PostCommit stamps the commit that was just made on the written drafts of the
// task that made it, as one revision; outside a task on those that no task
// opened. A commit that a rebase makes anew is not stamped: PostRewrite carries
// the stamps of what it was before.
func (d *Desk) PostCommit(ctx context.Context) error {
	s, repo, err := d.commitScope(ctx)
	if err != nil {
		return err
	}
	if worktree.Replayed(ctx, repo) {
		return nil
	}
	n := d.deed(s, repo, DoStamp)
	present, err := s.Tip(ctx)
	if err != nil || n.Head == "" {
		return err
	}
	drafts, err := d.stampDrafts(ctx, s, n, present)
	if err != nil || len(drafts.notes) == 0 {
		return err // nothing to measure for
	}
	n.Commits = []chronicle.Commit{{ID: n.Head}}
	soon, cancel := context.WithTimeout(ctx, d.part(measureTime))
	defer cancel()
	if sizes, err := worktree.Sizes(soon, repo, n.Head); err == nil {
		n.Commits[0] = chronicle.Commit(sizes[0])
	}
	in, stop := earlier(ctx, d.part(spoolTime))
	defer stop()
	err = d.apply(in, s, n, func(present *bundle.Revision) (written, error) {
		return d.stampDrafts(in, s, n, present)
	})
	if err == nil || n.Task == "" {
		return err
	}
	// The words of a draft are about this commit, not about the next one: the
	// task's next hook stamps it.
	for _, path := range drafts.drafts {
		late := n
		late.Note, late.ID = path, uuid.NewString()
		err = errors.Join(err, d.spoolNoting(late, &RefusedError{"the stamp waits for the next ChatRail hook of this task"}))
	}
	return err
}

// spoolTime is what a hook keeps for putting aside what it could not write.
const spoolTime = 250 * time.Millisecond

// earlier is a context that ends some time before its parent.
func earlier(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, end.Add(-by))
	}
	return context.WithCancel(ctx)
}

// apply makes one revision of what a git hook writes.
func (d *Desk) apply(ctx context.Context, s *Scope, n Noting, change func(*bundle.Revision) (written, error)) error {
	rev, changed, err := s.Store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		w, err := change(present)
		meta := n.meta()
		meta.Reason = bundle.OneLine(w.reason, 200)
		return bundle.Draft{State: present.State, Notes: w.notes, Meta: meta}, err
	})
	if err == nil && changed {
		d.keep(ctx, &bench{place: s.Place, store: s.Store}, rev)
	}
	return err
}

// stampDrafts is what a commit comes to on one revision.
func (d *Desk) stampDrafts(ctx context.Context, s *Scope, n Noting, present *bundle.Revision) (all written, err error) {
	x, err := d.index(ctx, s.Place, s.Store, present.ID)
	if err != nil {
		return all, err
	}
	stamped := map[string][]byte{} // a work item may be closed by two of them
	read := func(path string) ([]byte, error) {
		if data, ok := stamped[path]; ok {
			return data, nil
		}
		return s.Store.Note(ctx, present.ID, path)
	}
	var items []chronicle.Item
	for _, one := range callers(n.Task, n.Adopted) {
		items = append(items, x.Entries(chronicle.Filter{State: chronicle.DraftState, Task: one})...)
	}
	for _, item := range items {
		if item.Broken != "" || n.Task == "" && item.Task != "" {
			continue
		}
		data, err := read(item.Path)
		if err != nil {
			return all, err
		}
		if len(bytes.TrimSpace(chronicle.Read(data).Body)) == 0 {
			continue
		}
		one := n
		one.Note = item.Path
		w, err := one.stamp(x, read)
		if err != nil {
			continue // a draft that cannot be stamped does not keep the others back
		}
		if all.reason = w.reason; all.title != "" {
			all.reason = "Stamp " + commitWords(n.Commits) + " on several drafts"
		}
		all.title = named(item)
		all.drafts = append(all.drafts, item.Path)
		for _, note := range w.notes {
			stamped[note.Path] = note.Data
		}
	}
	for _, path := range slices.Sorted(maps.Keys(stamped)) {
		all.notes = append(all.notes, bundle.Note{Path: path, Data: stamped[path]})
	}
	return all, nil
}
