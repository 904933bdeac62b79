package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	// maxFile bounds a settings file, maxDepth its nesting: what is beyond was
	// not written by people, and is left alone.
	maxFile  = 1 << 20
	maxDepth = 500
)

var bom = []byte("\xef\xbb\xbf")

// document is a settings file: JSON, with or without comments and trailing
// commas, that is changed by putting text in and taking text out.
type document struct {
	text []byte // all of it, from behind a byte order mark on
	root hujson.Value

	newline string // as the file ends its lines
	unit    string // one step of indentation
	spaced  bool   // a blank follows colons and commas
	lines   bool   // it has more than one line
}

// errNoObject is a file that holds some other value than an object.
var errNoObject = errors.New("it is no JSON object")

func parse(text []byte) (*document, error) {
	if deep(text) {
		return nil, errors.New("it is nested too deeply")
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	// The parser wants a comment in the last line to end.
	root, err := hujson.Parse(append(slices.Clip(text), '\n'))
	if err != nil {
		return nil, errors.New("it cannot be parsed: " + unparsed(text, err))
	}
	if root.Value.Kind() != '{' {
		return nil, errNoObject
	}
	d := &document{text: text, root: root, newline: "\n", unit: "  ", spaced: true}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		d.newline = "\r\n"
	}
	c := d.composite(&d.root)
	d.lines = len(c.children) == 0 || bytes.IndexByte(text[c.open:c.close], '\n') >= 0
	if len(c.children) > 0 {
		first := c.children[0]
		if indent, alone := d.indent(first.start); alone {
			d.unit = indent
		}
		value := first.value.StartOffset
		d.spaced = d.lines || text[value-1] != ':'
	}
	return d, nil
}

// unparsed says what is wrong with a text. What stands in it may be a secret, or
// long, and is not repeated.
func unparsed(text []byte, err error) string {
	if _, commented := hujson.Parse(append(slices.Clip(text), "\n{}"...)); commented == nil {
		return "it holds comments and nothing else"
	}
	why, _, literal := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), "literal:")
	switch {
	case literal:
		why += "string, number or word"
	case strings.Contains(why, "unexpected EOF"):
		return "it ends too early"
	}
	return why
}

// deep tells of a nesting that no settings have, before anything recurses into
// it. Brackets in strings count too: thousands of them are as strange.
func deep(text []byte) bool {
	depth := 0
	for _, b := range text {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// composite is an object or an array as a piece of text.
type composite struct {
	object      bool
	open, close int // where its brackets are
	children    []child
}

// child is a member of an object or an element of an array.
type child struct {
	key        string
	start, end int // with its name
	comma      int // behind it, -1 for none
	before     hujson.Extra
	value      *hujson.Value
}

func (d *document) composite(v *hujson.Value) composite {
	c := composite{open: v.StartOffset, close: v.EndOffset - 1}
	add := func(key string, name, value *hujson.Value) {
		c.children = append(c.children, child{
			key: key, start: name.StartOffset, end: value.EndOffset, comma: value.EndOffset + len(value.AfterExtra),
			before: name.BeforeExtra, value: value,
		})
	}
	trailing := false
	switch t := v.Value.(type) {
	case *hujson.Object:
		c.object = true
		for i := range t.Members {
			m := &t.Members[i]
			add(m.Name.Value.(hujson.Literal).String(), &m.Name, &m.Value)
			trailing = m.Value.AfterExtra != nil
		}
	case *hujson.Array:
		for i := range t.Elements {
			add("", &t.Elements[i], &t.Elements[i])
			trailing = t.Elements[i].AfterExtra != nil
		}
	}
	if n := len(c.children); n > 0 && !trailing {
		c.children[n-1].comma = -1
	}
	return c
}

// member finds what an object holds under a key; of several the last, which is
// the one that clients go by. Nil for none.
func (c composite) member(key string) *hujson.Value {
	for _, m := range slices.Backward(c.children) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// indent is the white space that a line begins with, and whether nothing else
// comes before the position in it.
func (d *document) indent(at int) (string, bool) {
	line := bytes.LastIndexByte(d.text[:at], '\n') + 1
	n := line
	for n < at && (d.text[n] == ' ' || d.text[n] == '\t') {
		n++
	}
	return string(d.text[line:n]), n == at && line > 0
}

// splice is text that is put in, in place of none, or that is taken out.
type splice struct {
	At   int    `json:"at"`
	Text string `json:"text,omitempty"`
	cut  int    // how much is taken out
}

// apply carries splices out. They do not overlap.
func apply(text []byte, list []splice) []byte {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b splice) int { return cmp.Compare(a.At, b.At) })
	var out bytes.Buffer
	at := 0
	for _, s := range list {
		out.Write(text[at:s.At])
		out.WriteString(s.Text)
		at = s.At + s.cut
	}
	out.Write(text[at:])
	return out.Bytes()
}

// shapeError is a value that is not what it should be.
func shapeError(path []string, want string) error {
	return fmt.Errorf("%q in it is no %s", strings.Join(path, "."), want)
}
