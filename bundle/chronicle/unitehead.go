package chronicle

import (
	"bytes"
	"slices"
	"strings"
)

// headWrite is what front matter is to hold under some keys.
type headWrite struct {
	parts   []part   // keys as they stand on one side
	source  *side    // the side they stand on
	changes []change // instead of parts: values that no side has
	version int
}

// head makes the front matter of the note. A side whose front matter cannot be
// understood keeps it as a block where another one can.
func (m *merger) head() []byte {
	head, editable := m.startHead()
	for _, v := range slices.Backward(m.deciders(func(d *delta) bool { return d.rawHead })) {
		raw := m.deltas[v].after.rawHead()
		if raw != "" && raw != string(head[split(head).bom:]) {
			text := trimEmptyLines(raw)
			m.setAside(AsidePart{Key: WholeHead, Version: v, Text: text}, m.keep(WholeHead, "head", v, text))
		}
	}
	start := m.start()
	if start == nil {
		return head
	}
	for _, w := range m.decideKeys(start) {
		if editable {
			head = m.write(head, start, w)
		}
	}
	return head
}

// startHead is the front matter that the note starts from, and whether keys of
// it are still to be changed. Where no side can be understood, and where all of
// them are the same, they are not.
func (m *merger) startHead() (head []byte, editable bool) {
	first := m.sides[0]
	if first.broken == nil && !slices.ContainsFunc(m.sides, func(s *side) bool {
		return s.broken != nil || !bytes.Equal(s.headBytes(), first.headBytes())
	}) {
		return first.headBytes(), false
	}
	if s := m.start(); s != nil {
		return s.headBytes(), true
	}
	for _, v := range slices.Backward(m.deciders(func(d *delta) bool { return d.rawHead })) {
		if s := m.deltas[v].after; s.rawHead() != "" {
			return s.headBytes(), false
		}
	}
	for _, s := range slices.Backward(m.sides) {
		if s.rawHead() != "" {
			return s.headBytes(), false
		}
	}
	// Nobody has an end of the front matter any more. All of it is free text then,
	// and below what was last read as front matter it stays that.
	for _, v := range slices.Backward(m.run) {
		if s := m.deltas[v].after; s.sound() {
			return s.headBytes(), false
		}
	}
	if m.base.sound() && m.base.has {
		return m.base.headBytes(), false
	}
	return []byte("---\n---\n"), false
}

// start is the later of the sides whose front matter can be changed, nil for
// none.
func (m *merger) start() *side {
	for _, s := range slices.Backward(m.sides) {
		if s.sound() {
			return s
		}
	}
	return nil
}

// write writes what was decided for some keys. The front matter stands alone
// here, above no body. What it cannot take is kept as a block.
func (m *merger) write(head []byte, start *side, w headWrite) []byte {
	keep := func(key, text string) {
		m.setAside(AsidePart{Key: key, Version: w.version, Text: text}, m.keep(key, key, w.version, key+": "+text))
	}
	for _, p := range w.parts {
		if p.equal(start.part(p.key)) {
			continue
		}
		if out, err := writePart(head, p, w.source); err == nil {
			head = out
		} else if p.present && p.value.kind != empty {
			keep(p.key, p.text(w.source))
		}
	}
	if out, err := edit(head, w.changes); err == nil {
		return out
	}
	for _, c := range w.changes {
		if c.value.kind != empty {
			keep(c.result(), string(appendValue(nil, c.value)))
		}
	}
	return head
}

// decideKeys goes through all keys that some version changed: ours in the order
// of a new note, then others as they turn up.
func (m *merger) decideKeys(start *side) (writes []headWrite) {
	for _, key := range m.changedKeys() {
		switch {
		case slices.Contains(statusKeys, key):
			if key == m.firstOf(statusKeys) {
				writes = append(writes, m.decideStatus())
			}
		case key == "hash" || key == "hashes":
			if m.anyOdd(start, "hash", "hashes") {
				writes = append(writes, m.decideSimple(key))
			} else if key == m.firstOf([]string{"hash", "hashes"}) {
				writes = append(writes, m.decideHashes(start))
			}
		case key == "stat":
			if m.anyStrangeStat(start) {
				writes = append(writes, m.decideSimple(key))
			} else {
				writes = append(writes, m.decideStat(start))
			}
		case slices.Contains(setKeys, key) && !m.anyOdd(start, key):
			writes = append(writes, m.decideItems(start, key))
		default:
			writes = append(writes, m.decideSimple(key))
		}
	}
	return writes
}

func (m *merger) changedKeys() (changed []string) {
	for _, key := range keys {
		if len(m.changers(func(d *delta) bool { return d.key(key) != nil })) > 0 {
			changed = append(changed, key)
		}
	}
	for _, v := range m.run {
		for _, p := range m.deltas[v].keys {
			if !slices.Contains(changed, p.key) {
				changed = append(changed, p.key)
			}
		}
	}
	// The stat is written when it is known whether there is a stamp.
	if i := slices.Index(changed, "stat"); i >= 0 {
		changed = append(slices.Delete(changed, i, i+1), "stat")
	}
	return changed
}

// firstOf is the first of some keys that a version changed.
func (m *merger) firstOf(group []string) string {
	for _, key := range keys {
		if slices.Contains(group, key) && len(m.changers(func(d *delta) bool { return d.key(key) != nil })) > 0 {
			return key
		}
	}
	return ""
}

func (m *merger) anyPart(start *side, is func(part) bool, keys ...string) bool {
	for _, key := range keys {
		if is(start.part(key)) {
			return true
		}
		for _, v := range m.run {
			if p := m.deltas[v].key(key); p != nil && is(*p) {
				return true
			}
		}
	}
	return false
}

func (m *merger) anyOdd(start *side, keys ...string) bool { return m.anyPart(start, part.odd, keys...) }

func (m *merger) anyStrangeStat(start *side) bool {
	return m.anyPart(start, func(p part) bool { return p.value.kind != empty && new(Stat).set(p.value) != "" }, "stat")
}

// decideSimple decides a key that holds one thing.
func (m *merger) decideSimple(key string) headWrite {
	deciders := m.deciders(func(d *delta) bool { return d.key(key) != nil })
	winner := deciders[len(deciders)-1]
	for _, v := range deciders {
		if m.deltas[v].key(key).present {
			winner = v
		}
	}
	stands := *m.deltas[winner].key(key)
	told := []part{stands, {key: key}}
	for _, v := range slices.Backward(deciders) {
		p := *m.deltas[v].key(key)
		if slices.ContainsFunc(told, p.equal) || p.value.kind == empty {
			continue
		}
		told = append(told, p)
		m.setAside(AsidePart{Key: key, Version: v, Text: p.text(m.deltas[v].after)}, nil)
	}
	return headWrite{parts: []part{stands}, source: m.deltas[winner].after, version: winner}
}

// decideStatus decides how far a work item is, and who brought it there.
func (m *merger) decideStatus() headWrite {
	deciders := m.deciders(func(d *delta) bool { return d.anyKey(statusKeys...) })
	winner := deciders[0]
	far := func(v int) int { return m.deltas[v].after.meta.Status.distance() }
	for _, v := range deciders {
		if far(v) >= far(winner) {
			winner = v
		}
	}
	after := m.deltas[winner].after
	told := []string{after.meta.standing()}
	for _, v := range slices.Backward(deciders) {
		// What is further has overtaken what is not; only two ends can contradict
		// each other, and two who say that they are at it.
		text := m.deltas[v].after.meta.standing()
		if slices.Contains(told, text) || text == "" || far(v) < far(winner) && far(v) < Done.distance() {
			continue
		}
		told = append(told, text)
		m.setAside(AsidePart{Key: "status", Version: v, Text: text}, nil)
	}
	w := headWrite{source: after, version: winner}
	for _, key := range statusKeys {
		w.parts = append(w.parts, after.part(key))
	}
	return w
}

// distance is how far a status has come. One that nobody knows is still to do.
func (s Status) distance() int {
	switch s {
	case "":
		return -1
	case Specced:
		return 1
	case Doing:
		return 2
	case Done:
		return 3
	case Cut:
		return 4
	}
	return 0
}

// standing says in a line how far a work item is.
func (m *Meta) standing() string {
	var words []string
	if m.Status != "" {
		words = append(words, string(m.Status))
	}
	if m.By != "" {
		words = append(words, "by "+m.By)
	}
	if m.ClosedBy != "" {
		words = append(words, "closed by "+m.ClosedBy)
	}
	return strings.Join(words, ", ")
}

// text is what a key holds, for people.
func (p part) text(source *side) string {
	switch p.value.kind {
	case scalar:
		return p.value.text
	case list:
		return strings.Join(p.value.list, ", ")
	case empty:
		return ""
	}
	lines, _, _, broken := keyLines(source.data, p.key)
	if broken != nil {
		return p.dump
	}
	_, text, _ := strings.Cut(string(bytes.Join(lines, nil)), ":")
	return trimEmptyLines(strings.TrimPrefix(text, " "))
}
