package work

import (
	"context"
	"errors"
	"fmt"

	"chatrail/bundle"
	"chatrail/gitstore"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// Own gives the caller's task a road of its own in the repository, starting
// from the present state of the project's bundle. name "" takes the short key
// of the task.
func (d *Desk) Own(ctx context.Context, name, session string) (*Made, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	key := d.task(session)
	if err := needTask(key, "own "+name); err != nil {
		return nil, err
	}
	if name == "" {
		name = task.Short(key)
	}
	var secrets redactor
	name = secrets.text(name) // it becomes the name of a ref
	repo, err := refs.Discover(d.Dir)
	if errors.Is(err, refs.ErrNotRepo) {
		return nil, &RefusedError{"a road of one's own lives in a git repository, and this folder is in none"}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case repo.OwnedByOther():
		return nil, &RefusedError{"this repository belongs to another user"}
	case name == projectRoad:
		return nil, &RefusedError{"project is what the shared bundle is called: choose another name"}
	}
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return nil, err
	}
	from, state, err := d.start(ctx, receipt)
	if err != nil {
		return nil, err
	}
	p := task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: refs.Task(name), WorkTree: repo.WorkTree}
	store := gitstore.Open(repo, gitstore.Options{Ref: p.Ref, JournalDir: d.Home.JournalDir(p), KnownTip: d.knownTip(p, repo)})
	rev, err := store.Create(ctx, d.genesis(state, "A road of its own: "+oneLine(name), receipt, &secrets))
	if errors.Is(err, gitstore.ErrExists) {
		return nil, &RefusedError{fmt.Sprintf("a road named %q is there already: go on with it by `chatrail adopt %s`, or choose another name", name, name)}
	}
	if err != nil {
		return nil, err
	}
	m := &Made{Place: p, New: true, Tip: rev.ID, North: state.Rail.North, Redacted: secrets.rules()}
	// The words are those of the bundle it starts from: no more trusted here.
	return m, d.moveTo(ctx, m, rev, key, from == nil || d.Home.Trusted(*from, from.Root))
}

// start is the state that a road of one's own starts from: that of the task's
// project bundle, else of the folder's, else the default.
func (d *Desk) start(ctx context.Context, receipt task.Receipt) (*task.Place, bundle.State, error) {
	var p task.Place
	if receipt.Pin != nil && receipt.Pin.Kind != task.KindPrivate {
		p = receipt.Pin.Place
	} else {
		var none *NoBundleError
		found, err := d.discover()
		if errors.As(err, &none) {
			return nil, bundle.DefaultState(), nil
		}
		if err != nil {
			return nil, bundle.State{}, err
		}
		p = found
	}
	b, err := d.open(ctx, p)
	if err != nil {
		return nil, bundle.State{}, err
	}
	tip, err := b.tip(ctx)
	if err != nil {
		return nil, bundle.State{}, err
	}
	if b.place.Root == "" {
		if b.place.Root, err = b.store.Root(ctx); err != nil {
			return nil, bundle.State{}, err
		}
	}
	return &b.place, tip.State, nil
}

// moveTo ties the caller's task to a bundle and refreshes what hooks know of it.
func (d *Desk) moveTo(ctx context.Context, m *Made, rev *bundle.Revision, key string, trust bool) error {
	m.Place = d.marked(m.Place)
	b, err := d.open(ctx, m.Place)
	if err != nil {
		return err
	}
	if m.Place.Root, err = b.store.Root(ctx); err != nil {
		return err
	}
	b.place = m.Place
	if trust {
		if err := d.Home.Trust(ctx, m.Place); err != nil {
			return err
		}
	}
	if err := d.pin(ctx, key, m.Place, rev.ID); err != nil {
		return err
	}
	d.keep(ctx, b, rev)
	m.Pinned, m.Trusted = true, d.Home.Trusted(m.Place, m.Place.Root)
	return nil
}

// Trust lets the words of the bundle of this place into contexts, or takes that
// back. A person decides it: inside an agent's session it is refused.
func (d *Desk) Trust(ctx context.Context, revoke bool) (*Scope, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if agent, _, ok := task.InAgent(d.Env); ok && !revoke {
		return nil, &RefusedError{"trust is the person's to give: run `chatrail trust` in a terminal of your own, outside " + agent}
	}
	s, err := d.Scope(ctx, "")
	if err != nil {
		return nil, err
	}
	if revoke {
		return s, d.Home.Untrust(ctx, s.Place)
	}
	if s.Store == nil || s.Frozen != "" {
		return nil, &bundle.FrozenError{Cause: s.Frozen}
	}
	if s.Place.Root, err = d.rootKept(ctx, s); err != nil {
		return nil, err
	}
	return s, d.Home.Trust(ctx, s.Place)
}

// Pause stops or goes on with ChatRail: for the caller's task inside one, else
// for all tasks of this place. It returns what it was done to, in words.
func (d *Desk) Pause(ctx context.Context, off bool, session string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if key := d.task(session); key != "" {
		unlock, err := d.Home.LockTask(ctx, key)
		if err != nil {
			return "", err
		}
		defer unlock()
		receipt, err := d.Home.LoadReceipt(key)
		if err != nil {
			return "", err
		}
		receipt.Paused = off
		return "task " + task.Short(key), d.Home.SaveReceipt(&receipt)
	}
	p, err := d.discover()
	if err != nil {
		return "", err
	}
	return p.Title(), d.Home.SetPlaceOff(ctx, p, off)
}
