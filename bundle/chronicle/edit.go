package chronicle

import (
	"bytes"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// change is the new value of one key. An empty value removes the key; a name
// renames it where it stands.
type change struct {
	key   string
	name  string // "" keeps the key's
	value value
}

func (c change) result() string {
	if c.name != "" {
		return c.name
	}
	return c.key
}

// edit changes keys of a note's front matter and no byte beside their lines. A
// note without front matter gets some in front of its bytes. What was written
// is read again before it counts: where any other key, or the body, would come
// out differently, the note is refused instead.
func edit(data []byte, changes []change) ([]byte, error) {
	if len(changes) == 0 {
		return data, nil
	}
	l := split(data)
	if l.broken != nil {
		return nil, l.broken
	}
	head := data[l.head:l.headEnd]
	if l.has {
		if _, err := readHead(head); err != nil {
			return nil, err
		}
	}
	before, broken := parseHead(head)
	if broken != nil {
		return nil, broken
	}
	lines := yamlLines(head)
	e := editor{lines: lines, read: len(lines), root: before, eol: lineBreak(data)}
	for _, c := range changes {
		if broken := e.apply(c); broken != nil {
			return nil, broken
		}
	}
	edited := bytes.Join(e.lines, nil)
	out := slices.Concat(data[:l.head], edited, data[l.headEnd:])
	if !l.has {
		rule := "---" + e.eol
		out = slices.Concat(data[:l.bom], []byte(rule), edited, []byte(rule), data[l.bom:])
	}
	if broken := verify(before, out, data[l.body:], changes); broken != nil {
		return nil, broken
	}
	return out, nil
}

// editor holds the lines of front matter, with their line breaks. A line that
// goes becomes empty, so that the places of the others stay.
type editor struct {
	lines [][]byte
	read  int        // how many of them there were before keys were added
	root  *yaml.Node // as it was read; nil without a key
	eol   string
}

func (e *editor) apply(c change) *BrokenError {
	from, to, column, broken := e.find(c.key)
	if broken != nil {
		return broken
	}
	if from < 0 {
		if c.value.kind != empty {
			e.lines = append(e.lines, e.line(column, c))
		}
		return nil
	}
	if c.value.kind != empty && to == from+1 && c.name == "" {
		text := bytes.TrimRight(e.lines[from], "\r\n")
		if p, ok := scanLine(text[min(column, len(text)):]); ok {
			value := appendValue(nil, c.value)
			e.lines[from] = slices.Concat(text[:column+p.start], value, e.lines[from][column+p.end:])
			return nil
		}
	}
	for i := from; i < to; i++ {
		e.lines[i] = nil
	}
	if c.value.kind != empty {
		e.lines[from] = e.line(column, c)
	}
	return nil
}

func (e *editor) line(column int, c change) []byte {
	b := bytes.Repeat([]byte(" "), column)
	b = append(append(b, c.result()...), ": "...)
	return append(appendValue(b, c.value), e.eol...)
}

// find returns the lines of a key and its value, from < 0 where there is no
// such key, and how far the keys are indented.
func (e *editor) find(key string) (from, to, column int, broken *BrokenError) {
	if e.root == nil {
		return -1, -1, 0, nil
	}
	if e.root.Style&yaml.FlowStyle != 0 {
		return 0, 0, 0, brokenAt(e.root.Line+headLine-1, "it is written in braces; write one key a line")
	}
	column = e.root.Content[0].Column - 1
	for i := 0; i+1 < len(e.root.Content); i += 2 {
		n := e.root.Content[i]
		if n.Kind != yaml.ScalarNode || n.Value != key {
			continue
		}
		from, to = n.Line-1, e.read
		if i+2 < len(e.root.Content) {
			to = e.root.Content[i+2].Line - 1
		}
		if from < 0 || to <= from || to > e.read {
			return 0, 0, 0, brokenAt(n.Line+headLine-1, "its lines cannot be told apart")
		}
		deepest := column
		const opaque = yaml.LiteralStyle | yaml.FoldedStyle | yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
		if e.root.Content[i+1].Style&opaque == 0 {
			deepest = MaxHead // what looks like a comment is one
		}
		for to > from+1 && isBetween(e.lines[to-1], deepest) {
			to--
		}
		return from, to, column, nil
	}
	return -1, -1, column, nil
}

// isBetween tells a line that belongs to no key: an empty one, or a comment
// that is indented no deeper than this.
func isBetween(line []byte, deepest int) bool {
	text := bytes.TrimLeft(line, " ")
	return len(bytes.TrimRight(text, " \t\r\n")) == 0 || text[0] == '#' && len(line)-len(text) <= deepest
}

// yamlLines cuts text behind everything that YAML counts as a line break.
func yamlLines(text []byte) (lines [][]byte) {
	for len(text) > 0 {
		end := len(text)
		for i := 0; i < len(text) && end == len(text); i++ {
			switch {
			case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
				end = i + 2
			case text[i] == '\n' || text[i] == '\r':
				end = i + 1
			case text[i] == 0xc2 && bytes.HasPrefix(text[i:], []byte("\u0085")):
				end = i + 2
			case text[i] == 0xe2 && (bytes.HasPrefix(text[i:], []byte("\u2028")) || bytes.HasPrefix(text[i:], []byte("\u2029"))):
				end = i + 3
			default:
				continue
			}
			break
		}
		lines = append(lines, text[:end:end])
		text = text[end:]
	}
	return lines
}

// verify reads an edited note and compares it with what it should be.
func verify(before *yaml.Node, out, body []byte, changes []change) *BrokenError {
	l := split(out)
	if l.broken != nil {
		return l.broken
	}
	fields, broken := readHead(out[l.head:l.headEnd])
	if broken != nil {
		return broken
	}
	after, broken := parseHead(out[l.head:l.headEnd])
	if broken != nil {
		return broken
	}
	if !l.has || !bytes.Equal(out[l.body:], body) {
		return brokenAt(1, "its end cannot be told from the body")
	}
	touched := map[string]bool{}
	for _, c := range changes {
		touched[c.key], touched[c.result()] = true, true
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == c.result() })
		switch {
		case c.value.kind == empty:
			if i >= 0 {
				return brokenAt(fields[i].line, "the key %s cannot be removed", c.key)
			}
		case i < 0 || !reflect.DeepEqual(fields[i].value, c.value):
			return brokenAt(headLine, "the key %s cannot be written", c.result())
		}
	}
	if line := differs(others(before, touched), others(after, touched)); line > 0 {
		return brokenAt(line+headLine-1, "another key depends on what would change")
	}
	return nil
}

// others are the keys and values that an edit must leave as they are.
func others(root *yaml.Node, touched map[string]bool) (nodes []*yaml.Node) {
	if root == nil {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Kind != yaml.ScalarNode || !touched[key.Value] {
			nodes = append(nodes, key, root.Content[i+1])
		}
	}
	return nodes
}

// differs returns the line of the first node that is not the same in both, 0
// where they are equal. Comments and places are not compared: their bytes stay.
func differs(a, b []*yaml.Node) int {
	for i, n := range a {
		if i >= len(b) {
			return n.Line
		}
		m := b[i]
		if n.Kind != m.Kind || n.Tag != m.Tag || n.Value != m.Value || n.Anchor != m.Anchor || n.Style != m.Style {
			return n.Line
		}
		if line := differs(n.Content, m.Content); line > 0 {
			return line
		}
	}
	if len(b) > len(a) {
		return b[len(a)].Line
	}
	return 0
}
