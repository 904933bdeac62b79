package chronicle

import (
	"bytes"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// writePart writes what a key holds on one side into the front matter of a note.
// The values of our keys are written as everywhere; the lines of any other key
// are taken over as they are, so that 1 stays a number and a list its shape.
func writePart(note []byte, p part, source *side) ([]byte, error) {
	c := change{key: p.key}
	if !p.present {
		return edit(note, []change{c})
	}
	plain := p.value.kind == scalar || p.value.kind == list && len(p.value.list) > 0
	if plain {
		c.value = p.value
	}
	ours := slices.Contains(keys[:], p.key)
	if ours && plain {
		return edit(note, []change{c})
	}
	out, broken := transplant(note, source.data, p.key)
	if broken == nil {
		return out, nil
	}
	if plain && isPlainKey([]byte(p.key)) {
		return edit(note, []change{c})
	}
	return nil, broken
}

// keyLines are the lines of a key in the front matter of a note, with the node
// of its value and how far the key is indented.
func keyLines(note []byte, key string) (lines [][]byte, n *yaml.Node, column int, broken *BrokenError) {
	l := split(note)
	head := note[l.head:l.headEnd]
	root, broken := parseHead(head)
	if broken != nil {
		return nil, nil, 0, broken
	}
	e := editor{lines: yamlLines(head), root: root}
	e.read = len(e.lines)
	from, to, column, broken := e.find(key)
	if broken == nil && from < 0 {
		broken = brokenAt(headLine, "the key is not there")
	}
	if broken != nil {
		return nil, nil, 0, broken
	}
	for to < len(e.lines) && isInside(e.lines[to], column) {
		to++ // an edit leaves such a comment; whoever takes the value takes it along
	}
	return e.lines[from:to], keyNode(root, key), column, nil
}

// isInside tells a comment that is indented deeper than the keys.
func isInside(line []byte, column int) bool {
	text := bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(text, []byte("#")) && len(line)-len(text) > column
}

func keyNode(root *yaml.Node, key string) *yaml.Node {
	if root == nil {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if n := root.Content[i]; n.Kind == yaml.ScalarNode && n.Value == key {
			return root.Content[i+1]
		}
	}
	return nil
}

// transplant takes the lines of a key over from another note, in place of those
// that a note has of it or behind all others. As after any edit the note is read
// again and refused where anything else came out differently.
func transplant(note, from []byte, key string) ([]byte, *BrokenError) {
	lines, source, column, broken := keyLines(from, key)
	if broken != nil {
		return nil, broken
	}
	if refersElsewhere(source) {
		return nil, brokenAt(source.Line, "the key depends on others")
	}
	l := split(note)
	if l.broken != nil {
		return nil, l.broken
	}
	root, broken := parseHead(note[l.head:l.headEnd])
	if broken != nil {
		return nil, broken
	}
	e := editor{lines: yamlLines(note[l.head:l.headEnd]), root: root}
	e.read = len(e.lines)
	first, end, at, broken := e.find(key)
	switch {
	case broken != nil:
		return nil, broken
	case root != nil && at != column:
		return nil, brokenAt(headLine, "the keys are indented differently")
	case first < 0:
		e.lines = append(e.lines, lines...)
	default:
		e.lines = slices.Concat(e.lines[:first], lines, e.lines[end:])
	}
	edited := bytes.Join(e.lines, nil)
	out := slices.Concat(note[:l.head], edited, note[l.headEnd:])
	if !l.has {
		rule := []byte("---" + lineBreak(note))
		out = slices.Concat(note[:l.bom], rule, edited, rule, note[l.bom:])
	}
	return out, verifyTransplant(root, source, out, note[l.body:], key)
}

// refersElsewhere tells a value with an anchor or an alias in it.
func refersElsewhere(n *yaml.Node) bool {
	return n.Anchor != "" || n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, refersElsewhere)
}

func verifyTransplant(before, source *yaml.Node, out, body []byte, key string) *BrokenError {
	l := split(out)
	if l.broken != nil {
		return l.broken
	}
	if _, broken := readHead(out[l.head:l.headEnd]); broken != nil {
		return broken
	}
	after, broken := parseHead(out[l.head:l.headEnd])
	if broken != nil {
		return broken
	}
	if !l.has || !bytes.Equal(out[l.body:], body) {
		return brokenAt(1, "its end cannot be told from the body")
	}
	n := keyNode(after, key)
	if n == nil || differs([]*yaml.Node{source}, []*yaml.Node{n}) > 0 || !reflect.DeepEqual(nodeValue(source), nodeValue(n)) {
		return brokenAt(headLine, "the key %s cannot be taken over", key)
	}
	touched := map[string]bool{key: true}
	if line := differs(others(before, touched), others(after, touched)); line > 0 {
		return brokenAt(line+headLine-1, "another key depends on what would change")
	}
	return nil
}
