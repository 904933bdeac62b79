package memory

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxHead bounds the front matter that is looked at.
const maxHead = 64 << 10

// head is what the front matter of a note says of it. What is not there, or is
// no text, is "".
type head struct {
	name, description, kind string
}

// readHead reads the front matter of a note; ok is false where there is none.
// The type is a key of metadata, in older notes a key of its own. Front matter
// that YAML refuses is read line by line: an unquoted colon in a description is
// common, and Claude Code reads over it.
func readHead(data []byte) (h head, ok bool) {
	text, ok := frontMatter(data)
	if !ok {
		return h, false
	}
	var document yaml.Node
	if yaml.Unmarshal(text, &document) == nil && len(document.Content) == 1 &&
		document.Content[0].Kind == yaml.MappingNode {
		return headOf(document.Content[0]), true
	}
	return salvage(string(text)), true
}

// frontMatter is what stands between the first line "---" and the next.
func frontMatter(data []byte) ([]byte, bool) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = data[:min(len(data), maxHead)]
	first, rest, found := bytes.Cut(data, []byte("\n"))
	if !found || !isRule(first) {
		return nil, false
	}
	for at := 0; at < len(rest); {
		line, _, _ := bytes.Cut(rest[at:], []byte("\n"))
		if isRule(line) {
			return rest[:at], true
		}
		at += len(line) + 1
	}
	return nil, false
}

func isRule(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r")) == 0
}

func headOf(m *yaml.Node) (h head) {
	h.name, h.description, h.kind = text(m, "name"), text(m, "description"), text(m, "type")
	if meta := child(m, "metadata"); meta != nil && meta.Kind == yaml.MappingNode {
		if kind := text(meta, "type"); kind != "" {
			h.kind = kind
		}
	}
	return h
}

// child is the value of a key, the last where it stands twice, nil for none.
func child(m *yaml.Node, key string) (found *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if k := m.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			found = m.Content[i+1]
		}
	}
	if found != nil && found.Kind == yaml.AliasNode {
		found = found.Alias
	}
	return found
}

func text(m *yaml.Node, key string) string {
	n := child(m, key)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// salvage reads the lines that hold a key and a text.
func salvage(text string) (h head) {
	section := ""
	for line := range strings.Lines(text) {
		key, value, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		nested := key != strings.TrimLeft(key, " \t")
		key, value = strings.TrimSpace(key), unquoted(strings.TrimSpace(value))
		if !nested {
			section = key
		}
		switch {
		case nested && section == "metadata" && key == "type" && value != "":
			h.kind = value
		case nested:
		case key == "type" && h.kind == "":
			h.kind = value
		case key == "name":
			h.name = value
		case key == "description":
			h.description = value
		}
	}
	return h
}

func unquoted(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
