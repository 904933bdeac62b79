package wire

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// ours tells what in a settings file is ChatRail's.
type ours struct {
	// handler recognises the object that calls a program, rule a permission.
	handler func(v *hujson.Value) bool
	rule    func(s string) bool
	// rules are the arrays of permissions, by path.
	rules [][]string
	// empty says whether an object or array that nothing is left in goes too.
	empty func(path []string) bool
}

// strip takes what is ours out of a document, whatever else was changed around
// it.
func (d *document) strip(o ours) ([]byte, error) {
	var list []splice
	d.stripObject(&d.root, nil, o, &list)
	text := apply(d.text, list)
	if len(list) == 0 {
		return text, nil
	}
	after, err := parse(text)
	if err == nil && after.holds(o) {
		err = errors.New("something of ChatRail's would be left")
	}
	return text, err
}

// holds tells whether anything of ours is there.
func (d *document) holds(o ours) bool {
	var list []splice
	d.stripObject(&d.root, nil, o, &list)
	return len(list) > 0
}

// stripObject looks through the members that may hold something of ours, and
// returns whether nothing is left.
func (d *document) stripObject(v *hujson.Value, path []string, o ours, list *[]splice) bool {
	if v.Value.Kind() != '{' {
		return false
	}
	c := d.composite(v)
	doomed := make([]bool, len(c.children))
	for i, m := range c.children {
		at := append(slices.Clone(path), m.key)
		var inner []splice
		touched, gone := false, false
		switch {
		case at[0] == "hooks" && len(at) == 1, leads(at, o.rules):
			gone = d.stripObject(m.value, at, o, &inner)
			touched = len(inner) > 0
		case at[0] == "hooks" && len(at) == 2:
			gone, touched = d.stripArray(m.value, &inner, func(e *hujson.Value) (bool, []splice) { return d.stripGroup(e, o) })
		case slices.ContainsFunc(o.rules, func(p []string) bool { return slices.Equal(p, at) }):
			gone, touched = d.stripArray(m.value, &inner, func(e *hujson.Value) (bool, []splice) {
				s, ok := e.Value.(hujson.Literal)
				return ok && s.Kind() == '"' && o.rule(s.String()), nil
			})
		}
		if !touched {
			continue
		}
		if doomed[i] = gone && o.empty(at); !doomed[i] {
			*list = append(*list, inner...)
		}
	}
	return d.drop(c, doomed, list)
}

// leads tells whether one of the paths goes on from here.
func leads(at []string, paths [][]string) bool {
	return slices.ContainsFunc(paths, func(p []string) bool { return len(p) > len(at) && slices.Equal(p[:len(at)], at) })
}

// stripGroup tells whether an element of an event's array goes: a handler of
// ours, or a group in which nothing else is left.
func (d *document) stripGroup(v *hujson.Value, o ours) (bool, []splice) {
	if v.Value.Kind() != '{' {
		return false, nil
	}
	if o.handler(v) {
		return true, nil
	}
	inner := d.composite(v).member("hooks")
	if inner == nil {
		return false, nil
	}
	var list []splice
	gone, touched := d.stripArray(inner, &list, func(e *hujson.Value) (bool, []splice) { return o.handler(e), nil })
	return gone && touched, list
}

// stripArray asks about each element. It returns whether nothing is left, and
// whether anything was found.
func (d *document) stripArray(v *hujson.Value, list *[]splice, ask func(*hujson.Value) (bool, []splice)) (gone, touched bool) {
	if v.Value.Kind() != '[' {
		return false, false
	}
	c := d.composite(v)
	doomed := make([]bool, len(c.children))
	for i, e := range c.children {
		var inner []splice
		if doomed[i], inner = ask(e.value); !doomed[i] {
			*list = append(*list, inner...)
		}
		touched = touched || doomed[i] || len(inner) > 0
	}
	return d.drop(c, doomed, list), touched
}

// drop takes children out, each with the white space before it and its comma. It
// returns whether none is left. Comments stay.
func (d *document) drop(c composite, doomed []bool, list *[]splice) bool {
	if !slices.Contains(doomed, true) {
		return false
	}
	left := slices.Contains(doomed, false)
	if !left && !d.comments(c) {
		*list = append(*list, splice{At: c.open + 1, cut: c.close - c.open - 1})
		return true
	}
	floor, first := c.open+1, true // how far is cut already; nothing is left before
	open := false                  // a comment before still needs the end of a line
	for i, m := range c.children {
		if !doomed[i] {
			first, open = false, false
			continue
		}
		from, next := m.start, m.end
		if m.comma >= 0 {
			next = m.comma + 1
		}
		for from > floor && white(d.text[from-1]) {
			from--
		}
		open = lineComment(m.before) || open && len(strings.Trim(string(m.before), " \t\r\n")) == 0
		if open && !endsLine(d.text[next:]) {
			from += bytes.IndexByte(d.text[from:m.start], '\n') + 1
			open = false
		}
		*list = append(*list, splice{At: from, cut: m.end - from})
		if m.comma >= 0 {
			cut := 1
			for first && from == m.start && (d.text[m.comma+cut] == ' ' || d.text[m.comma+cut] == '\t') {
				cut++ // the first in its line: the blank behind is its own
			}
			*list = append(*list, splice{At: m.comma, cut: cut})
			floor = m.comma + cut
		}
	}
	last := len(c.children) - 1
	if left && doomed[last] && c.children[last].comma < 0 {
		for last >= 0 && doomed[last] {
			last--
		}
		*list = append(*list, splice{At: c.children[last].comma, cut: 1})
	}
	return false // what is left are comments, and they are not ours
}

// comments tells whether anything but white space stands between children.
func (d *document) comments(c composite) bool {
	at := c.open + 1
	for _, m := range c.children {
		if len(bytes.Trim(d.text[at:m.start], " \t\r\n,")) > 0 {
			return true
		}
		at = m.end
	}
	return len(bytes.Trim(d.text[at:c.close], " \t\r\n,")) > 0
}

func white(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// endsLine tells whether only blanks follow in this line.
func endsLine(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}

// lineComment tells whether the last comment of several runs to the end of its
// line.
func lineComment(extra hujson.Extra) bool {
	rest, is := string(extra), false
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		var end string
		switch {
		case strings.HasPrefix(rest, "//"):
			is, end = true, "\n"
		case strings.HasPrefix(rest, "/*"):
			is, end = false, "*/"
		default:
			return is
		}
		i := strings.Index(rest[2:], end)
		if i < 0 {
			return is
		}
		rest = rest[2+i+len(end):]
	}
}
