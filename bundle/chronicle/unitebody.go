package chronicle

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// keep makes the block that keeps what a version said and what does not stand.
// Its id is the same in every merge.
func (m *merger) keep(part, name string, version int, text string) *Block {
	v := m.versions[version]
	sum := sha256.Sum256([]byte(part + "\x00" + v.ID + "\x00" + text))
	const room = 100 // of the 128 characters that an id has
	if name = name[:min(len(name), room)]; !isToken(name) {
		name = "kept"
	}
	at := v.Time.UTC().Truncate(time.Microsecond)
	if at.Year() < 0 || at.Year() > 9999 {
		at = time.Time{} // a moment that a block cannot name
	}
	return &Block{Time: at, ID: name + "." + hex.EncodeToString(sum[:6]), Text: text}
}

// free decides the text outside blocks, and returns the side whose body the note
// starts from.
func (m *merger) free() *side {
	deciders := m.deciders(func(d *delta) bool { return d.free })
	latest := m.start()
	if latest == nil {
		latest = m.sides[len(m.sides)-1]
	}
	if len(deciders) == 0 {
		return latest
	}
	winner := deciders[len(deciders)-1]
	for _, v := range deciders {
		if m.deltas[v].after.freeText != "" {
			winner = v
		}
	}
	stands := m.deltas[winner].after
	told := []string{stands.freeText}
	for _, v := range slices.Backward(deciders) {
		lost := m.deltas[v].after
		if slices.ContainsFunc(told, func(text string) bool { return holdsLines(text, lost.freeText) }) {
			continue
		}
		told = append(told, lost.freeText)
		text := lost.rawFree()
		m.setAside(AsidePart{Version: v, Text: text}, m.keep("", "text", v, text))
	}
	// A later side with the same text has more of the rest in its place.
	for _, s := range append(slices.Clone(m.sides), latest) {
		if s.takeBody(); s.freeText == m.deltas[winner].after.freeText {
			stands = s
		}
	}
	return stands
}

// holdsLines tells whether every line of a text stands in another, in the same
// order.
func holdsLines(text, lines string) bool {
	for want := range strings.Lines(lines) {
		if strings.TrimSpace(want) == "" {
			continue
		}
		found := false
		for !found && text != "" {
			var has string
			has, text, _ = strings.Cut(text, "\n")
			found = has == strings.TrimSuffix(want, "\n")
		}
		if !found {
			return false
		}
	}
	return true
}

// blocks decides which blocks the note has.
func (m *merger) blocks() map[string]held {
	blocks := map[string]held{}
	for _, s := range append([]*side{m.base}, m.sides...) {
		s.takeBody()
		for key, b := range s.blockMap(0, len(s.pieces)) {
			blocks[key] = b
		}
	}
	changed := map[string][]int{}
	for _, v := range m.run {
		for key := range m.deltas[v].blocks {
			changed[key] = append(changed[key], v)
		}
	}
	order := make([]string, 0, len(changed))
	for key := range changed {
		order = append(order, key)
	}
	slices.Sort(order)
	for _, key := range order {
		b := m.block(key, changed[key])
		if b == nil {
			delete(blocks, key)
			continue
		}
		blocks[key] = *b
	}
	for _, b := range m.kept {
		if _, has := blocks[b.block.ID]; !has {
			blocks[b.block.ID] = held{key: b.block.ID, block: b.block}
		}
	}
	return blocks
}

// block decides a block that some versions changed, nil where it is gone.
func (m *merger) block(key string, changers []int) *held {
	deciders := m.maximal(changers)
	stands := (*held)(nil)
	for _, v := range deciders {
		if after := m.deltas[v].blocks[key].after; after != nil {
			stands = after
		}
	}
	if stands == nil {
		return nil
	}
	var texts []int
	for _, v := range m.maximal(slices.DeleteFunc(slices.Clone(changers), func(v int) bool { return !m.deltas[v].blocks[key].text })) {
		if after := m.deltas[v].blocks[key].after; after != nil {
			texts, stands = append(texts, v), after
		}
	}
	told := []string{stands.block.Text}
	for _, v := range slices.Backward(texts) {
		lost := m.deltas[v].blocks[key].after.block
		if slices.Contains(told, lost.Text) {
			continue
		}
		told = append(told, lost.Text)
		kept := m.keep(key, lost.ID, v, lost.Text)
		kept.Time, kept.Task, kept.State = lost.Time, lost.Task, lost.State
		m.setAside(AsidePart{Block: lost.ID, Version: v, Text: lost.Text}, kept)
	}
	covers := m.items(stands.block.Covers, changers, func(d *delta) []itemDelta {
		return d.blocks[key].covers
	}, itself)
	if slices.Equal(covers, stands.block.Covers) {
		return stands
	}
	b := *stands
	b.raw = withCovers(b.raw, b.block.Covers, covers)
	b.block.Covers = covers
	return &b
}

// withCovers writes other ids into the first line of a block.
func withCovers(raw []byte, old, covers []string) []byte {
	was, is := " covers="+strings.Join(old, ","), " covers="+strings.Join(covers, ",")
	switch {
	case len(old) == 0:
		was, is = markerEnd, is+markerEnd
	case len(covers) == 0:
		is = ""
	}
	return bytes.Replace(raw, []byte(was), []byte(is), 1)
}

// laid is a part of a body as it is put together.
type laid struct {
	held
	added bool // it does not stand on the side that the body starts from
}

// body puts the body together: that of one side, with the blocks that were
// decided on. A block that it does not have goes in front of the first one that
// is later.
func (m *merger) body(head []byte, from *side, blocks map[string]held) ([]byte, error) {
	from.takeBody()
	var parts []laid
	has := map[string]bool{}
	for i, p := range from.pieces {
		key := from.keys[i]
		if b, stays := blocks[key]; key == "" {
			parts = append(parts, laid{held: held{raw: p.Raw}})
		} else if stays {
			if now := from.heldAt(i); now.block.equal(b.block) {
				b = now
			} else {
				b.raw = slices.Concat(p.Raw[:len(p.Raw)-len(withoutGap(p.Raw))], withoutGap(b.raw))
			}
			parts = append(parts, laid{held: b})
			has[key] = true
		}
	}
	var missing []held
	for key, b := range blocks {
		if !has[key] {
			missing = append(missing, b)
		}
	}
	slices.SortFunc(missing, func(a, b held) int { return cmp.Or(a.block.order(b.block), cmp.Compare(a.key, b.key)) })
	for _, b := range missing {
		at := slices.IndexFunc(parts, func(l laid) bool { return l.key != "" && l.block.order(b.block) > 0 })
		if at < 0 {
			at = len(parts)
		}
		parts = slices.Insert(parts, at, laid{held: b, added: true})
	}
	empty := len(head) == split(head).bom
	eol := lineBreak(from.data)
	body := lay(empty, parts, eol, -1)
	if m.reads(body, blocks) {
		return body, nil
	}
	// Something outside blocks reads like a line of one: all of them get more plus
	// signs than anything else has.
	level := 0
	for _, mark := range findMarkers(body) {
		level = max(level, mark.level+1)
	}
	if body = lay(empty, parts, eol, level); !m.reads(body, blocks) {
		return nil, errors.New("the blocks of the united note cannot be told from its text; mend the note on one side by hand")
	}
	return body, nil
}

// order is how blocks follow each other.
func (b Block) order(c Block) int { return cmp.Or(b.Time.Compare(c.Time), cmp.Compare(b.ID, c.ID)) }

// lay writes parts one behind the other. level is that of all blocks, -1 for
// those that they have, empty says that there is nothing in front of the body.
func lay(empty bool, parts []laid, eol string, level int) []byte {
	var body []byte
	for _, p := range parts {
		isBlock := p.key != ""
		raw := p.raw
		switch {
		case isBlock && raw == nil:
			own := max(level, 0)
			for _, mark := range findMarkers([]byte(p.block.Text)) {
				own = max(own, mark.level+1)
			}
			raw = []byte(p.block.opening(own) + eol + p.block.Text + eol + closingLine(p.block.ID, own) + eol)
		case isBlock && level >= 0:
			raw = relevel(raw, level)
		}
		if !isEnded(body) {
			body = append(body, eol...)
		}
		if p.added {
			raw = withoutGap(raw)
			if len(body) > 0 || !empty {
				body = append(body, eol...)
			}
			if !isEnded(raw) {
				raw = append(slices.Clone(raw), eol...)
			}
		}
		body = append(body, raw...)
	}
	return body
}

// withoutGap takes the empty line in front of a block off.
func withoutGap(raw []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimPrefix(raw, []byte("\r")), []byte("\n"))
}

// relevel gives the two lines that hold a block another number of plus signs.
func relevel(raw []byte, level int) []byte {
	markers := findMarkers(raw)
	first, last := markers[0], markers[len(markers)-1]
	plus := strings.Repeat("+", level)
	word := func(m marker, word string) []byte {
		old := markerStart + word + strings.Repeat("+", m.level) + " "
		return bytes.Replace(raw[m.start:m.end], []byte(old), []byte(markerStart+word+plus+" "), 1)
	}
	return slices.Concat(raw[:first.start], word(first, blockWord), raw[first.end:last.start], word(last, endWord), raw[last.end:])
}

// reads tells whether a body reads as having all blocks.
func (m *merger) reads(body []byte, blocks map[string]held) bool {
	found := map[string][]Block{}
	for _, b := range Blocks(body) {
		found[b.ID] = append(found[b.ID], b)
	}
	for _, want := range blocks {
		left := found[want.block.ID]
		i := slices.IndexFunc(left, want.block.equal)
		if i < 0 {
			return false
		}
		found[want.block.ID] = slices.Delete(left, i, i+1)
	}
	return true
}
