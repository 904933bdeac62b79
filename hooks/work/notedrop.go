package work

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
)

// dropNote is the kind of a change of the chronicle that waits in a drop box.
const dropNote = "note"

// dropNoting leaves a change of the chronicle for the next hook of its task,
// after it was tried on what can be read here.
func (d *Desk) dropNoting(ctx context.Context, s *Scope, n Noting, cause error) (*Noted, error) {
	if n.Task == "" {
		return nil, cause // nobody would come to record it
	}
	notes, err := d.expected(ctx, s)
	if err != nil {
		return nil, err
	}
	x := notes.index()
	w, err := n.write(x, notes.read)
	if err != nil {
		return nil, err
	}
	if n.render != nil { // what it renders is only known here
		n.Text, n.State = n.render(x)
	}
	data, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	path, err := task.PutDrop(ctx, d.Env, task.Drop{ID: n.ID, TaskKey: n.Task, Kind: dropNote, Body: data, At: n.At.UTC()})
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	noted := w.noted(n)
	noted.Outcome, noted.Dropped = Kept, path
	return noted, nil
}

// expectation is the chronicle as it will be when what waits in the drop box has
// been recorded: a sandboxed agent goes on with the draft that it opened.
type expectation struct {
	items map[string]chronicle.Item
	notes map[string][]byte // written by what waits
	base  func(path string) ([]byte, error)
}

func (d *Desk) expected(ctx context.Context, s *Scope) (*expectation, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return nil, err
	}
	present, err := d.index(ctx, s.Place, s.Store, tip.ID)
	if err != nil {
		return nil, err
	}
	e := &expectation{
		items: map[string]chronicle.Item{}, notes: map[string][]byte{},
		base: func(path string) ([]byte, error) { return s.Store.Note(ctx, tip.ID, path) },
	}
	for _, item := range present.Items() {
		e.items[item.Path] = item
	}
	waiting, _ := task.CollectDrops(d.Env, s.Key)
	for _, f := range waiting {
		var n Noting
		if f.Kind != dropNote || json.Unmarshal(f.Body, &n) != nil {
			continue
		}
		w, err := n.write(e.index(), e.read)
		if err != nil {
			continue // the hook finds the same, and keeps it
		}
		for _, note := range w.notes {
			e.notes[note.Path] = note.Data
			if item, ok := chronicle.ItemOf(note.Path, note.Data); ok {
				e.items[note.Path] = item
			}
		}
	}
	return e, nil
}

func (e *expectation) index() *chronicle.Index {
	x := &chronicle.Index{}
	for _, item := range e.items {
		x.AddItem(&item)
	}
	return x
}

func (e *expectation) read(path string) ([]byte, error) {
	if data, ok := e.notes[path]; ok {
		return data, nil
	}
	return e.base(path)
}

// spoolNoting keeps a change of the chronicle that a frozen bundle refused. It
// is recorded once the bundle can be written again.
func (d *Desk) spoolNoting(n Noting, cause error) error {
	if n.render != nil {
		n.Text, n.State = n.render(nil)
	}
	if n.Task == "" { // no hook would come to record it
		return d.spoolText(n, cause)
	}
	data, err := json.Marshal(n)
	if err != nil {
		return errors.Join(cause, err)
	}
	path, err := d.Home.Spool(n.At, task.SpoolPrefix(n.Task)+n.ID, "json", data)
	if err != nil {
		return errors.Join(cause, err)
	}
	return &SpooledError{Err: cause, Path: path}
}

// spoolText keeps what somebody wrote and no note took, as it is, for its writer
// to use again.
func (d *Desk) spoolText(n Noting, cause error) error {
	text := n.Text
	if n.Title != "" && n.render == nil {
		text = "# " + n.Title + "\n\n" + text
	}
	if text == "" {
		return cause
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(text)).String() // the same text again is the same file
	path, err := d.Home.Spool(d.Now(), id, "txt", []byte(text))
	if err != nil {
		return errors.Join(cause, err)
	}
	return &SpooledError{Err: cause, Path: path}
}

// takeNote records a change of the chronicle that waited, once: the event that it
// makes has the id that it was left with.
func (d *Desk) takeNote(ctx context.Context, receipt *task.Receipt, n Noting) error {
	if err := d.follow(ctx, receipt); err != nil {
		return err
	}
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return err
	}
	if err := b.writable(); err != nil {
		return err
	}
	s := &Scope{Key: receipt.TaskKey, Receipt: *receipt, Place: b.place, Store: b.store}
	tip, err := s.Tip(ctx)
	if err != nil {
		return err
	}
	if made, err := madeBefore(ctx, b.store, tip, n.ID, n.At); err != nil || made {
		return err
	}
	_, err = d.record(ctx, s, n)
	return err
}

// clockSkew is how far the clocks of those who write into one bundle may differ.
const clockSkew = time.Hour

// madeBefore looks for the revision of an event that somebody began at a moment.
func madeBefore(ctx context.Context, store bundle.Store, tip *bundle.Revision, id string, at time.Time) (made bool, err error) {
	n := 0
	err = store.Walk(ctx, tip.ID, func(r *bundle.Revision) (bool, error) {
		n++
		made = r.Event.EventID == id
		return !made && n < maxLookBack && r.Event.Time.After(at.Add(-clockSkew)), nil
	})
	return made, err
}
