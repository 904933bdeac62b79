package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/dir"
	"chatrail/gitstore"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// InitOptions say which bundle is to be made.
type InitOptions struct {
	Here     bool   // for this folder, not for the top of its repository
	FromTask bool   // start from the road of the caller's task
	Session  string // the caller's task, in place of the environment's
}

// Made says what init, own or adopt came to.
type Made struct {
	Place    task.Place `json:"place"`
	New      bool       `json:"new"`                // it was not there before
	Imported int        `json:"imported,omitempty"` // events that came along from an older bundle
	Trusted  bool       `json:"trusted"`
	Pinned   bool       `json:"pinned"` // the caller's task is now tied to it
	// Offer says that the caller's task has a road of its own that the new
	// bundle could start from.
	Offer bool   `json:"offer,omitempty"`
	Tip   string `json:"tip"`
	North string `json:"north"`
}

// Init gives a repository, or a folder, an orientation. Where there is one it
// changes nothing. Inside a task it ties the task to it.
func (d *Desk) Init(ctx context.Context, o InitOptions) (*Made, error) {
	p, repo, err := d.target(o.Here)
	if err != nil {
		return nil, err
	}
	key := d.task(o.Session)
	if o.FromTask {
		if err := needTask(key, "init --from-task"); err != nil {
			return nil, err
		}
	}
	receipt, err := d.receipt(key)
	if err != nil {
		return nil, err
	}
	m := &Made{Place: p}
	var rev *bundle.Revision
	if p.Kind == task.KindGit {
		rev, err = d.initRef(ctx, m, repo, receipt, o)
	} else {
		rev, err = d.initFolder(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	return d.settle(ctx, m, rev, receipt, o)
}

// target is the place that init means, whether a bundle is there or not.
func (d *Desk) target(here bool) (task.Place, *refs.Repo, error) {
	user, _ := task.UserHome(d.Env)
	repo, err := refs.Discover(d.Dir)
	switch {
	case errors.Is(err, refs.ErrNotRepo):
		folder, err := filepath.EvalSymlinks(d.Dir)
		if err != nil {
			return task.Place{}, nil, err
		}
		if isHome(folder, user) {
			return task.Place{}, nil, &RefusedError{"the home directory is no project: change to the project's folder"}
		}
		return task.Place{Kind: task.KindDir, Path: filepath.Join(folder, ".chatrail"), WorkTree: folder}, nil, nil
	case err != nil:
		return task.Place{}, nil, err
	case repo.OwnedByOther():
		return task.Place{}, nil, &RefusedError{"this repository belongs to another user: ask them to run `chatrail init`"}
	}
	p := task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: refs.Project(), WorkTree: repo.WorkTree}
	if here && repo.WorkTree != "" {
		rel, err := repo.Rel(d.Dir)
		if err != nil {
			return task.Place{}, nil, err
		}
		if rel != "" && rel != "." {
			p.Ref = refs.AtFolder(rel)
		}
	}
	if p.Ref == refs.Project() && isHome(repo.WorkTree, user) {
		return task.Place{}, nil, &RefusedError{"the home directory is no project, even as a repository: change to a folder in it and use `chatrail init --here`"}
	}
	return p, repo, nil
}

func isHome(folder, home string) bool {
	if folder == "" || home == "" {
		return false
	}
	a, err := os.Stat(folder)
	if err != nil {
		return false
	}
	b, err := os.Stat(home)
	return err == nil && os.SameFile(a, b)
}

// receipt is that of the caller's task, an empty one outside a task.
func (d *Desk) receipt(key string) (task.Receipt, error) {
	if key == "" {
		return task.Receipt{}, nil
	}
	return d.Home.LoadReceipt(key)
}

// initRef makes a bundle on a reference: out of an older .chatrail/ in the
// folder, out of the private history of the task, or new.
func (d *Desk) initRef(ctx context.Context, m *Made, repo *refs.Repo, receipt task.Receipt, o InitOptions) (*bundle.Revision, error) {
	store := gitstore.Open(repo, gitstore.Options{
		Ref: m.Place.Ref, JournalDir: d.Home.JournalDir(m.Place), KnownTip: d.knownTip(m.Place, repo),
	})
	tip, err := store.Tip(ctx)
	if err == nil || !errors.Is(err, bundle.ErrNotFound) {
		return tip, err
	}
	source := d.older(m.Place)
	if source == nil && o.FromTask {
		if source, err = d.privateOf(ctx, receipt); err != nil {
			return nil, err
		}
	}
	if source != nil {
		events, final, notes, err := history(ctx, source)
		if err != nil {
			return nil, err
		}
		rev, err := store.Import(ctx, events, final, notes)
		return m.made(rev, err, len(events))
	}
	rev, err := store.Create(ctx, d.genesis(bundle.DefaultState(), "Begin an orientation", receipt))
	return m.made(rev, err, 0)
}

// made turns "somebody was first" into the answer of a second init.
func (m *Made) made(rev *bundle.Revision, err error, imported int) (*bundle.Revision, error) {
	if errors.Is(err, gitstore.ErrExists) || errors.Is(err, dir.ErrExists) {
		return rev, nil
	}
	m.New, m.Imported = err == nil, imported
	return rev, err
}

func (d *Desk) knownTip(p task.Place, repo *refs.Repo) string {
	p.Marker, _ = repo.Marker() // none: then no tip is known of this repository
	return d.Home.KnownTip(p)
}

// older is the directory bundle that stands where a reference is to be made,
// nil where there is none.
func (d *Desk) older(p task.Place) bundle.Store {
	path := d.olderPath(p)
	if path == "" {
		return nil
	}
	return dir.Open(path, dir.Options{})
}

func (d *Desk) olderPath(p task.Place) string {
	folder := p.WorkTree
	if p.Ref != refs.Project() {
		folder = d.Dir
	}
	if folder == "" {
		return ""
	}
	path := filepath.Join(folder, ".chatrail")
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// privateOf is the private bundle of a task, whatever the task is pinned to now.
func (d *Desk) privateOf(ctx context.Context, receipt task.Receipt) (bundle.Store, error) {
	b, err := d.open(ctx, d.Home.Private(receipt.TaskKey))
	if err != nil {
		return nil, err
	}
	if b.frozen != "" {
		return nil, &RefusedError{"this task has no private road to start from"}
	}
	return b.store, nil
}

// history reads everything a directory bundle holds, oldest event first.
func history(ctx context.Context, store bundle.Store) ([]bundle.Event, bundle.State, []bundle.Note, error) {
	tip, err := store.Tip(ctx)
	if err != nil {
		return nil, bundle.State{}, nil, err
	}
	var events []bundle.Event
	err = store.Walk(ctx, tip.ID, func(r *bundle.Revision) (bool, error) {
		events = append(events, r.Event)
		return true, nil
	})
	if err != nil {
		return nil, bundle.State{}, nil, err
	}
	for i, j := 0, len(events)-1; i < j; i, j = i+1, j-1 {
		events[i], events[j] = events[j], events[i]
	}
	paths, err := store.Notes(ctx, tip.ID)
	if err != nil {
		return nil, bundle.State{}, nil, err
	}
	var notes []bundle.Note
	for _, path := range paths {
		data, err := store.Note(ctx, tip.ID, path)
		if err != nil {
			return nil, bundle.State{}, nil, fmt.Errorf("%s: %w", path, err)
		}
		notes = append(notes, bundle.Note{Path: path, Data: data})
	}
	return events, tip.State, notes, nil
}

// initFolder makes a bundle in a folder outside git.
func (d *Desk) initFolder(ctx context.Context, m *Made) (*bundle.Revision, error) {
	store, err := dir.Create(ctx, m.Place.Path, d.genesis(bundle.DefaultState(), "Begin an orientation", task.Receipt{}), dir.Options{})
	if err != nil && !errors.Is(err, dir.ErrExists) {
		return nil, err
	}
	m.New = err == nil
	if store == nil {
		store = dir.Open(m.Place.Path, dir.Options{})
	}
	return store.Tip(ctx)
}

// genesis is the first event of a bundle.
func (d *Desk) genesis(s bundle.State, reason string, receipt task.Receipt) bundle.Draft {
	m := bundle.EventMeta{
		ReviewID: bundle.ReviewGenesis, Reason: reason, Time: d.Now().UTC(),
		Task: receipt.TaskKey, Agent: receipt.Agent,
	}
	if receipt.TaskKey != "" {
		m.Branch, m.Head = d.where()
	}
	return bundle.Draft{State: s, Meta: m}
}

// settle trusts what this user made, ties the caller's task to it, and carries
// the task's road over where that was asked for.
func (d *Desk) settle(ctx context.Context, m *Made, rev *bundle.Revision, receipt task.Receipt, o InitOptions) (*Made, error) {
	m.Place = d.marked(m.Place)
	b, err := d.open(ctx, m.Place)
	if err != nil {
		return nil, err
	}
	if m.Place.Root, err = b.store.Root(ctx); err != nil {
		return nil, err
	}
	b.place = m.Place
	// Words that came along from a folder were somebody's before: inside an
	// agent nobody looked at them.
	if _, _, agent := task.InAgent(d.Env); m.New && (m.Imported == 0 || o.FromTask || !agent) {
		if err := d.Home.Trust(ctx, m.Place); err != nil {
			return nil, err
		}
	}
	if o.FromTask && !m.New && rev.State.IsDefault() {
		if rev, err = d.carryOver(ctx, b, receipt); err != nil {
			return nil, err
		}
	}
	if receipt.TaskKey != "" {
		m.Offer = m.New && m.Imported == 0 && d.hasOwnWords(ctx, receipt)
		if err := d.pin(ctx, receipt.TaskKey, m.Place); err != nil {
			return nil, err
		}
		m.Pinned = true
	}
	d.keep(ctx, b, rev)
	m.Trusted = d.Home.Trusted(m.Place, m.Place.Root)
	m.Tip, m.North = rev.ID, rev.State.Rail.North
	return m, nil
}

// marked is a place with the mark of its repository.
func (d *Desk) marked(p task.Place) task.Place {
	if now, err := d.Home.Check(p); err == nil && now.Repo != nil {
		p.Marker, _ = now.Repo.Marker() // none yet: the next write makes one
	}
	return p
}

// carryOver puts the state of a task's private road onto a bundle that is still
// in its default state.
func (d *Desk) carryOver(ctx context.Context, b *bench, receipt task.Receipt) (*bundle.Revision, error) {
	source, err := d.privateOf(ctx, receipt)
	if err != nil {
		return nil, err
	}
	from, err := source.Tip(ctx)
	if err != nil {
		return nil, err
	}
	rev, _, err := b.store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		if !present.State.IsDefault() {
			return bundle.Draft{}, &RefusedError{"somebody named a North here meanwhile: look at it with `chatrail show`"}
		}
		draft := d.genesis(from.State, "Start from the private road of task "+task.Short(receipt.TaskKey), receipt)
		draft.Meta.ReviewID = "restore:" + from.ID
		return draft, nil
	})
	return rev, err
}

// hasOwnWords says that a task's private road holds more than the default.
func (d *Desk) hasOwnWords(ctx context.Context, receipt task.Receipt) bool {
	source, err := d.privateOf(ctx, receipt)
	if err != nil {
		return false // none, or none that can be started from
	}
	tip, err := source.Tip(ctx)
	return err == nil && !tip.State.IsDefault()
}

// pin ties a task to a place, for life or until a person moves it again.
func (d *Desk) pin(ctx context.Context, key string, p task.Place) error {
	unlock, err := d.Home.LockTask(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return err
	}
	if receipt.Pin != nil && receipt.Pin.Place == p {
		return nil
	}
	receipt.Pin = &task.Pin{Place: p, Since: d.Now().UTC().Truncate(time.Second)}
	// A review that is open asks about the bundle before: the next prompt opens
	// one about this bundle.
	receipt.Turn = receipt.Turn.Complete()
	return d.Home.SaveReceipt(&receipt)
}

// Private makes the private bundle of a task, if it is missing.
func (d *Desk) Private(ctx context.Context, key string) (task.Place, error) {
	p := d.Home.Private(key)
	store, err := dir.Create(ctx, p.Path, d.genesis(bundle.DefaultState(), "Begin an orientation", task.Receipt{TaskKey: key}), dir.Options{Private: true})
	if err != nil && !errors.Is(err, dir.ErrExists) {
		return p, err
	}
	if store == nil {
		store = dir.Open(p.Path, dir.Options{Private: true})
	}
	if p.Root, err = store.Root(ctx); err != nil {
		var frozen *bundle.FrozenError
		if errors.As(err, &frozen) {
			return p, nil // the view says why
		}
		return p, err
	}
	return p, nil
}
