package chronicle

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"chatrail/bundle"

	"gopkg.in/yaml.v3"
)

// readHead reads front matter through the YAML library. Beside an error it
// returns the fields where they could be read and must not be edited.
func readHead(head []byte) ([]field, *BrokenError) {
	root, err := parseHead(head)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return []field{}, nil
	}
	fields := make([]field, 0, len(root.Content)/2)
	var broken *BrokenError
	seen := make(map[string]bool, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, n := root.Content[i], root.Content[i+1]
		f := field{key: key.Value, value: nodeValue(n), line: key.Line + headLine - 1}
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if seen[f.key] {
			if broken == nil {
				broken = brokenAt(f.line, "the key %s stands twice", f.key)
			}
			continue
		}
		seen[f.key] = true
		fields = append(fields, f)
	}
	return fields, broken
}

// parseHead returns the mapping of front matter, nil where it is empty.
func parseHead(head []byte) (*yaml.Node, *BrokenError) {
	if !utf8.Valid(head) {
		before := head[:firstInvalid(head)]
		return nil, brokenAt(headLine+bytes.Count(before, []byte("\n")), "invalid UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(head))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlFault(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, brokenAt(more.Line+headLine-1, "a second document")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlFault(err)
	}
	root := document.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.Tag == "!!null" && root.Value == "":
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, brokenAt(root.Line+headLine-1, "it is no mapping of keys to values")
	}
	return root, nil
}

// firstInvalid is the offset of the first byte that is no UTF-8.
func firstInvalid(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return len(data)
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

// yamlFault makes one line of the library's message, with the line of the file.
func yamlFault(err error) *BrokenError {
	text := bundle.OneLine(strings.TrimPrefix(err.Error(), "yaml: "), 160)
	at := headLine
	if m := yamlLine().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		at, text = n+headLine-1, text[len(m[0]):]
		if strings.HasPrefix(text, "did not find expected") {
			at++ // the library counts lines from 0 where its parser stops, from 1 in its scanner
		}
	}
	return &BrokenError{Line: at, Problem: text}
}

func nodeValue(n *yaml.Node) value {
	n = target(n)
	switch n.Kind {
	case yaml.ScalarNode:
		if text, ok := nodeText(n); ok {
			return value{kind: scalar, text: text}
		}
		return value{kind: empty}
	case yaml.SequenceNode:
		v := value{kind: list}
		for _, child := range n.Content {
			text, ok := nodeText(target(child))
			if !ok {
				return value{kind: other}
			}
			v.list = append(v.list, text)
		}
		return v
	case yaml.MappingNode:
		v := value{kind: mapping}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, okKey := nodeText(n.Content[i])
			text, ok := nodeText(target(n.Content[i+1]))
			if !ok || !okKey {
				return value{kind: other}
			}
			v.keys, v.list = append(v.keys, key), append(v.list, text)
		}
		return v
	}
	return value{kind: other}
}

// nodeText is the text of a scalar; ok is false for null and for what is none.
func nodeText(n *yaml.Node) (text string, ok bool) {
	return n.Value, n.Kind == yaml.ScalarNode && n.Tag != "!!null"
}

// target follows an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}
