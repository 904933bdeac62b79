package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// addition is what is to stand at the end of an array.
type addition struct {
	path []string // of keys that lead to the array
	item any
}

// pair is a member of an object, objects and arrays what they hold. Order counts.
type (
	pair struct {
		key   string
		value any
	}
	object []pair
	array  []any
)

// insert finds where additions go, and the arrays and objects that are made for
// them.
func (d *document) insert(adds []addition) (list []splice, made [][]string, err error) {
	err = d.insertInto(&d.root, nil, adds, &list, &made)
	return list, made, err
}

func (d *document) insertInto(v *hujson.Value, path []string, adds []addition, list *[]splice, made *[][]string) error {
	if len(adds) == 0 {
		return nil
	}
	c := d.composite(v)
	if len(adds[0].path) == len(path) {
		if v.Value.Kind() != '[' {
			return shapeError(path, "array")
		}
		var items []any
		for _, a := range adds {
			items = append(items, a.item)
		}
		*list = append(*list, d.extend(c, items)...)
		return nil
	}
	if !c.object {
		return shapeError(path, "object")
	}
	var fresh object
	for _, group := range grouped(adds, len(path)) {
		key := group[0].path[len(path)]
		below := append(slices.Clone(path), key)
		if there := c.member(key); there != nil {
			if err := d.insertInto(there, below, group, list, made); err != nil {
				return err
			}
			continue
		}
		fresh = append(fresh, pair{key, build(group, len(below))})
		for _, a := range group {
			for n := len(below); n <= len(a.path); n++ {
				if at := a.path[:n]; !slices.ContainsFunc(*made, func(p []string) bool { return slices.Equal(p, at) }) {
					*made = append(*made, slices.Clone(at))
				}
			}
		}
	}
	var items []any
	for _, p := range fresh {
		items = append(items, p)
	}
	*list = append(*list, d.extend(c, items)...)
	return nil
}

// grouped puts additions with the same key together, in order of appearance.
func grouped(adds []addition, depth int) [][]addition {
	var out [][]addition
next:
	for _, a := range adds {
		for i := range out {
			if out[i][0].path[depth] == a.path[depth] {
				out[i] = append(out[i], a)
				continue next
			}
		}
		out = append(out, []addition{a})
	}
	return out
}

// build makes the value that holds the additions.
func build(adds []addition, depth int) any {
	if len(adds[0].path) == depth {
		var a array
		for _, add := range adds {
			a = append(a, add.item)
		}
		return a
	}
	var o object
	for _, group := range grouped(adds, depth) {
		o = append(o, pair{group[0].path[depth], build(group, depth+1)})
	}
	return o
}

// extend puts items behind the last one of an object or array, as whoever wrote
// it would have: on lines of their own where the others are, behind a comment
// that stands there, with a trailing comma where there was one.
func (d *document) extend(c composite, items []any) []splice {
	if len(items) == 0 {
		return nil
	}
	from, trailing, comma := c.open+1, false, -1
	if n := len(c.children); n > 0 {
		last := c.children[n-1]
		if trailing = last.comma >= 0; trailing {
			from = last.comma + 1
		} else {
			from, comma = last.end, last.end
		}
	}
	gap := d.text[from:c.close]
	at := from + len(bytes.TrimRight(gap, " \t\r\n"))
	broken := bytes.IndexByte(gap, '\n') >= 0
	apart := broken || len(c.children) > 0 && bytes.IndexByte(d.text[c.open:c.children[0].start], '\n') >= 0 ||
		len(c.children) == 0 && c.object && d.lines
	indent := d.childIndent(c)
	sep := ""
	if d.spaced {
		sep = " "
	}
	if apart {
		sep = d.newline + indent
	}
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		if i > 0 || apart || len(c.children) > 0 {
			b.WriteString(sep)
		}
		_, member := item.(pair)
		d.render(&b, item, indent, apart && member)
	}
	switch {
	case trailing:
		b.WriteByte(',')
	case len(c.children) == 0 && apart && !broken:
		outer, _ := d.indent(c.open)
		b.WriteString(d.newline + outer)
	}
	switch {
	case comma == at:
		return []splice{{At: at, Text: "," + b.String()}}
	case comma >= 0:
		return []splice{{At: comma, Text: ","}, {At: at, Text: b.String()}}
	}
	return []splice{{At: at, Text: b.String()}}
}

// childIndent is the indentation of what an object or array holds.
func (d *document) childIndent(c composite) string {
	for _, m := range slices.Backward(c.children) {
		if indent, alone := d.indent(m.start); alone {
			return indent
		}
	}
	outer, _ := d.indent(c.open)
	return outer + d.unit
}

// render writes a value. Objects made of objects and arrays take a line for each
// member where the file has lines; all else takes one line.
func (d *document) render(b *strings.Builder, v any, indent string, apart bool) {
	colon, comma := ":", ","
	if d.spaced {
		colon, comma = ": ", ", "
	}
	switch v := v.(type) {
	case pair:
		b.Write(quoted(v.key))
		b.WriteString(colon)
		d.render(b, v.value, indent, apart)
	case object:
		apart = apart && !slices.ContainsFunc(v, func(p pair) bool { return !p.composite() })
		b.WriteByte('{')
		for i, p := range v {
			switch {
			case apart && i > 0:
				b.WriteByte(',')
				fallthrough
			case apart:
				b.WriteString(d.newline + indent + d.unit)
			case i > 0:
				b.WriteString(comma)
			}
			d.render(b, p, indent+d.unit, apart)
		}
		if apart {
			b.WriteString(d.newline + indent)
		}
		b.WriteByte('}')
	case array:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(comma)
			}
			d.render(b, item, indent, false)
		}
		b.WriteByte(']')
	case string:
		b.Write(quoted(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	}
}

func (p pair) composite() bool {
	switch p.value.(type) {
	case object, array:
		return true
	}
	return false
}

// quoted is a string in JSON, with no more escaped than has to be.
func quoted(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
