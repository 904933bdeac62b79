package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// Directories of notes in the tree of a revision.
const (
	entriesDir = "entries"
	tasksDir   = "tasks"
)

// stored is one revision as it lies in the repository.
type stored struct {
	id     string
	commit objects.CommitData
	tree   map[string]objects.Entry // the top level, by name
	event  bundle.Event
	state  bundle.State
}

// revision is a copy for a caller, who may change it.
func (r *stored) revision() *bundle.Revision {
	state := r.state
	rail := &state.Rail
	if rail.Next != nil {
		next := *rail.Next
		rail.Next = &next
	}
	rail.Route, rail.Open, rail.Parked = slices.Clone(rail.Route), slices.Clone(rail.Open), slices.Clone(rail.Parked)
	return &bundle.Revision{ID: r.id, Parents: slices.Clone(r.commit.Parents), Event: r.event, State: state}
}

// loader reads revisions for the length of one call.
type loader struct {
	*objects.Reader
	hash    objects.Hash
	compass map[string]bundle.Compass // by blob id: most revisions change little
	rail    map[string]bundle.Rail
}

// loader starts a call. Objects that are missing are written back from the
// journal. The caller closes it.
func (s *Store) loader() *loader {
	return &loader{
		Reader:  s.db.Reader(s.journal.recover),
		hash:    s.db.Hash(),
		compass: map[string]bundle.Compass{},
		rail:    map[string]bundle.Rail{},
	}
}

// commit reads a commit alone.
func (l *loader) commit(ctx context.Context, id string) (objects.CommitData, error) {
	data, err := l.Get(ctx, id, objects.Commit)
	if errors.Is(err, objects.ErrBroken) {
		return objects.CommitData{}, frozenf("revision %s cannot be read: it is not a commit", short(id))
	}
	if err != nil {
		return objects.CommitData{}, broken(err, "revision %s cannot be read", short(id))
	}
	c, err := l.hash.DecodeCommit(data)
	if err != nil {
		return c, frozenf("revision %s cannot be read", short(id))
	}
	return c, nil
}

// load reads a revision. Beside an error comes what could be read of it; nil
// where that is nothing.
func (l *loader) load(ctx context.Context, id string) (*stored, error) {
	commit, err := l.commit(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &stored{id: id, commit: commit}
	if r.tree, err = l.top(ctx, r); err != nil {
		return r, err
	}
	// What can be read is read, also where one of the three is broken.
	return r, cmp.Or(l.loadEvent(ctx, r), l.loadCompass(ctx, r), l.loadRail(ctx, r))
}

// maxTop is the number of entries at the top level of a tree above which it is
// not looked at: a bundle has five.
const maxTop = 64

// top reads the top level of a tree.
func (l *loader) top(ctx context.Context, r *stored) (map[string]objects.Entry, error) {
	entries, err := l.tree(ctx, r.commit.Tree)
	if err != nil {
		return nil, broken(err, "revision %s has a tree that cannot be read", short(r.id))
	}
	if len(entries) > maxTop {
		return nil, frozenf("revision %s holds far more files than a bundle has", short(r.id))
	}
	tree := make(map[string]objects.Entry, len(entries))
	for _, e := range entries {
		tree[e.Name] = e
	}
	return tree, nil
}

func (l *loader) tree(ctx context.Context, id string) ([]objects.Entry, error) {
	data, err := l.Get(ctx, id, objects.Tree)
	if err != nil {
		return nil, err
	}
	return l.hash.DecodeTree(data)
}

func (l *loader) loadEvent(ctx context.Context, r *stored) error {
	data, err := l.file(ctx, r, bundle.EventsFile)
	if err != nil {
		return err
	}
	return parseEvent(r, data)
}

// parseEvent reads the event of a revision from its file.
func parseEvent(r *stored, data []byte) error {
	line, err := eventLine(r.id, data)
	if err != nil {
		return err
	}
	r.event, err = bundle.ParseEvent(line)
	return unreadableEvent(r.id, err)
}

// eventLine is the one line that the event file of a revision holds.
func eventLine(id string, data []byte) ([]byte, error) {
	line, ok := bytes.CutSuffix(data, []byte("\n"))
	if !ok || bytes.ContainsRune(line, '\n') {
		return nil, frozenf("revision %s does not hold exactly one event", short(id))
	}
	return line, nil
}

// unreadableEvent says what it means that an event is refused.
func unreadableEvent(id string, err error) error {
	if rule := (*bundle.RuleError)(nil); errors.As(err, &rule) && rule.Field == "event.version" {
		if n, err := strconv.Atoi(rule.Value); err == nil && n > 1 {
			return &bundle.FrozenError{Cause: fmt.Sprintf("revision %s has an event of a newer ChatRail: update to read it", short(id)), Newer: true}
		}
	}
	if err != nil {
		return frozenf("revision %s has an event that cannot be read", short(id))
	}
	return nil
}

func (l *loader) loadCompass(ctx context.Context, r *stored) error {
	id := r.tree[bundle.CompassFile].ID
	if c, ok := l.compass[id]; ok {
		r.state.Compass = c
		return nil
	}
	data, err := l.file(ctx, r, bundle.CompassFile)
	if err != nil {
		return err
	}
	// Most files are the value of their event as it is written.
	c, err := bundle.CompassFromJSON(r.after(bundle.TargetCompass))
	if err != nil || !c.WrittenAs(data) {
		c, err = bundle.DecodeCompass(data)
	}
	if r.state.Compass = c; err != nil {
		return frozenf("revision %s has a %s that cannot be read", short(r.id), bundle.CompassFile)
	}
	keep(l.compass, id, r.state.Compass)
	return nil
}

func (l *loader) loadRail(ctx context.Context, r *stored) error {
	id := r.tree[bundle.RailFile].ID
	if rail, ok := l.rail[id]; ok {
		r.state.Rail = rail
		return nil
	}
	data, err := l.file(ctx, r, bundle.RailFile)
	if err != nil {
		return err
	}
	rail, err := bundle.RailFromJSON(r.after(bundle.TargetRail))
	if err != nil || !rail.WrittenAs(data) {
		rail, err = bundle.DecodeRail(data)
	}
	if r.state.Rail = rail; err != nil {
		return frozenf("revision %s has a %s that cannot be read", short(r.id), bundle.RailFile)
	}
	keep(l.rail, id, r.state.Rail)
	return nil
}

// after is the value that the event gave to a truth, nil where it gave none.
func (r *stored) after(target bundle.Target) json.RawMessage {
	for _, t := range r.event.Transitions {
		if t.Target == target {
			return t.After
		}
	}
	return nil
}

// keep remembers a decoded file, of a bounded number of them.
func keep[T any](cache map[string]T, id string, value T) {
	if len(cache) >= 128 {
		clear(cache)
	}
	cache[id] = value
}

// file reads one of the three files of a revision.
func (l *loader) file(ctx context.Context, r *stored, name string) ([]byte, error) {
	entry, ok := r.tree[name]
	if !ok {
		return nil, frozenf("revision %s has no %s", short(r.id), name)
	}
	if entry.Mode != objects.ModeFile {
		return nil, frozenf("revision %s has a %s that is not a plain file", short(r.id), name)
	}
	data, err := l.Get(ctx, entry.ID, objects.Blob)
	if err != nil {
		return nil, broken(err, "revision %s has a %s that cannot be read", short(r.id), name)
	}
	return data, nil
}

// broken turns what is missing or no object of ours into a frozen bundle. Any
// other failure to read, such as a call out of time, stays what it is.
func broken(err error, format string, args ...any) error {
	switch {
	case errors.Is(err, objects.ErrTooLarge):
		return frozenf(format+": it is too large", args...)
	case errors.Is(err, objects.ErrShallow):
		return frozenf(format+": the repository is shallow, run `git fetch --unshallow`", args...)
	case errors.Is(err, objects.ErrLeftOut):
		return frozenf(format+": the repository is a partial clone that left it out, run `git fetch --refetch --no-filter`", args...)
	}
	if errors.Is(err, objects.ErrMissing) || errors.Is(err, objects.ErrBroken) {
		return frozenf(format, args...)
	}
	return err
}
