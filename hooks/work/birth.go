package work

import (
	"context"
	"errors"
	"os"

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
	Apart    bool   // begin another history, whatever a remote has
	Session  string // the caller's task, in place of the environment's

	secrets *redactor
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
	older bool   // the events that came along were in the project's folder
	Tip   string `json:"tip"`
	North string `json:"north"`
	Draft string `json:"draft,omitempty"` // what an adopted task has begun and the caller goes on with
	// Dropped is the file that the next hook carries out, where this process may
	// not write.
	Dropped string `json:"dropped,omitempty"`
	// Redacted counts the secrets that were replaced in what was said, by rule.
	Redacted map[string]int `json:"redacted,omitempty"`
	// Unasked says why the remote was not asked whether it has an orientation, ""
	// where it was, or where there is none.
	Unasked string `json:"unasked,omitempty"`
}

// RedactedWords says what was replaced, nil for nothing.
func (m *Made) RedactedWords() []string { return replaced(m.Redacted) }

// Init gives a repository, or a folder, an orientation. Where there is one it
// changes nothing. Inside a task it ties the task to it.
func (d *Desk) Init(ctx context.Context, o InitOptions) (*Made, error) {
	if d.Dir == "" {
		return nil, errors.New("the working directory is gone: change to another one")
	}
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
	o.secrets = &redactor{}
	var rev *bundle.Revision
	if p.Kind == task.KindGit {
		rev, err = d.initRef(ctx, m, repo, receipt, o)
	} else {
		rev, err = d.initFolder(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	m, err = d.settle(ctx, m, rev, receipt, o)
	if m != nil {
		m.Redacted = o.secrets.rules()
	}
	return m, err
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
	source, err := d.older(m.Place)
	switch {
	case err != nil:
		return nil, err
	case source != nil && o.FromTask:
		return nil, &RefusedError{"an older .chatrail/ is here with a history of its own: run `chatrail init` without --from-task"}
	case source != nil:
		m.older = true
	case o.FromTask:
		if source, err = d.privateOf(receipt); err != nil {
			return nil, err
		}
	}
	if source == nil && !o.Apart {
		if m.Unasked, err = d.elsewhere(ctx, repo, m.Place.Ref); err != nil {
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
	rev, err := store.Create(ctx, d.genesis(bundle.DefaultState(), "Begin an orientation", receipt, o.secrets))
	return m.made(rev, err, 0)
}

// made turns "somebody was first" into the answer of a second init.
func (m *Made) made(rev *bundle.Revision, err error, imported int) (*bundle.Revision, error) {
	if errors.Is(err, gitstore.ErrExists) && rev != nil {
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
// nil where there is none. Something else of that name is refused: what it is
// for only its owner knows.
func (d *Desk) older(p task.Place) (*dir.Store, error) {
	path := d.olderFolder(p)
	if path == "" {
		return nil, nil
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return nil, &RefusedError{path + " is not a folder: move it away, then run `chatrail init` again"}
	}
	switch shape, err := dir.Shape(path); {
	case err != nil:
		return nil, err
	case shape == dir.Absent:
		return nil, nil
	}
	return dir.Open(path, dir.Options{}), nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// privateOf is the private bundle of a task, whatever the task is pinned to now.
func (d *Desk) privateOf(receipt task.Receipt) (*dir.Store, error) {
	p := d.Home.Private(receipt.TaskKey)
	if now, err := d.Home.Check(p); err != nil || now.Frozen != "" {
		return nil, &RefusedError{"this task has no private road to start from"}
	}
	return dir.Open(p.Path, dir.Options{Private: true}), nil
}

// history reads everything a directory bundle holds, oldest event first.
func history(ctx context.Context, store *dir.Store) ([]bundle.Event, bundle.State, []bundle.Note, error) {
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
	notes, err := notesOf(ctx, store, tip.ID)
	if err != nil {
		return nil, bundle.State{}, nil, err
	}
	return events, tip.State, notes, nil
}

// initFolder makes a bundle in a folder outside git.
func (d *Desk) initFolder(ctx context.Context, m *Made) (*bundle.Revision, error) {
	store, err := dir.Create(ctx, m.Place.Path, d.genesis(bundle.DefaultState(), "Begin an orientation", task.Receipt{}, nil), dir.Options{})
	if err != nil && !errors.Is(err, dir.ErrExists) {
		return nil, err
	}
	m.New = err == nil
	if store == nil {
		store = dir.Open(m.Place.Path, dir.Options{})
	}
	return store.Tip(ctx)
}

// genesis is the first event of a bundle. secrets may be nil outside a task,
// where no word of somebody's is in it.
func (d *Desk) genesis(s bundle.State, reason string, receipt task.Receipt, secrets *redactor) bundle.Draft {
	m := bundle.EventMeta{
		ReviewID: bundle.ReviewGenesis, Reason: reason, Time: d.Now().UTC(),
		Task: receipt.TaskKey, Agent: receipt.Agent,
	}
	if receipt.TaskKey != "" {
		m.Branch, m.Head = d.where()
		m.Branch = secrets.text(m.Branch)
	}
	return bundle.Draft{State: s, Meta: m}
}

// Private makes the private bundle of a task, if it is missing.
func (d *Desk) Private(ctx context.Context, key string) (task.Place, error) {
	p := d.Home.Private(key)
	store, err := dir.Create(ctx, p.Path, d.genesis(bundle.DefaultState(), "Begin an orientation", task.Receipt{TaskKey: key}, &redactor{}), dir.Options{Private: true})
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
