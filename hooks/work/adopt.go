package work

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// projectRoad is what adopt calls the bundle of the folder.
const projectRoad = "project"

// Adopt ties the caller's task to the bundle of another task, named by its
// session id or the beginning of its key, or to a road of this repository, named as in own;
// "project" is the bundle of the folder.
func (d *Desk) Adopt(ctx context.Context, name, session string) (*Made, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	key := d.task(session)
	if err := needTask(key, "adopt "+name); err != nil {
		return nil, err
	}
	if task.InChild(d.Env) {
		return nil, &RefusedError{"a sub-agent reads and never writes: the main agent adopts a task"}
	}
	p, earlier, err := d.named(name, key)
	if err != nil {
		return nil, err
	}
	b, err := d.open(ctx, p)
	if err != nil {
		return nil, err
	}
	rev, err := b.tip(ctx)
	if err != nil {
		return nil, err
	}
	m := &Made{Place: p, Tip: rev.ID, North: rev.State.Rail.North}
	before, err := d.Home.LoadReceipt(key)
	if err != nil {
		return nil, err
	}
	err = d.moveTo(ctx, m, rev, key, false)
	if err == nil && earlier != "" {
		err = d.inherit(ctx, key, earlier, before.Pin != nil && before.Pin.ID() != p.ID())
	}
	if task.Unwritable(err) {
		return d.dropAdoption(ctx, m, key, name)
	}
	if err != nil || earlier == "" {
		return m, err
	}
	return m, d.goesOnWith(ctx, m, b, rev, key)
}

// dropAdopt is the kind of an adoption that waits in a drop box.
const dropAdopt = "adopt"

type adoption struct {
	Name string `json:"name"`
}

// dropAdoption leaves an adoption for the next hook of the task.
func (d *Desk) dropAdoption(ctx context.Context, m *Made, key, name string) (*Made, error) {
	body, err := json.Marshal(adoption{name})
	if err != nil {
		return nil, err
	}
	m.Dropped, err = task.PutDrop(ctx, d.Env, task.Drop{ID: uuid.NewString(), TaskKey: key, Kind: dropAdopt, Body: body, At: d.Now().UTC()})
	return m, err
}

// drainAdoption carries out an adoption that waited. One that can no longer be is
// told and forgotten: it holds no words.
func (d *Desk) drainAdoption(ctx context.Context, receipt *task.Receipt, f task.Found) error {
	var a adoption
	if json.Unmarshal(f.Body, &a) != nil || a.Name == "" {
		return nil // of another version
	}
	err := d.adoptNow(ctx, receipt, a.Name)
	if waits(ctx, err) {
		return err
	}
	if err != nil {
		if err := d.tell(receipt, "ChatRail could not adopt "+a.Name+": "+err.Error()+"."); err != nil {
			return err
		}
	}
	return task.RemoveDrop(f)
}

// adoptNow adopts under the lock of the task, which the caller holds.
func (d *Desk) adoptNow(ctx context.Context, receipt *task.Receipt, name string) error {
	p, earlier, err := d.named(name, receipt.TaskKey)
	if err != nil {
		return err
	}
	b, err := d.open(ctx, p)
	if err != nil {
		return err
	}
	rev, err := b.tip(ctx)
	if err != nil {
		return err
	}
	p = d.marked(p)
	if p.Root, err = b.store.Root(ctx); err != nil {
		return err
	}
	if before := receipt.Pin; d.tie(receipt, p, rev.ID) && before != nil && before.ID() != p.ID() {
		receipt.Turn.Unsaid = true // nobody has heard of that bundle here
	}
	if earlier != "" {
		other, err := d.settleEarlier(ctx, earlier, hookWait)
		if err != nil {
			return err
		}
		take(receipt, other)
	}
	return d.Home.SaveReceipt(receipt)
}

// goesOnWith finds the draft that the task now goes on with.
func (d *Desk) goesOnWith(ctx context.Context, m *Made, b *bench, rev *bundle.Revision, key string) error {
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return err
	}
	x, err := d.index(ctx, m.Place, b.store, rev.ID)
	if err != nil {
		return err
	}
	draft, _ := x.ActiveDraft(callers(key, receipt.Adopted)...)
	m.Draft = draft.Path
	return nil
}

// named finds the bundle that adopt means, and the key of the task where a task
// is meant.
func (d *Desk) named(name, own string) (task.Place, string, error) {
	if name == projectRoad {
		p, err := d.discover()
		return p, "", err
	}
	if key := task.Key(name); key != own { // a session id
		if r, err := d.Home.LoadReceipt(key); err == nil && r.Pin != nil {
			return r.Pin.Place, key, nil
		}
	}
	var road *task.Place
	if repo, err := refs.Discover(d.Dir); err == nil {
		var secrets redactor // as own has stored the name
		for _, n := range []string{secrets.text(name), name} {
			p := task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: refs.Task(n), WorkTree: repo.WorkTree}
			if _, err := repo.Read(p.Ref); err == nil {
				road = &p
			}
		}
	}
	keys, err := d.Home.Receipts()
	if err != nil {
		return task.Place{}, "", err
	}
	var match []task.Place
	var tasks []string
	for _, k := range keys {
		if len(name) < 4 || !strings.HasPrefix(k, name) || k == own {
			continue
		}
		if r, err := d.Home.LoadReceipt(k); err == nil && r.Pin != nil {
			match, tasks = append(match, r.Pin.Place), append(tasks, k)
		}
	}
	switch {
	case road != nil && len(match) == 0:
		return *road, "", nil
	case road == nil && len(match) == 1:
		return match[0], tasks[0], nil
	case road == nil && len(match) == 0:
		return task.Place{}, "", &RefusedError{fmt.Sprintf("no other task and no road is named %q: `chatrail status` lists them", name)}
	}
	return task.Place{}, "", &RefusedError{fmt.Sprintf("%q names more than one: give more of the task's key", name)}
}
