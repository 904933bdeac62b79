package chronicle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// side is a note taken apart for uniting. Reading it takes a while, so what is
// not asked for is not read.
type side struct {
	data []byte
	layout
	read     bool // the front matter
	fields   []field
	dumps    map[string]string // of values that are no text, list or mapping of texts
	faulty   bool              // the front matter ends and cannot be understood
	meta     Meta
	taken    bool // the body
	pieces   []Piece
	keys     []string // of each piece; "" for free text
	opens    bool     // there may be a first line of a block that has no last one yet
	freeText string
}

// held is a block as it stands in a note.
type held struct {
	key   string
	raw   []byte // nil for one that stands in none yet
	block Block
}

// reader keeps the sides that were read last: what a version had before it is
// mostly what another one came to.
type reader struct {
	last [16]*side
	next int
}

func (r *reader) take(data []byte) *side {
	for _, s := range r.last {
		if s != nil && bytes.Equal(s.data, data) {
			return s
		}
	}
	s := &side{data: data, layout: split(data)}
	r.last[r.next] = s
	r.next = (r.next + 1) % len(r.last)
	return s
}

// headBytes is everything in front of the body.
func (s *side) headBytes() []byte { return s.data[:s.body:s.body] }

func (s *side) bodyBytes() []byte { return s.data[s.body:] }

// readHead reads the front matter, as far as it goes where it is faulty.
func (s *side) readHead() {
	if s.read {
		return
	}
	s.read = true
	switch {
	case s.broken != nil:
		s.fields = salvage(s.data[s.head:min(len(s.data), s.head+MaxHead)], true)
	case s.has:
		head := s.data[s.head:s.headEnd]
		var plain bool
		if s.fields, plain = scanHead(head); plain {
			break
		}
		fields, broken := readHead(head)
		if s.faulty = broken != nil; s.faulty && fields == nil {
			fields = salvage(head, false)
		}
		s.fields = fields
		s.dump(head)
	}
	s.meta, _ = metaOf(s.fields)
}

// sound tells front matter, or none, in which keys can be told and changed.
func (s *side) sound() bool {
	s.readHead()
	return s.broken == nil && !s.faulty
}

// rawHead is the front matter that ends and cannot be understood, "" for any
// other.
func (s *side) rawHead() string {
	s.readHead()
	if !s.faulty {
		return ""
	}
	return string(s.data[s.bom:s.body])
}

// dump writes down the values that a field does not hold.
func (s *side) dump(head []byte) {
	root, broken := parseHead(head)
	if root == nil || broken != nil {
		return
	}
	s.dumps = map[string]string{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Kind == yaml.ScalarNode {
			var b strings.Builder
			dumpNode(&b, root.Content[i+1])
			s.dumps[key.Value] = b.String()
		}
	}
}

func dumpNode(b *strings.Builder, n *yaml.Node) {
	fmt.Fprintf(b, "%d %s %q %s(", n.Kind, n.Tag, n.Value, n.Anchor)
	for _, child := range n.Content {
		dumpNode(b, child)
	}
	b.WriteByte(')')
}

// part is what a key holds on one side.
type part struct {
	key     string
	present bool
	value   value
	dump    string // of a value of kind other
}

func (s *side) part(key string) part {
	s.readHead()
	for _, f := range s.fields {
		if f.key == key {
			p := part{key: key, present: true, value: f.value}
			if f.value.kind == other {
				p.dump = s.dumps[key]
			}
			return p
		}
	}
	return part{key: key}
}

func (p part) equal(q part) bool {
	return p.present == q.present && p.value.kind == q.value.kind && p.value.text == q.value.text &&
		slices.Equal(p.value.list, q.value.list) && slices.Equal(p.value.keys, q.value.keys) && p.dump == q.dump
}

// odd tells a value that a list of texts cannot be read from.
func (p part) odd() bool { return p.value.kind == mapping || p.value.kind == other }

// takeBody takes the body apart.
func (s *side) takeBody() {
	if s.taken {
		return
	}
	s.taken = true
	s.add(Pieces(s.bodyBytes()))
	s.freeText = s.normalFree()
}

// takeBodyAfter takes the body apart where it may be that of another side with
// blocks behind it, as mostly it is: then only those are read.
func (s *side) takeBodyAfter(before *side) {
	before.takeBody()
	tail, ok := bytes.CutPrefix(s.bodyBytes(), before.bodyBytes())
	if s.taken || !ok || before.opens || !endsInText(before.bodyBytes()) {
		s.takeBody()
		return
	}
	added := Pieces(tail)
	if slices.ContainsFunc(added, func(p Piece) bool { return p.Block == nil }) {
		s.takeBody()
		return
	}
	s.taken = true
	s.pieces, s.keys = slices.Clip(before.pieces), slices.Clip(before.keys)
	s.add(added)
	s.freeText = before.freeText
}

// endsInText tells bytes that end with a line which the next block leaves alone:
// one that is empty would be taken for its own.
func endsInText(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	last := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
	return isEnded(b) && len(bytes.TrimSpace(b[last:])) > 0
}

// add adds pieces to the body.
func (s *side) add(pieces []Piece) {
	seen := map[string]int{}
	if len(s.keys) > 0 {
		for _, p := range pieces {
			// Their ids alone can be those of earlier ones.
			seen[p.Block.ID] = 0
		}
		for _, p := range s.pieces {
			if p.Block == nil {
				continue
			}
			if _, asked := seen[p.Block.ID]; asked {
				seen[p.Block.ID]++
			}
		}
	}
	for _, p := range pieces {
		key := ""
		if p.Block != nil {
			// Somebody may have copied a block by hand: the copy is a block too.
			key = p.Block.ID
			if n := seen[key]; n > 0 {
				key += "\x00" + strconv.Itoa(n)
			}
			seen[p.Block.ID]++
		} else if bytes.Contains(p.Raw, []byte(markerStart)) {
			s.opens = true
		}
		s.pieces, s.keys = append(s.pieces, p), append(s.keys, key)
	}
}

func (s *side) heldAt(i int) held {
	return held{key: s.keys[i], raw: s.pieces[i].Raw, block: *s.pieces[i].Block}
}

// blockMap are the blocks of a part of the body by key.
func (s *side) blockMap(from, to int) map[string]held {
	blocks := make(map[string]held, to-from)
	for i := from; i < to; i++ {
		if s.keys[i] != "" {
			blocks[s.keys[i]] = s.heldAt(i)
		}
	}
	return blocks
}

// normalFree is the text outside blocks for comparing: where a block stands in
// it, how its lines end and how many empty ones follow each other is not told.
func (s *side) normalFree() string {
	var b strings.Builder
	gap := false
	for _, p := range s.pieces {
		gap = true
		if p.Block != nil {
			continue
		}
		for at := 0; at < len(p.Raw); {
			text, next := line(p.Raw, at)
			at = next
			if text = bytes.TrimSuffix(text, []byte("\r")); len(bytes.TrimSpace(text)) == 0 {
				gap = true
				continue
			}
			if gap && b.Len() > 0 {
				b.WriteByte('\n')
			}
			gap = false
			b.Write(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// rawFree is the text outside blocks as a block keeps it.
func (s *side) rawFree() string {
	s.takeBody()
	var parts []string
	for _, p := range s.pieces {
		if p.Block == nil {
			if text := trimEmptyLines(string(p.Raw)); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

// trimEmptyLines takes the empty lines at both ends off, and the last line
// break.
func trimEmptyLines(text string) string {
	for {
		first, rest, more := strings.Cut(text, "\n")
		if strings.TrimSpace(first) != "" {
			break
		}
		if !more {
			return ""
		}
		text = rest
	}
	for {
		i := strings.LastIndexByte(text, '\n')
		if i < 0 || strings.TrimSpace(text[i+1:]) != "" {
			return text
		}
		text = strings.TrimSuffix(text[:i], "\r")
	}
}
