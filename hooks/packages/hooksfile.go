package packages

import (
	"bytes"
	"encoding/json"
	"strings"

	"chatrail/hooks/agent"
)

// Command is the line that a package registers for an event. It runs
// chatrail-hook where that is on the search path; elsewhere it reads the
// payload to its end, prints nothing and succeeds. It names no version and no
// folder: Codex trusts a hook by a digest of this text.
func Command(h agent.Host, event string) string {
	return "command -v chatrail-hook >/dev/null 2>&1 && chatrail-hook " +
		strings.Join(h.Arguments(event), " ") + " || cat >/dev/null"
}

// hooksJSON is a file hooks/hooks.json. All three clients read this shape, and
// Codex refuses one with any other key at the top.
type hooksJSON struct {
	Description string     `json:"description"`
	Hooks       eventTable `json:"hooks"`
}

type eventTable []eventRow

type eventRow struct {
	event   string
	handler handler
}

type group struct {
	Hooks []handler `json:"hooks"`
}

type handler struct {
	Name    string `json:"name,omitempty"` // Gemini CLI only
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // in the client's own unit
}

// MarshalJSON writes the events in their order.
func (t eventTable) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, row := range t {
		b.WriteByte("{,"[min(i, 1)])
		event, err := marshal(row.event)
		if err != nil {
			return nil, err
		}
		groups, err := marshal([]group{{[]handler{row.handler}}})
		if err != nil {
			return nil, err
		}
		b.Write(event)
		b.WriteByte(':')
		b.Write(groups)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// hooksFile is what a client's package registers: all that its row of the
// table lists.
func hooksFile(h agent.Host) hooksJSON {
	file := hooksJSON{Description: "Calls ChatRail at the moments of a turn that it answers to."}
	for _, r := range h.Wired() {
		entry := handler{Type: "command", Command: Command(h, r.Event), Timeout: r.Timeout}
		if h == agent.Gemini {
			entry.Name = Name // what its list of hooks shows
		}
		file.Hooks = append(file.Hooks, eventRow{r.Event, entry})
	}
	return file
}

// marshal writes JSON without the escapes that are for web pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// document is a JSON file for people to read.
func document(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // fixed values of types that always encode
	}
	return b.Bytes()
}
