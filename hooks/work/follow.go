package work

import (
	"context"
	"path/filepath"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// follow moves the pin of a task from a folder .chatrail/ to the reference that
// `init` moved the same history onto: from then on the reference is the bundle,
// and the folder is no longer read.
func (d *Desk) follow(ctx context.Context, receipt *task.Receipt) error {
	if receipt.Pin == nil {
		return nil
	}
	moved, ok, err := d.Successor(ctx, receipt.Pin.Place)
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

// Successor is the reference that took over the history of a folder in a
// repository, and false where there is none, or one that began otherwise.
func (d *Desk) Successor(ctx context.Context, p task.Place) (task.Place, bool, error) {
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
