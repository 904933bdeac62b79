package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// parseYAML reads one YAML document as the same tree that ParseJSON returns.
// A plain scalar that is neither text, nor a plain decimal integer, bool or
// null comes back as bare.
func parseYAML(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, &SyntaxError{Where: "YAML", Problem: "invalid UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, &SyntaxError{Where: "YAML", Problem: "the file is empty"}
	} else if err != nil {
		return nil, yamlError(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, &SyntaxError{Where: fmt.Sprintf("YAML, line %d", more.Line), Problem: "a second document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(err)
	}
	reader := yamlReader{lines: yamlBreak().Split(string(data), -1)}
	return reader.tree(document.Content[0], 0)
}

// yamlBreak is what the library counts as the end of a line.
var yamlBreak = compiled("\r\n|[\r\n\u0085\u2028\u2029]")

// compiled is an expression that is compiled when it is first needed: most hooks
// read no YAML.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// yamlError makes one line of the library's message, which may repeat text.
func yamlError(err error) error {
	return &SyntaxError{Where: "YAML", Problem: OneLine(strings.TrimPrefix(err.Error(), "yaml: "), 200)}
}

type yamlReader struct {
	lines []string // of the source
}

func (y yamlReader) fail(n *yaml.Node, format string, args ...any) error {
	return &SyntaxError{Where: fmt.Sprintf("YAML, line %d", n.Line), Problem: fmt.Sprintf(format, args...)}
}

func (y yamlReader) tree(n *yaml.Node, depth int) (any, error) {
	switch {
	case depth > maxDepth:
		return nil, y.fail(n, "more than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return nil, y.fail(n, "anchors and aliases are not allowed")
	case n.Style&yaml.TaggedStyle != 0 || y.startsWithTag(n):
		return nil, y.fail(n, "tags are not allowed")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return y.mapping(n, depth)
	case yaml.SequenceNode:
		list := []any{}
		for _, child := range n.Content {
			element, err := y.tree(child, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		return list, nil
	}
	return yamlScalar(n), nil
}

func (y yamlReader) mapping(n *yaml.Node, depth int) (any, error) {
	object := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		tree, err := y.tree(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		key, ok := tree.(string)
		if !ok {
			return nil, y.fail(n.Content[i], "the key %s is no text", show(tree))
		}
		if _, twice := object[key]; twice {
			return nil, y.fail(n.Content[i], "the key %s stands twice", quote(key))
		}
		if object[key], err = y.tree(n.Content[i+1], depth+1); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// startsWithTag finds the tag "!", of which the library keeps no trace but
// the position: no untagged node starts with an exclamation mark.
func (y yamlReader) startsWithTag(n *yaml.Node) bool {
	if n.Line < 1 || n.Line > len(y.lines) {
		return false
	}
	column := 1
	for _, r := range y.lines[n.Line-1] {
		if column == n.Column {
			return r == '!'
		}
		column++
	}
	return false
}

func yamlScalar(n *yaml.Node) any {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case n.Style&quoted != 0:
		return n.Value
	case n.Tag == "!!null":
		return nil
	case n.Tag == "!!bool":
		return strings.EqualFold(n.Value, "true")
	case n.Tag == "!!int" && plainInteger().MatchString(n.Value):
		return parseInt(n.Value)
	case n.Tag == "!!str" && !isYAMLWord(n.Value) && !base60().MatchString(n.Value):
		return n.Value
	}
	return bare(n.Value)
}

var (
	plainInteger = compiled(`^(0|-?[1-9][0-9]{0,18})$`)
	// base60 is how YAML 1.1 writes times such as 12:30, which older readers
	// take for a number.
	base60 = compiled(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
)
