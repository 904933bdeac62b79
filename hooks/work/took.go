package work

import (
	"context"
	"slices"

	"chatrail/gitstore"
	"chatrail/hooks/task"
)

// took makes the hooks and the pins of this machine follow a bundle that came
// from a remote. That a person asked for it makes its words trusted.
func (s *syncing) took(ctx context.Context, p task.Place, store *gitstore.Store, created bool) error {
	b, err := s.d.open(ctx, s.d.marked(p))
	if err != nil {
		return err
	}
	rev, err := store.Tip(ctx)
	if err != nil {
		return err
	}
	b.place = s.d.marked(p)
	trusted, err := s.settleRoots(ctx, &b.place, store)
	if err != nil {
		return err
	}
	if s.person || trusted && !created {
		if err := s.d.Home.Trust(ctx, b.place); err != nil {
			return err
		}
	}
	b.frozen = ""
	s.d.keep(ctx, b, rev)
	return nil
}

// trust lets the words of a bundle in that a person found even with a remote: an
// agent may have brought it here before, or a process died before it came so far.
func (s *syncing) trust(ctx context.Context, p task.Place, store *gitstore.Store) error {
	if _, err := s.settleRoots(ctx, &p, store); err != nil {
		return err
	}
	if s.d.Home.Trusted(p, p.Root) {
		return nil
	}
	return s.d.Home.Trust(ctx, p)
}

// settleRoots ties a place and the tasks of its bundle to the root that is its
// identity: where histories were joined, the oldest beginning. It tells whether
// any of the beginnings is trusted here.
func (s *syncing) settleRoots(ctx context.Context, p *task.Place, store *gitstore.Store) (trusted bool, err error) {
	roots, err := store.Roots(ctx)
	if err != nil {
		return false, err
	}
	p.Root = roots[0]
	trusted = slices.ContainsFunc(roots, func(root string) bool { return s.d.Home.Trusted(*p, root) })
	if len(roots) == 1 {
		return trusted, nil
	}
	keys, err := s.d.Home.Receipts()
	if err != nil {
		return trusted, err
	}
	for _, key := range keys {
		r, err := s.d.Home.LoadReceipt(key)
		if err != nil || r.Pin == nil || r.Pin.ID() != p.ID() || r.Pin.Root == p.Root || !slices.Contains(roots, r.Pin.Root) {
			continue
		}
		if err := s.d.editPin(ctx, key, func(pin *task.Pin) { pin.Root = p.Root }); err != nil {
			return trusted, err
		}
	}
	return trusted, nil
}

func (d *Desk) editPin(ctx context.Context, key string, edit func(*task.Pin)) error {
	unlock, err := d.Home.LockTask(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := d.Home.LoadReceipt(key)
	if err != nil || r.Pin == nil {
		return err
	}
	edit(r.Pin)
	return d.Home.SaveReceipt(&r)
}
