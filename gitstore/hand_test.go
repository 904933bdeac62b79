package gitstore

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"

	"github.com/google/uuid"
)

// hand makes revisions by hand, whether git would take them or not.
type hand struct {
	t   testing.TB
	dir string
	s   *Store
}

// put writes an object as a loose file and returns its id.
func (h *hand) put(kind objects.Kind, data []byte) string {
	h.t.Helper()
	o := h.s.db.Hash().Object(kind, data)
	path := filepath.Join(h.dir, ".git", "objects", o.ID[:2], o.ID[2:])
	if _, err := os.Stat(path); err == nil {
		return o.ID
	}
	content, err := objects.Deflate(o.Canonical())
	if err != nil {
		h.t.Fatal(err)
	}
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, content, 0o444); err != nil {
		h.t.Fatal(err)
	}
	return o.ID
}

// vast is a blob that says it has many bytes: nobody may want to see them.
func (h *hand) vast(size int) string {
	h.t.Helper()
	id := h.s.db.Hash().Object(objects.Blob, fmt.Append(nil, "vast ", size)).ID
	content, err := objects.Deflate(fmt.Append(nil, "blob ", size, "\x00"), make([]byte, 1<<20))
	if err != nil {
		h.t.Fatal(err)
	}
	path := filepath.Join(h.dir, ".git", "objects", id[:2], id[2:])
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, content, 0o444); err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *hand) blob(text string) string { return h.put(objects.Blob, []byte(text)) }

// rawTree writes a tree with its entries as they come.
func (h *hand) rawTree(entries ...objects.Entry) string {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(e.Mode + " " + e.Name + "\x00")
		b.Write(unhexed(h.t, e.ID))
	}
	return h.put(objects.Tree, b.Bytes())
}

func unhexed(t testing.TB, id string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sheet is a revision before it is written.
type sheet struct {
	h       *hand
	tree    map[string]objects.Entry
	last    []objects.Entry // put behind the others, unsorted
	event   map[string]any
	events  *string // in place of event
	parents []string
	heads   string // in place of author and committer
	more    string // headers behind them
	message string
}

// on is a sound revision on top of another, which changes the drift, with notes.
func (h *hand) on(parent, drift string, notes ...bundle.Note) *sheet {
	h.t.Helper()
	return h.next(parent, func(s *bundle.State) { s.Compass.Drift = drift }, notes...)
}

func (h *hand) next(parent string, change func(*bundle.State), notes ...bundle.Note) *sheet {
	h.t.Helper()
	ctx := h.t.Context()
	l := h.s.loader()
	defer l.Close()
	var present *stored
	d := bundle.Draft{State: bundle.DefaultState(), Notes: notes, Meta: bundle.EventMeta{ReviewID: "review", Reason: "by hand"}}
	if parent != "" {
		var err error
		if present, err = l.load(ctx, parent); err != nil {
			h.t.Fatal(err)
		}
		d.State = present.state
	}
	change(&d.State)
	w := h.s.writer(l, fixedIdentity)
	r, err := w.next(ctx, present, d)
	if err != nil || r == nil {
		h.t.Fatal(r, err)
	}
	for _, o := range w.objs[:len(w.objs)-1] {
		h.put(o.Kind, o.Data)
	}
	return h.sheet(r)
}

func (h *hand) sheet(r *stored) *sheet {
	s := &sheet{h: h, tree: maps.Clone(r.tree), parents: slices.Clone(r.commit.Parents), message: r.commit.Message}
	if err := json.Unmarshal(r.event.Line, &s.event); err != nil {
		h.t.Fatal(err)
	}
	s.heads = "author " + r.commit.Author.String() + "\ncommitter " + r.commit.Committer.String() + "\n"
	return s
}

// file puts a file into the tree.
func (s *sheet) file(name, text string) *sheet {
	s.tree[name] = objects.Entry{Mode: objects.ModeFile, Name: name, ID: s.h.blob(text)}
	return s
}

func (s *sheet) mode(name, mode string) *sheet {
	e := s.tree[name]
	e.Mode = mode
	s.tree[name] = e
	return s
}

// folder puts a folder with entries as they come into the tree.
func (s *sheet) folder(name string, entries ...objects.Entry) *sheet {
	s.tree[name] = objects.Entry{Mode: objects.ModeDir, Name: name, ID: s.h.rawTree(entries...)}
	return s
}

// note is a file for a folder.
func (h *hand) note(name, text string) objects.Entry {
	return objects.Entry{Mode: objects.ModeFile, Name: name, ID: h.blob(text)}
}

// names lets the event name notes with their digests: path, text, path, text.
func (s *sheet) names(pairs ...string) *sheet {
	var notes []any
	for i := 0; i < len(pairs); i += 2 {
		notes = append(notes, map[string]any{"path": pairs[i], "sha256": draft.Digest([]byte(pairs[i+1]))})
	}
	s.event["notes"] = notes
	return s
}

// set changes the event.
func (s *sheet) set(key string, value any) *sheet {
	s.event[key] = value
	return s
}

// transition changes what the event says of the one truth that it changed.
func (s *sheet) transition(key string, value any) *sheet {
	s.event["transitions"].([]any)[0].(map[string]any)[key] = value
	return s
}

func (s *sheet) line() string {
	if s.events != nil {
		return *s.events
	}
	line, err := json.Marshal(s.event)
	if err != nil {
		s.h.t.Fatal(err)
	}
	return string(line) + "\n"
}

// root writes the tree.
func (s *sheet) root() string {
	if _, ok := s.tree[bundle.EventsFile]; ok {
		s.file(bundle.EventsFile, s.line())
	}
	sorted := slices.SortedFunc(maps.Values(s.tree), func(a, b objects.Entry) int {
		slash := func(e objects.Entry) string {
			if e.Mode == objects.ModeDir {
				return e.Name + "/"
			}
			return e.Name
		}
		return strings.Compare(slash(a), slash(b))
	})
	return s.h.rawTree(append(sorted, s.last...)...)
}

// made writes the revision and returns its id.
func (s *sheet) made() string {
	var b strings.Builder
	b.WriteString("tree " + s.root() + "\n")
	for _, p := range s.parents {
		b.WriteString("parent " + p + "\n")
	}
	b.WriteString(s.heads + s.more + "\n" + s.message)
	return s.h.put(objects.Commit, []byte(b.String()))
}

// merged is a sound merge: all is as in the first parent.
func (h *hand) merged(parents ...string) *sheet {
	h.t.Helper()
	l := h.s.loader()
	defer l.Close()
	first, err := l.load(h.t.Context(), parents[0])
	if err != nil {
		h.t.Fatal(err)
	}
	s := h.sheet(first)
	s.parents = parents
	s.message = "merge\n\nChatRail-Merge: 1\n"
	s.set("event_id", uuid.NewString()).set("review_id", bundle.ReviewMerge).set("transitions", []any{}).set("parents", parents)
	delete(s.event, "notes")
	return s
}
