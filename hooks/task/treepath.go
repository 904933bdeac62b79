package task

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ByPath holds something for paths of a work tree, which have the bytes that git
// knows them by. JSON holds a path as it is where it is UTF-8, else in quotes
// with escapes.
type ByPath[T any] map[string]T

// Paths are paths of a work tree, in JSON as those of ByPath.
type Paths []string

// MarshalJSON writes an object.
func (m ByPath[T]) MarshalJSON() ([]byte, error) {
	plain := make(map[string]T, len(m))
	for path, v := range m {
		plain[pathText(path)] = v
	}
	return json.Marshal(plain)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *ByPath[T]) UnmarshalJSON(data []byte) error {
	var plain map[string]T
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	*m = make(ByPath[T], len(plain))
	for text, v := range plain {
		path, err := pathOf(text)
		if err != nil {
			return err
		}
		(*m)[path] = v
	}
	return nil
}

// MarshalJSON writes a list.
func (p Paths) MarshalJSON() ([]byte, error) {
	plain := make([]string, len(p))
	for i, path := range p {
		plain[i] = pathText(path)
	}
	return json.Marshal(plain)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Paths) UnmarshalJSON(data []byte) error {
	var plain []string
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	for i := range plain {
		var err error
		if plain[i], err = pathOf(plain[i]); err != nil {
			return err
		}
	}
	*p = plain
	return nil
}

// pathText is a path as text that pathOf reads back, whatever its bytes.
func pathText(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	return strconv.Quote(path)
}

func pathOf(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	path, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("%q is not a path", text)
	}
	return path, nil
}
