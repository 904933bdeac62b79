package gitstore

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"
)

// writer collects the objects of new revisions. It writes nothing itself.
type writer struct {
	*loader
	identity func() objects.Signature // asked at the first commit
	who      objects.Signature
	objs     []objects.Object
	made     map[string]bool // ids in objs
}

func (s *Store) writer(l *loader, identity func() objects.Signature) *writer {
	return &writer{loader: l, identity: identity, made: map[string]bool{}}
}

// put adds an object and returns its id.
func (w *writer) put(kind objects.Kind, data []byte) string {
	o := w.hash.Object(kind, data)
	if !w.made[o.ID] {
		w.made[o.ID] = true
		w.objs = append(w.objs, o)
	}
	return o.ID
}

// next makes the revision that a draft asks for, nil where it asks for what is
// there. present is nil for the first one.
func (w *writer) next(ctx context.Context, present *stored, d bundle.Draft) (*stored, error) {
	if err := draft.Check(d); err != nil {
		return nil, err
	}
	notes, err := w.changedNotes(ctx, present, d.Notes)
	if err != nil {
		return nil, err
	}
	if len(notes) > maxEventNotes {
		return nil, noteError(notes[0].Path, "is one of more than 10000 at once: write fewer")
	}
	size := 0
	for _, n := range notes {
		if size += len(n.Data); size > maxEventBytes {
			return nil, noteError(n.Path, "is one of more than 256 MiB at once: write fewer")
		}
	}
	if present != nil && d.Meta.EventID != "" && d.Meta.EventID == present.event.EventID {
		return nil, draft.DuplicateID(d.Meta.EventID)
	}
	var before *bundle.State
	var parents []string
	tree := map[string]objects.Entry{}
	if present != nil {
		before, parents, tree = &present.state, []string{present.id}, maps.Clone(present.tree)
		if len(notes) == 0 && present.state.Equal(d.State) {
			return nil, nil
		}
	}
	digests := make([]bundle.NoteDigest, 0, len(notes))
	for _, n := range notes {
		digests = append(digests, bundle.NoteDigest{Path: n.Path, SHA256: draft.Digest(n.Data)})
	}
	event, err := draft.Event(d, before, digests)
	if err != nil {
		return nil, err
	}
	if err := w.putNotes(ctx, tree, w.placed(notes)); err != nil {
		return nil, err
	}
	return w.revision(tree, parents, event, before, d.State, false)
}

// changedNotes drops the notes that are there already.
func (w *writer) changedNotes(ctx context.Context, present *stored, notes []bundle.Note) ([]bundle.Note, error) {
	var changed []bundle.Note
	for _, n := range notes {
		if len(n.Data) > objects.MaxSize {
			return nil, noteError(n.Path, "is at most 8 MiB")
		}
		if present != nil {
			entry, err := w.lookup(ctx, present, n.Path)
			if err == nil && entry.ID == w.hash.Object(objects.Blob, n.Data).ID {
				continue
			}
			if err != nil && !isNotFound(err) {
				return nil, err
			}
		}
		changed = append(changed, n)
	}
	return changed, nil
}

// revision makes the tree and the commit of an event. tree holds the entries of
// the revision before, with the notes of this one; it is changed.
func (w *writer) revision(tree map[string]objects.Entry, parents []string, event bundle.Event, before *bundle.State, after bundle.State, imported bool) (*stored, error) {
	w.putFile(tree, bundle.EventsFile, append(slices.Clone(event.Line), '\n'))
	if before == nil || before.Compass.Digest() != after.Compass.Digest() {
		data, err := bundle.EncodeCompass(after.Compass)
		if err != nil {
			return nil, err
		}
		w.putFile(tree, bundle.CompassFile, data)
	}
	if before == nil || before.Rail.Digest() != after.Rail.Digest() {
		data, err := bundle.EncodeRail(after.Rail)
		if err != nil {
			return nil, err
		}
		w.putFile(tree, bundle.RailFile, data)
	}
	root, err := w.putTree(tree)
	if err != nil {
		return nil, err
	}
	if w.who == (objects.Signature{}) {
		w.who = w.identity()
	}
	who := w.who
	who.When = event.Time
	r := &stored{tree: tree, event: event, state: after, commit: objects.CommitData{
		Tree:      root,
		Parents:   parents,
		Author:    who,
		Committer: who,
		Message:   message(event, before, after, imported),
	}}
	r.id = w.put(objects.Commit, r.commit.Encode())
	return r, nil
}

func (w *writer) putFile(tree map[string]objects.Entry, name string, data []byte) {
	tree[name] = objects.Entry{Mode: objects.ModeFile, Name: name, ID: w.put(objects.Blob, data)}
}

func (w *writer) putTree(tree map[string]objects.Entry) (string, error) {
	data, err := objects.EncodeTree(slices.Collect(maps.Values(tree)))
	if err != nil {
		return "", err
	}
	return w.put(objects.Tree, data), nil
}

// placedNote is a note whose blob is there, or among the objects to be written.
type placedNote struct{ path, id string }

func (w *writer) placed(notes []bundle.Note) []placedNote {
	placed := make([]placedNote, 0, len(notes))
	for _, n := range notes {
		placed = append(placed, placedNote{n.Path, w.put(objects.Blob, n.Data)})
	}
	return placed
}

// putNotes puts notes into the tree of a revision. Directories in which nothing
// changes are kept by their ids.
func (w *writer) putNotes(ctx context.Context, tree map[string]objects.Entry, notes []placedNote) error {
	below := map[string][]placedNote{}
	for _, n := range notes {
		name, rest, deeper := strings.Cut(n.path, "/")
		if deeper {
			below[name] = append(below[name], placedNote{rest, n.id})
			continue
		}
		if tree[name].Mode == objects.ModeDir {
			return clash(name)
		}
		tree[name] = objects.Entry{Mode: objects.ModeFile, Name: name, ID: n.id}
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		if tree[name].Mode == objects.ModeFile {
			return clash(name)
		}
		children := map[string]objects.Entry{}
		if old := tree[name]; old.ID != "" {
			entries, err := w.tree(ctx, old.ID)
			if err != nil {
				return err
			}
			for _, e := range entries {
				children[e.Name] = e
			}
		}
		if err := w.putNotes(ctx, children, below[name]); err != nil {
			return err
		}
		id, err := w.putTree(children)
		if err != nil {
			return err
		}
		tree[name] = objects.Entry{Mode: objects.ModeDir, Name: name, ID: id}
	}
	return nil
}

func clash(name string) error { return noteError(name, "is a file and a folder at once") }

func noteError(path, rule string) error {
	return &bundle.RuleError{Field: "note.path", Value: strconv.QuoteToASCII(path), Rule: rule}
}
