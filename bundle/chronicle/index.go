package chronicle

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Item is a note in an index: what its front matter says.
type Item struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	Meta
	// At is the moment of an entry, and of a work item when it came to its
	// status; the day of the path where the note names none, else zero.
	At time.Time `json:"at,omitzero"`
	// Broken says why the note cannot be edited, "" where it can.
	Broken string `json:"broken,omitempty"`
}

// Index answers questions about many notes from their front matter alone. The
// zero value is empty and ready.
type Index struct {
	entries []*Item // an item is large: lists are sorted by moving pointers
	work    []*Item
	sorted  bool
}

// Grow makes room for that many entries.
func (x *Index) Grow(n int) { x.entries = slices.Grow(x.entries, n) }

// Add reads the front matter of a note. Files that are no notes are passed over.
func (x *Index) Add(path string, note []byte) {
	if item, ok := ItemOf(path, note); ok {
		x.AddItem(&item)
	}
}

// AddItem adds what ItemOf returned, now or at another time. The index keeps the
// item, which has to stay as it is.
func (x *Index) AddItem(item *Item) {
	x.sorted = false
	if item.Kind == KindEntry {
		x.entries = append(x.entries, item)
		return
	}
	x.work = append(x.work, item)
}

// Items are all notes, in no order.
func (x *Index) Items() []Item {
	return chosen(slices.Concat(x.entries, x.work), Filter{})
}

// Paths are the paths of all notes, in no order.
func (x *Index) Paths() []string {
	items := x.Items()
	paths := make([]string, len(items))
	for i := range items {
		paths[i] = items[i].Path
	}
	return paths
}

// At is the note of a path, the zero value where there is none.
func (x *Index) At(path string) Item {
	items := x.entries
	if KindOf(path) == KindWorkItem {
		items = x.work
	}
	for _, item := range items {
		if item.Path == path {
			return *item
		}
	}
	return Item{}
}

// ItemOf reads the front matter of a note; false for a file that is none. No
// more than the first MaxHead bytes and a line of it are needed.
func ItemOf(path string, note []byte) (Item, bool) {
	kind := KindOf(path)
	if kind == "" {
		return Item{}, false
	}
	n := Read(note)
	item := Item{Path: path, Kind: kind, Meta: n.Meta, At: momentOf(kind, path, &n.Meta)}
	if n.Broken != nil {
		item.Broken = n.Broken.Error()
	}
	if kind == KindWorkItem && item.Status == "" {
		item.Status = Todo
	}
	return item, true
}

func momentOf(kind Kind, path string, m *Meta) time.Time {
	if kind == KindWorkItem {
		if at, err := time.Parse(time.RFC3339Nano, m.Moved); err == nil {
			return at.UTC()
		}
	}
	if at, ok := m.When(); ok {
		return at
	}
	return dateOfPath(path)
}

// Filter chooses notes. Its zero value chooses all.
type Filter struct {
	Tag    string    // without regard to case
	Task   string    // key of the task that opened the note, short or in full
	Status Status    // work items of this status
	State  State     // drafts or published entries
	Since  time.Time // at this moment or later
}

// State chooses entries by whether a commit was stamped on them.
type State string

// The states of an entry.
const (
	AnyState       State = ""
	DraftState     State = "draft"
	PublishedState State = "published"
)

func (f Filter) isZero() bool {
	return f.Tag == "" && f.Task == "" && f.Status == "" && f.State == AnyState && f.Since.IsZero()
}

func (f Filter) takes(item *Item) bool {
	switch {
	case f.Status != "" && (item.Kind != KindWorkItem || item.Status != f.Status):
		return false
	case f.State != AnyState && (item.Kind != KindEntry || item.Published() != (f.State == PublishedState)):
		return false
	case f.Task != "" && !sameTask(item.Task, f.Task):
		return false
	case !f.Since.IsZero() && item.At.Before(f.Since):
		return false
	}
	return f.Tag == "" || slices.ContainsFunc(item.Tags, func(t string) bool { return strings.EqualFold(t, f.Tag) })
}

// Entries lists entries, newest first.
func (x *Index) Entries(f Filter) []Item { x.sort(); return chosen(x.entries, f) }

// WorkItems lists work items: those in flight, owed, to do, done, cut, and the
// newest first in each.
func (x *Index) WorkItems(f Filter) []Item { x.sort(); return chosen(x.work, f) }

// InFlight lists the work items that somebody is doing.
func (x *Index) InFlight() []Item { return x.WorkItems(Filter{Status: Doing}) }

// Owed lists the work items that are designed and not started.
func (x *Index) Owed() []Item { return x.WorkItems(Filter{Status: Specced}) }

// ActiveDraft is the entry that a caller writes into: the newest draft that the
// caller's task opened, else that the first of the tasks opened which it goes on
// with; outside a task, task being "", the newest draft. A draft that cannot be
// edited is none, since it could not be stamped.
func (x *Index) ActiveDraft(tasks ...string) (Item, bool) {
	for _, task := range tasks {
		if item, ok := x.newestDraft(task); ok {
			return item, true
		}
	}
	return Item{}, false
}

func (x *Index) newestDraft(task string) (Item, bool) {
	for _, item := range x.Entries(Filter{State: DraftState, Task: task}) {
		if item.Broken == "" {
			return item, true
		}
	}
	return Item{}, false
}

// Resolve finds the notes that a person may mean: by path, by path without its
// extension, by the name of the file, or by the name without its day. The
// first of these ways that finds any decides; several answers are for the
// caller to refuse.
func (x *Index) Resolve(kind Kind, name string) []string {
	x.sort()
	items := x.entries
	if kind == KindWorkItem {
		items = x.work
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), noteExt)
	var byFile, bySlug []string
	for _, item := range items {
		whole := strings.TrimSuffix(item.Path, noteExt)
		file := path.Base(whole)
		switch {
		case whole == name:
			return []string{item.Path}
		case file == name:
			byFile = append(byFile, item.Path)
		case kind == KindEntry && len(file) > 3 && file[2] == '-' && file[3:] == name:
			bySlug = append(bySlug, item.Path)
		}
	}
	if len(byFile) > 0 {
		return byFile
	}
	return bySlug
}

func (x *Index) sort() {
	if x.sorted {
		return
	}
	slices.SortFunc(x.entries, newestFirst)
	slices.SortFunc(x.work, func(a, b *Item) int {
		if d := a.Status.rank() - b.Status.rank(); d != 0 {
			return d
		}
		return newestFirst(a, b)
	})
	x.sorted = true
}

// newestFirst orders by moment, and where that is the same by path, of which
// the later in order is the newer: the suffix of a slug counts up.
func newestFirst(a, b *Item) int {
	if d := b.At.Compare(a.At); d != 0 {
		return d
	}
	return strings.Compare(b.Path, a.Path)
}

func chosen(items []*Item, f Filter) []Item {
	if f.isZero() {
		list := make([]Item, len(items))
		for i, item := range items {
			list[i] = *item
		}
		return list
	}
	var list []Item
	for _, item := range items {
		if f.takes(item) {
			list = append(list, *item)
		}
	}
	return list
}

// sameTask compares two task keys, either of them perhaps short.
func sameTask(a, b string) bool {
	const short = 12 // hex digits of a short key
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= short && strings.HasPrefix(b, a)
}
