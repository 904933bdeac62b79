package chronicle

import (
	"bytes"
	"slices"
)

// delta is what one version changed.
type delta struct {
	after   *side
	keys    []part                 // keys of front matter that differ, as they are after
	sets    map[string][]itemDelta // by key: items that came or went
	stat    Stat                   // what was added to it
	rawHead bool                   // front matter that cannot be understood came, changed or went
	free    bool                   // the text outside blocks
	blocks  map[string]*blockDelta
}

// itemDelta is one item of a list that came or went.
type itemDelta struct {
	item  string
	added bool
}

// blockDelta is what a version did to a block.
type blockDelta struct {
	after  *held // nil where it was removed
	text   bool  // more than what it covers
	covers []itemDelta
}

// setKeys are the keys whose items unite. The stamps stand under "hash" here,
// whichever of their two keys has them.
var setKeys = []string{"tags", "closes", "advances", "hash"}

// statusKeys are the keys that say how far a work item is.
var statusKeys = []string{"status", "by", "moved", "closed_by"}

func diff(before, after *side) *delta {
	d := &delta{after: after}
	if !bytes.Equal(before.headBytes(), after.headBytes()) || (before.broken == nil) != (after.broken == nil) {
		d.rawHead = before.rawHead() != after.rawHead()
		if after.sound() {
			d.head(before, after)
		}
	}
	if !bytes.Equal(before.bodyBytes(), after.bodyBytes()) {
		d.body(before, after)
	}
	return d
}

func (d *delta) head(before, after *side) {
	before.readHead()
	for _, f := range after.fields {
		if p := after.part(f.key); !p.equal(before.part(f.key)) {
			d.keys = append(d.keys, p)
		}
	}
	for _, f := range before.fields {
		if !after.part(f.key).present {
			d.keys = append(d.keys, part{key: f.key})
		}
	}
	d.sets = map[string][]itemDelta{}
	for _, key := range setKeys {
		if items := itemDeltas(*before.meta.texts(key), *after.meta.texts(key)); len(items) > 0 {
			d.sets[key] = items
		}
	}
	d.stat = Stat{
		Files:   after.meta.Stat.Files - before.meta.Stat.Files,
		Added:   after.meta.Stat.Added - before.meta.Stat.Added,
		Deleted: after.meta.Stat.Deleted - before.meta.Stat.Deleted,
	}
}

func (d *delta) body(before, after *side) {
	after.takeBodyAfter(before)
	// What is the same at both ends needs no closer look.
	same := func(i, j int) bool {
		return before.keys[i] == after.keys[j] && bytes.Equal(before.pieces[i].Raw, after.pieces[j].Raw)
	}
	from, old, now := 0, len(before.pieces), len(after.pieces)
	for from < min(old, now) && same(from, from) {
		from++
	}
	for from < min(old, now) && same(old-1, now-1) {
		old, now = old-1, now-1
	}
	was, is := before.blockMap(from, old), after.blockMap(from, now)
	d.free = before.freeText != after.freeText
	d.blocks = map[string]*blockDelta{}
	for key, b := range is {
		old, there := was[key]
		c := &blockDelta{text: !there || !old.block.same(b.block), covers: itemDeltas(old.block.Covers, b.block.Covers)}
		if c.text || len(c.covers) > 0 {
			c.after = &b
			d.blocks[key] = c
		}
	}
	for key := range was {
		if _, there := is[key]; !there {
			d.blocks[key] = &blockDelta{text: true}
		}
	}
}

// same compares all of two blocks but what they cover.
func (b Block) same(c Block) bool {
	return b.Time.Equal(c.Time) && b.ID == c.ID && b.Task == c.Task && b.Text == c.Text && b.State == c.State
}

func itemDeltas(before, after []string) (items []itemDelta) {
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	for _, item := range after[same:] {
		if !slices.Contains(before, item) {
			items = append(items, itemDelta{item, true})
		}
	}
	for _, item := range before[same:] {
		if !slices.Contains(after, item) {
			items = append(items, itemDelta{item, false})
		}
	}
	return items
}

// key is what a key became, nil where it is as it was.
func (d *delta) key(key string) *part {
	for i := range d.keys {
		if d.keys[i].key == key {
			return &d.keys[i]
		}
	}
	return nil
}

func (d *delta) anyKey(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return d.key(key) != nil })
}

// settles tells whether a version that is above a part which was set aside
// decides that part, or what was kept of it.
func (d *delta) settles(a AsidePart) bool {
	switch {
	case a.Kept != "" && d.blocks[a.Kept] != nil:
		return true
	case a.Key == WholeHead:
		return d.rawHead
	case slices.Contains(statusKeys, a.Key):
		return d.anyKey(statusKeys...)
	case a.Key != "":
		return d.anyKey(a.Key)
	case a.Block != "":
		return d.blocks[a.Block] != nil && d.blocks[a.Block].text
	}
	return d.free
}
