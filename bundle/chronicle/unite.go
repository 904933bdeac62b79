package chronicle

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// Version is one change of a note: what it was before and what it was after.
type Version struct {
	Before []byte    // nil where the change made the note
	After  []byte    // never nil: notes are not deleted
	Time   time.Time // of the event
	ID     string    // of the event
	// Below are the versions that this one has below it, as indexes. Parents come
	// first, so all of them are smaller than its own.
	Below []int
}

// United is what the versions of a note come to.
type United struct {
	Data     []byte
	SetAside []AsidePart // in the order of the parts; empty where nothing lost
}

// AsidePart is a part of a version that does not stand, since another version
// beside it changed the same part and is the later one.
type AsidePart struct {
	Key     string // of front matter, or WholeHead; "" for a part of the body
	Block   string // id of the block; "" beside an empty key means the text outside blocks
	Version int    // whose it is
	Text    string
	Kept    string // id of the block of the note that holds the text, "" where the note does not
}

// WholeHead stands for a key where front matter that cannot be understood was
// set aside as a whole.
const WholeHead = "---"

// Unite makes one note of its versions. base is the note at a point of the
// history that has none of the versions below it and that all of them have below
// them, nil where it was not there yet; no change above that point may be left
// out.
//
// A version changes a part of the note where its After differs from its Before
// in that part. The versions that changed a part and that no other such version
// has below it decide it: one stands; of several side by side the later (time,
// then id) stands and the others are set aside, unless they say the same. A
// change beats no change, a change beats a removal, a removal beats no change.
// Before may be what an earlier Unite came to, so a version is compared with
// nothing but itself.
//
// The parts and what is different for some of them:
//
//   - A key of front matter is a part. What loses is only told.
//   - The items of tags, closes, advances and of the stamps (hash and hashes) are
//     parts each: what one side adds stays, what one takes away goes. The stat is
//     the sum of what the versions added, the same commit counted once.
//   - status, by, moved and closed_by are one part: of todo, specced, doing, done
//     the furthest stands, and cut beats them all.
//   - The text outside blocks is one part. What loses is kept as a block, so that
//     no line of prose is lost, unless all of it stands already.
//   - A block is a part, named by its id; the commits that it covers unite like
//     tags. A text that loses is kept as a block beside the one that stands.
//   - Front matter that cannot be understood changes no key. It is kept as a block
//     where any side can be understood.
//
// A block that keeps what lost has an id made of the part, the event and the
// text. It comes back with every merge until a version that had it changes or
// removes it: then that is settled.
//
// The result depends on the versions and their causality alone, not on how they
// are listed. Where one version has all others below it, the result is its After
// byte for byte; otherwise it starts from the later of those that nothing is
// above, and only what has to change changes. Versions which all have the same
// ones below them are united on top of what those come to: so a merge of merges
// is the merge of everything.
//
// It fails only on a list that breaks the rules of Version. What front matter
// cannot take is kept as a block.
func Unite(base []byte, versions []Version) (United, error) {
	h, err := newHistory(versions)
	if err != nil {
		return United{}, err
	}
	r := reader{}
	u := United{Data: base}
	for _, run := range h.runs() {
		deltas := make(map[int]*delta, len(run))
		if len(run) > 1 || len(u.SetAside) > 0 {
			for _, v := range run {
				deltas[v] = diff(r.take(versions[v].Before), r.take(versions[v].After))
			}
		}
		u.SetAside = slices.DeleteFunc(u.SetAside, func(a AsidePart) bool {
			return slices.ContainsFunc(run, func(v int) bool { return deltas[v].settles(a) })
		})
		if len(run) == 1 {
			u.Data = versions[run[0]].After
			continue
		}
		m := merger{history: h, run: run, deltas: deltas, base: r.take(u.Data)}
		m.base.readHead()
		m.tops = h.maximal(run)
		for _, v := range m.tops {
			m.sides = append(m.sides, r.take(versions[v].After))
		}
		data, err := m.merge()
		if err != nil {
			return United{}, err
		}
		u.Data = data
		u.SetAside = append(u.SetAside, m.aside...)
	}
	return u, nil
}

// merger unites versions of which none has all the others below it or above it.
type merger struct {
	*history
	run    []int
	deltas map[int]*delta
	base   *side   // below all of them
	tops   []int   // those that nothing is above, the latest last
	sides  []*side // what the note is after each of tops
	aside  []AsidePart
	kept   []held // blocks that keep what lost
}

// changers are the versions for which a change is told, in order of rank.
func (m *merger) changers(changed func(*delta) bool) (vs []int) {
	for _, v := range m.run {
		if changed(m.deltas[v]) {
			vs = append(vs, v)
		}
	}
	return vs
}

// deciders are the changers that no other changer is above, the latest last.
func (m *merger) deciders(changed func(*delta) bool) []int {
	return m.maximal(m.changers(changed))
}

// setAside notes a part that lost. Where keep is not nil the text becomes a
// block, unless a version settled that block.
func (m *merger) setAside(a AsidePart, keep *Block) {
	if keep != nil {
		a.Kept = keep.ID
		for _, v := range m.run {
			if m.deltas[v].blocks[keep.ID] != nil {
				return
			}
		}
		m.kept = append(m.kept, held{key: keep.ID, block: *keep})
	}
	m.aside = append(m.aside, a)
}

func (m *merger) merge() ([]byte, error) {
	head := m.head()
	from := m.free()
	blocks := m.blocks()
	body, err := m.body(head, from, blocks)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && len(head) > split(head).bom && !isEnded(head) {
		head = append(slices.Clone(head), lineBreak(head)...)
	}
	note := append(append([]byte{}, head...), body...) // nil would be no note
	if l := split(note); l.broken == nil && l.body == len(head) {
		return note, nil
	}
	// The first line of the body would be taken for front matter.
	rule := []byte("---\n---\n")
	bom := split(head).bom
	note = slices.Concat(head[:bom], rule, head[bom:], body)
	if split(note).body != len(head)+len(rule) {
		return nil, errors.New("the front matter of the united note cannot be told from its text; mend the note on one side by hand")
	}
	return note, nil
}

// isEnded tells bytes that a line can follow.
func isEnded(b []byte) bool { return len(b) == 0 || bytes.HasSuffix(b, []byte("\n")) }
