package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

// common are the arguments of every tool.
type common struct {
	Review string `json:"review"`
	CWD    string `json:"cwd"`
}

// patch is the patch of one truth, as an object or, from clients that write what
// is nested as a text, as the text of one. Its bytes are kept: a patch is read
// more strictly than other arguments.
type patch struct{ json []byte }

// UnmarshalJSON keeps the bytes.
func (p *patch) UnmarshalJSON(data []byte) error {
	p.json = bytes.Clone(data)
	if data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		p.json = []byte(text)
	}
	if string(p.json) == "null" {
		p.json = nil
	}
	return nil
}

// decode reads the arguments of a call into a struct. It takes what the schema
// takes: nothing is mended or passed over in silence.
func decode(data []byte, known []string, into any) error {
	if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "null" {
		data = []byte("{}")
	}
	tree, err := bundle.ParseJSON(data)
	if err != nil {
		return err
	}
	given, ok := tree.(map[string]any)
	if !ok {
		return &work.UsageError{Text: "the arguments are not a JSON object"}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return &work.UsageError{Text: fmt.Sprintf("no argument %q here: there are %s", bundle.OneLine(name, 60), strings.Join(known, ", "))}
		}
	}
	err = json.Unmarshal(data, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		field, _, _ := strings.Cut(strings.TrimPrefix(wrong.Field, "common."), ".")
		return &work.UsageError{Text: fmt.Sprintf("%s cannot be %s %s: see the schema of this tool", strings.ToLower(field), article(wrong.Value), wrong.Value)}
	}
	return err
}

// oneOf refuses a word that is none of those that the schema names; "" stands for
// the first.
func oneOf(argument, word string, words ...string) (string, error) {
	if word == "" {
		return words[0], nil
	}
	if !slices.Contains(words, word) {
		return "", &work.UsageError{Text: fmt.Sprintf("%s is %q: it is one of %s", argument, bundle.OneLine(word, 60), strings.Join(words, ", "))}
	}
	return word, nil
}

// limited is a limit within its bounds.
func limited(limit *int, usual, most int) (int, error) {
	switch {
	case limit == nil:
		return usual, nil
	case *limit < 1 || *limit > most:
		return 0, &work.UsageError{Text: fmt.Sprintf("limit is %d: it is between 1 and %d", *limit, most)}
	}
	return *limit, nil
}

func article(of string) string {
	if strings.HasPrefix(of, "a") || strings.HasPrefix(of, "o") {
		return "an" // array, object
	}
	return "a"
}
