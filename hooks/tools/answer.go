package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

// answer is what a tool says: the value that the command prints with --json, and
// the same in a few words. Clients show an agent one of the two.
type answer struct {
	value any
	words string
	// warn is what kept a bundle from being read whole; more is how many items a
	// limit left out. Both are said beside the value.
	warn error
	more int
}

// result is the answer as the protocol carries it. in says where it was given,
// "" where that is as expected.
func (a answer) result(in string) (*mcp.CallToolResult, error) {
	data, err := marshal(a.value)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(a.words, "\n")
	beside := func(key string, value any, line string) {
		if object[key], err = marshal(value); line != "" {
			text += "\n" + line
		}
	}
	if a.more > 0 {
		beside("more", a.more, "")
	}
	if a.warn != nil {
		line := work.ErrorLine(a.warn)
		beside("warning", line, line)
	}
	if in != "" {
		beside("in", in, "In "+in)
	}
	if err != nil {
		return nil, err
	}
	if data, err = marshal(object); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: said(text), StructuredContent: json.RawMessage(data)}, nil
}

// failed is an error as an agent is told it: in one line, and after that the
// present state where the answer was stale.
func failed(err error) *mcp.CallToolResult {
	text := toolWords.Replace(work.ErrorLine(err))
	var frozen *bundle.FrozenError
	if errors.As(err, &frozen) {
		text += "; see `orientation` with view status"
	}
	r := &mcp.CallToolResult{IsError: true}
	var stale *work.StaleError
	if errors.As(err, &stale) {
		text += "\n" + stale.PresentWords()
		if data, err := marshal(stale); err == nil {
			r.StructuredContent = json.RawMessage(data)
		}
	}
	r.Content = said(text)
	return r
}

// toolWords puts refusals, which name the flags of a command line, into the words
// of the tools.
var toolWords = strings.NewReplacer(
	"--reason TEXT", "`reason`", "--no-task", "`no_task`", "--advance", "`advance`", "--close", "`close`",
	"--session-id ID", "`review`", "--entry", "`note`", "`chatrail new TITLE`", "`note` and do: new",
	"--north", "`north`", "--next", "`next`", "--now", "`now`", "--drift", "`drift`", "--return", "`return`",
	"`chatrail list`", "`notes`", "`chatrail log`", "`history`", "`chatrail show`", "`orientation`",
)

func said(text string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: text}} }

// marshal writes JSON without escapes that only a web page needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
