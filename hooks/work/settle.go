package work

import (
	"context"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/task"
)

// settle trusts what this user made, ties the caller's task to it, and carries
// the task's road over where that was asked for.
func (d *Desk) settle(ctx context.Context, m *Made, rev *bundle.Revision, receipt task.Receipt, o InitOptions) (*Made, error) {
	// A long history may take its time to come along; nobody waits as long for
	// a lock.
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m.Place = d.marked(m.Place)
	b, err := d.open(ctx, m.Place)
	if err != nil {
		return nil, err
	}
	if m.Place.Root, err = b.store.Root(ctx); err != nil {
		return nil, err
	}
	b.place = m.Place
	// Words that came along from a project's folder were somebody's before:
	// inside an agent nobody looked at them.
	// A person's second init heals a first one that was killed: a bundle that
	// still is in its default state holds no words but ours.
	_, _, agent := task.InAgent(d.Env)
	if m.New && !(m.older && agent) || !agent && rev.State.IsDefault() {
		if err := d.Home.Trust(ctx, m.Place); err != nil {
			return nil, err
		}
	}
	if o.FromTask && !m.New && !rev.State.IsDefault() {
		return nil, &RefusedError{"a North is named here already; `chatrail adopt project` goes by it, and this task's own road stays as it is"}
	}
	if o.FromTask && rev.State.IsDefault() {
		if rev, err = d.carryOver(ctx, b, receipt, o.secrets); err != nil {
			return nil, err
		}
	}
	if receipt.TaskKey != "" {
		m.Offer = m.New && m.Imported == 0 && !o.FromTask && d.hasOwnWords(ctx, receipt)
		if err := d.pin(ctx, receipt.TaskKey, m.Place, rev.ID); err != nil {
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
func (d *Desk) carryOver(ctx context.Context, b *bench, receipt task.Receipt, secrets *redactor) (*bundle.Revision, error) {
	source, err := d.privateOf(receipt)
	if err != nil {
		return nil, err
	}
	from, err := source.Tip(ctx)
	if err != nil {
		return nil, err
	}
	// Words that an older version took down come to a place that is shared.
	state := from.State.Map(secrets.text)
	notes, err := notesOf(ctx, source, from.ID)
	if err != nil {
		return nil, err
	}
	rev, _, err := b.store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		if !present.State.IsDefault() {
			return bundle.Draft{}, &RefusedError{"somebody named a North here meanwhile: look at it with `chatrail show`"}
		}
		draft := d.genesis(state, "Start from the private road of task "+task.Short(receipt.TaskKey), receipt, secrets)
		draft.Meta.ReviewID = "restore:" + from.ID
		draft.Notes = notes
		return draft, nil
	})
	return rev, err
}

// hasOwnWords says that a task's private road holds more than the default.
func (d *Desk) hasOwnWords(ctx context.Context, receipt task.Receipt) bool {
	source, err := d.privateOf(receipt)
	if err != nil {
		return false // none, or none that can be started from
	}
	tip, err := source.Tip(ctx)
	if err != nil {
		return false
	}
	notes, err := source.Notes(ctx, tip.ID)
	return !tip.State.IsDefault() || err == nil && len(notes) > 0
}

// notesOf are all the notes of a revision.
func notesOf(ctx context.Context, store bundle.Store, id string) (notes []bundle.Note, err error) {
	err = store.EachNote(ctx, id, func(bundle.NoteRef) bool { return true }, func(ref bundle.NoteRef, data []byte) error {
		notes = append(notes, bundle.Note{Path: ref.Path, Data: data})
		return nil
	})
	return notes, err
}

// pin ties a task to a place, for life or until a person moves it again. A
// review that is open is asked of the bundle there, at its newest revision tip.
func (d *Desk) pin(ctx context.Context, key string, p task.Place, tip string) error {
	unlock, err := d.Home.LockTask(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return err
	}
	if !d.tie(&receipt, p, tip) {
		return nil
	}
	return d.Home.SaveReceipt(&receipt)
}

// tie moves the pin of a receipt to a place, and the open review with it. It
// says whether anything changed.
func (d *Desk) tie(receipt *task.Receipt, p task.Place, tip string) bool {
	old := receipt.Pin
	if old != nil && old.ID() == p.ID() && old.Root == p.Root {
		return false
	}
	receipt.Pin = &task.Pin{Place: p, Since: d.Now().UTC().Truncate(time.Second)}
	if review := receipt.Turn.Review; review != nil {
		there := review.Move(tip)
		receipt.Turn.Review = &there
	}
	return true
}
