//go:build agents

package model

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Request is one request for an answer of the model.
type Request struct {
	N      int
	Time   time.Time
	Path   string
	Body   map[string]any
	Raw    string
	Newest string   // the text of everything since the model last spoke
	Text   string   // the text of the whole conversation
	Tools  []string // the names of the tools on offer
	Reply  Reply    // what was answered
	Fits   bool     // a rule of the script was meant for it
}

func newRequest(path string, raw []byte) (*Request, error) {
	r := &Request{Time: time.Now(), Path: path, Raw: string(raw)}
	if err := json.Unmarshal(raw, &r.Body); err != nil {
		return nil, err
	}
	var list []any
	for _, key := range []string{"messages", "input", "contents"} {
		switch v := r.Body[key].(type) {
		case []any:
			list = v
		case string:
			list = []any{v}
		}
	}
	r.Text = textOf(list)
	// A hook may put messages behind the prompt, so the newest input is all that
	// follows the model's last words.
	from := len(list)
	for from > 0 && !fromModel(list[from-1]) {
		from--
	}
	if from == len(list) && from > 0 {
		from--
	}
	r.Newest = textOf(list[from:])
	r.Tools = toolNames(r.Body)
	return r, nil
}

func fromModel(item any) bool {
	m, _ := item.(map[string]any)
	switch m["role"] {
	case "assistant", "model":
		return true
	}
	switch m["type"] {
	case "function_call", "reasoning", "custom_tool_call":
		return true
	}
	return false
}

// textOf is all text below a value, in the order that the protocols put it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, item := range v {
			if s := textOf(item); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	case map[string]any:
		var parts []any
		for _, key := range []string{"text", "content", "output", "parts", "functionResponse", "response", "result", "llmContent", "error"} {
			parts = append(parts, v[key])
		}
		return textOf(parts)
	}
	return ""
}

// reviewLine is the command of a review alone on its line, as ChatRail
// promises to print it.
var reviewLine = regexp.MustCompile(`(?m)^[ \t]*((?:"(?:[^"\\\n]|\\.)*chatrail"|'(?:[^'\n]|'\\'')*chatrail'|[^\s"'` + "`" + `]*chatrail) reconcile [0-9A-Za-z_-]+\.[0-9A-Za-z_-]+)[ \t]*$`)

// ReviewCommand is the last command of a review that stands alone on a line of
// the text, "" without one.
func ReviewCommand(text string) string {
	all := reviewLine.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
