package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// clientCap is the longest text, in the client's own unit, that was seen to
// arrive whole: bytes in Codex, characters as UTF-16 counts them in the others.
func clientCap(h Host) int {
	switch h {
	case Claude, Codex:
		return 9950
	}
	return 60_000
}

// shape is what a client takes for an event, written down from the clients'
// side and without a look at what Render prints.
type shape struct {
	top      []string // keys of the object, none: no object is taken
	specific []string // keys of hookSpecificOutput beside hookEventName
	plain    bool     // plain text reaches a model
}

func takes(h Host, eventName string) shape {
	universal := []string{"continue", "stopReason", "systemMessage", "suppressOutput"}
	withContext := append([]string{"hookSpecificOutput"}, universal...)
	withDecision := append([]string{"decision", "reason"}, universal...)
	contextOnly := []string{"additionalContext"}
	switch string(h) + " " + eventName {
	case "claude SessionStart", "codex SessionStart", "codex SubagentStart":
		return shape{top: withContext, specific: contextOnly, plain: true}
	case "claude UserPromptSubmit", "codex UserPromptSubmit":
		return shape{top: append(withContext, "decision", "reason"), specific: contextOnly, plain: true}
	case "claude SubagentStart":
		return shape{top: withContext, specific: contextOnly}
	case "claude Stop", "claude SubagentStop", "codex Stop", "codex SubagentStop":
		return shape{top: withDecision}
	case "claude PreCompact":
		return shape{plain: true}
	case "codex PreCompact", "codex PostCompact", "gemini PreCompress":
		return shape{top: universal}
	case "gemini SessionStart":
		return shape{top: withContext, specific: contextOnly}
	case "gemini BeforeAgent":
		return shape{top: append(withContext, "decision", "reason"), specific: contextOnly}
	case "gemini AfterAgent":
		return shape{top: withDecision}
	case "copilot sessionStart", "copilot userPromptSubmitted", "copilot subagentStart",
		"opencode SessionStart", "opencode Prompt", "opencode PreCompact", "opencode ChildStart":
		return shape{top: contextOnly}
	case "copilot agentStop", "copilot subagentStop":
		return shape{top: []string{"decision", "reason"}}
	case "opencode Stop":
		return shape{top: []string{"block"}}
	}
	return shape{}
}

// Accepts says why a client would refuse, drop or cut what a hook printed for
// an event, nil where all of it arrives. Empty output is always accepted.
func Accepts(h Host, eventName string, stdout []byte) error {
	if len(stdout) == 0 {
		return nil
	}
	line, ended := bytes.CutSuffix(stdout, []byte("\n"))
	want := takes(h, eventName)
	switch {
	case !ended || len(line) == 0:
		return errors.New("the output is not closed by a line feed, or is nothing else")
	case !utf8.Valid(line):
		return errors.New("the output is not UTF-8")
	case line[0] != '{' && line[0] != '[':
		if !want.plain {
			return fmt.Errorf("%s drops plain text at %s", h, eventName)
		}
		return fitsCap(h, "plain text", string(line))
	case len(want.top) == 0:
		return fmt.Errorf("%s takes no object at %s", h, eventName)
	case bytes.ContainsAny(line, "\r\n"):
		return errors.New("the output is more than one line")
	}
	top, err := object(line, want.top)
	if err != nil {
		return err
	}
	for _, key := range []string{"continue", "suppressOutput"} {
		if raw, ok := top[key]; ok && string(raw) != "true" && string(raw) != "false" {
			return fmt.Errorf("%s is not true or false", key)
		}
	}
	for _, key := range []string{"decision", "reason", "block", "stopReason", "systemMessage", "additionalContext"} {
		if err := checkText(h, top, key); err != nil {
			return err
		}
	}
	if _, decided := top["decision"]; decided && string(top["decision"]) != `"block"` {
		return errors.New("decision is not block")
	} else if _, reasoned := top["reason"]; decided != reasoned {
		return errors.New("a block and its reason need each other")
	}
	raw, ok := top["hookSpecificOutput"]
	if !ok {
		return nil
	}
	inner, err := object(raw, append(want.specific, "hookEventName"))
	if err != nil {
		return err
	}
	if name := string(inner["hookEventName"]); name != `"`+eventName+`"` {
		return fmt.Errorf("hookEventName is %s at %s", name, eventName)
	}
	return checkText(h, inner, "additionalContext")
}

// checkText wants the value of a key, if there is one, to be a text with
// something in it that arrives whole.
func checkText(h Host, in map[string]json.RawMessage, key string) error {
	raw, ok := in[key]
	if !ok {
		return nil
	}
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return fmt.Errorf("%s is not a string", key)
	}
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s is blank", key)
	}
	return fitsCap(h, key, text)
}

func fitsCap(h Host, what, text string) error {
	size := len(text)
	if h != Codex {
		size = len(utf16.Encode([]rune(text)))
	}
	if most := clientCap(h); size > most {
		return fmt.Errorf("%s is %d long: more than %d does not arrive whole", what, size, most)
	}
	return nil
}

// object reads exactly one object with no other keys than the allowed, each
// once.
func object(data []byte, allowed []string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("the output is not an object")
	}
	values := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return nil, errors.New("the output is broken JSON")
		}
		if _, twice := values[key]; twice || !slices.Contains(allowed, key) {
			return nil, fmt.Errorf("key %q is unknown here, or stands twice", key)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, errors.New("the output is broken JSON")
		}
		values[key] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("the output is broken JSON")
	}
	if d.InputOffset() != int64(len(data)) {
		return nil, errors.New("something follows the object")
	}
	return values, nil
}
