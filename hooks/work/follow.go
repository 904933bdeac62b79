package work

import (
	"context"
	"path/filepath"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// follow moves the pin of a task to where its bundle is now.
func (d *Desk) follow(ctx context.Context, receipt *task.Receipt) error {
	if receipt.Pin == nil {
		return nil
	}
	moved, ok, err := d.Successor(ctx, receipt.Pin.Place, d.Dir)
	if err != nil || !ok {
		return err
	}
	b, err := d.open(ctx, moved)
	if err != nil {
		return err
	}
	rev, err := b.tip(ctx)
	if err != nil {
		return err
	}
	receipt.Pin.Place = b.place
	if review := receipt.Turn.Review; review != nil {
		there := review.Move(rev.ID)
		receipt.Turn.Review = &there
	}
	return nil
}

// Successor is where the bundle of a place is now, and false where it did not
// move. `init` moves the history of a folder .chatrail/ onto a reference: from
// then on that is the bundle, and the folder is no longer read. And a repository
// can be moved to another path, where somebody works on in it.
func (d *Desk) Successor(ctx context.Context, p task.Place, cwd string) (task.Place, bool, error) {
	if p.Kind == task.KindGit {
		return d.movedTo(ctx, p, cwd)
	}
	next, ok := task.SuccessorOf(p)
	if !ok {
		return p, false, nil
	}
	b, err := d.open(ctx, next)
	if err != nil || b.store == nil {
		return p, false, err
	}
	root, err := b.store.Root(ctx)
	if err != nil {
		return p, false, nil // frozen: the task hears of its own bundle
	}
	first, err := b.store.Read(ctx, root)
	if err != nil {
		return p, false, err
	}
	own := p.Root
	if own == "" {
		if own, err = d.rootOf(ctx, p); err != nil {
			return p, false, nil
		}
	}
	next.Root = root
	return d.marked(next), first.Event.EventID == own, nil
}

// movedTo finds the repository of a bundle at another path: by the mark that it
// keeps, and by the root revision of the bundle.
func (d *Desk) movedTo(ctx context.Context, p task.Place, cwd string) (task.Place, bool, error) {
	if p.Marker == "" || p.Root == "" || cwd == "" {
		return p, false, nil
	}
	if now, err := d.Home.Check(p); err != nil || now.Repo != nil {
		return p, false, nil // it is there, or that could not be told
	}
	repo, err := refs.Discover(cwd)
	if err != nil {
		return p, false, nil
	}
	next := d.marked(task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: p.Ref, WorkTree: repo.WorkTree})
	if next.Marker != p.Marker {
		return p, false, nil
	}
	if next.Root, err = d.rootOf(ctx, next); err != nil {
		return p, false, nil
	}
	return next, next.Root == p.Root, nil
}

func (d *Desk) rootOf(ctx context.Context, p task.Place) (string, error) {
	b, err := d.open(ctx, p)
	if err != nil {
		return "", err
	}
	if b.store == nil {
		return "", &bundle.FrozenError{Cause: b.frozen}
	}
	return b.store.Root(ctx)
}

// olderFolder is the .chatrail/ that stands where a reference is, "" for none:
// in the folder itself, or in the same folder of the main work tree, from which
// a linked one shares it.
func (d *Desk) olderFolder(p task.Place) string {
	folder := p.WorkTree
	if p.Ref != refs.Project() {
		folder = d.Dir
	}
	if folder == "" {
		return ""
	}
	candidates := []string{folder}
	if filepath.Base(p.Path) == ".git" {
		if rel, err := filepath.Rel(p.WorkTree, folder); err == nil && filepath.IsLocal(rel) {
			candidates = append(candidates, filepath.Join(filepath.Dir(p.Path), rel))
		}
	}
	for _, c := range candidates {
		if path := filepath.Join(c, ".chatrail"); exists(path) {
			return path
		}
	}
	return ""
}
