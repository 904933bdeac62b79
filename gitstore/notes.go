package gitstore

import (
	"context"
	"path"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"
)

// maxNoteDepth bounds the folders above a note that are looked into.
const maxNoteDepth = 512

// lookup finds the entry of a note below the top level of a revision.
func (l *loader) lookup(ctx context.Context, r *stored, notePath string) (objects.Entry, error) {
	parts := strings.Split(notePath, "/")
	entry, ok := r.tree[parts[0]]
	if parts[0] != entriesDir && parts[0] != tasksDir {
		ok = false
	}
	for _, part := range parts[1:] {
		if !ok || entry.Mode != objects.ModeDir {
			return entry, bundle.ErrNotFound
		}
		entries, err := l.tree(ctx, entry.ID)
		if err != nil {
			return entry, broken(err, "revision %s has a tree that cannot be read", short(r.id))
		}
		i := slices.IndexFunc(entries, func(e objects.Entry) bool { return e.Name == part })
		if ok = i >= 0; ok {
			entry = entries[i]
		}
	}
	if !ok || entry.Mode != objects.ModeFile {
		return entry, bundle.ErrNotFound
	}
	return entry, nil
}

// Bounds of the notes of one revision: what is looked at to tell them from
// those of its parent, and how many one event may write.
const (
	maxNoteTrees   = 10_000
	maxNoteEntries = 100_000
	maxEventNotes  = 10_000
	maxEventBytes  = 256 << 20 // of those notes, each text counted once
)

// noteWalk is one comparison of notes, with what it may still look at.
type noteWalk struct {
	*loader
	r       *stored
	trees   int
	entries int
	changes []noteChange
}

// noteChange is one path at which two trees of notes differ.
type noteChange struct {
	path string
	id   string // of the blob, "" where the note is gone
}

// noteChanges compares the notes of a revision with those of its first parent,
// nil for none. It refuses anything that is not a plain file or directory.
func (l *loader) noteChanges(ctx context.Context, r, parent *stored) ([]noteChange, error) {
	w := &noteWalk{loader: l, r: r, trees: maxNoteTrees, entries: maxNoteEntries}
	for _, dir := range []string{entriesDir, tasksDir} {
		var old objects.Entry
		if parent != nil {
			old = parent.tree[dir]
		}
		if err := w.compare(ctx, dir, old, r.tree[dir]); err != nil {
			return nil, err
		}
	}
	return w.changes, nil
}

// compare walks two entries at one path, either of which may be absent.
func (w *noteWalk) compare(ctx context.Context, at string, old, now objects.Entry) error {
	r := w.r
	if old == now {
		return nil
	}
	if strings.Count(at, "/") > maxNoteDepth || now.Mode == objects.ModeFile && draft.CheckNotePath(at) != nil {
		return frozenf("revision %s has notes at an odd path", short(r.id))
	}
	switch now.Mode {
	case objects.ModeFile:
		w.changes = append(w.changes, noteChange{at, now.ID})
	case objects.ModeDir, "":
		if old.Mode == objects.ModeFile {
			w.changes = append(w.changes, noteChange{at, ""})
		}
	default:
		return frozenf("revision %s has a note that is not a plain file", short(r.id))
	}
	before, err := w.children(ctx, old)
	if err != nil {
		return err
	}
	after, err := w.children(ctx, now)
	if err != nil {
		return err
	}
	if now.Mode == objects.ModeDir && len(after) == 0 {
		return frozenf("revision %s has a folder of notes without any", short(r.id))
	}
	was, is := byName(before), byName(after)
	for _, entry := range after {
		if err := w.compare(ctx, path.Join(at, entry.Name), was[entry.Name], entry); err != nil {
			return err
		}
	}
	for _, entry := range before {
		if _, ok := is[entry.Name]; !ok {
			if err := w.compare(ctx, path.Join(at, entry.Name), entry, objects.Entry{}); err != nil {
				return err
			}
		}
	}
	return nil
}

func byName(entries []objects.Entry) map[string]objects.Entry {
	names := make(map[string]objects.Entry, len(entries))
	for _, e := range entries {
		names[e.Name] = e
	}
	return names
}

// children lists a directory; nothing for anything else.
func (w *noteWalk) children(ctx context.Context, dir objects.Entry) ([]objects.Entry, error) {
	if dir.Mode != objects.ModeDir {
		return nil, nil
	}
	entries, err := w.tree(ctx, dir.ID)
	if err != nil {
		return nil, broken(err, "revision %s has a tree that cannot be read", short(w.r.id))
	}
	w.trees--
	w.entries -= len(entries)
	if w.trees < 0 || w.entries < 0 {
		return nil, frozenf("revision %s holds more notes than a revision may", short(w.r.id))
	}
	return entries, nil
}

// Notes lists the paths of the notes of a revision, sorted.
func (s *Store) Notes(ctx context.Context, id string) ([]string, error) {
	l := s.loader()
	defer l.Close()
	r, err := s.find(ctx, l, id)
	if err != nil {
		return nil, err
	}
	changes, err := l.noteChanges(ctx, r, nil)
	if err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(changes))
	for _, c := range changes {
		paths = append(paths, c.path)
	}
	slices.Sort(paths)
	return paths, nil
}

// EachNote goes through the notes of a revision; a stamp is the id of the blob.
// See bundle.Store.
func (s *Store) EachNote(ctx context.Context, id string, want func(bundle.NoteRef) bool, fn func(bundle.NoteRef, []byte) error) error {
	l := s.loader()
	defer l.Close()
	r, err := s.find(ctx, l, id)
	if err != nil {
		return err
	}
	changes, err := l.noteChanges(ctx, r, nil)
	if err != nil {
		return err
	}
	slices.SortFunc(changes, func(a, b noteChange) int { return strings.Compare(a.path, b.path) })
	for _, c := range changes {
		ref := bundle.NoteRef{Path: c.path, Stamp: c.id}
		if !want(ref) {
			continue
		}
		data, err := l.Get(ctx, c.id, objects.Blob)
		if err != nil {
			return broken(err, "revision %s has a note that cannot be read", short(r.id))
		}
		if err := fn(ref, data); err != nil {
			return err
		}
	}
	return nil
}

// Note reads one note as it was at a revision. It returns bundle.ErrNotFound
// where the revision has no such note.
func (s *Store) Note(ctx context.Context, id, notePath string) ([]byte, error) {
	l := s.loader()
	defer l.Close()
	r, err := s.find(ctx, l, id)
	if err != nil {
		return nil, err
	}
	entry, err := l.lookup(ctx, r, notePath)
	if err != nil {
		return nil, err
	}
	data, err := l.Get(ctx, entry.ID, objects.Blob)
	return data, broken(err, "revision %s has a note that cannot be read", short(r.id))
}

// find is the tree of a revision named by its id or a prefix of it.
func (s *Store) find(ctx context.Context, l *loader, id string) (*stored, error) {
	full, err := s.resolve(ctx, l, id)
	if err != nil {
		return nil, err
	}
	r := &stored{id: full}
	if r.commit, err = l.commit(ctx, full); err != nil {
		return nil, err
	}
	r.tree, err = l.top(ctx, r)
	return r, err
}
