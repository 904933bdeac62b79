package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what is printed, in bytes of UTF-8. They stay below the caps of
// the clients, which cut or move away a longer text.
const (
	MaxContext = 8 << 10
	MaxBlock   = 8 << 10
	MaxNote    = 1 << 10

	// maxASCII is how long an answer may become by escaping what is not ASCII.
	maxASCII = 9000
)

// Words are what there is to say at an event. Each may be empty.
type Words struct {
	Context  string // for the model
	Block    string // the reason to go on, in place of stopping
	UserNote string // for the person
}

// answer is the only object that is ever printed; which keys it has is a matter
// of the client's form.
type answer struct {
	Decision string    `json:"decision,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Block    string    `json:"block,omitempty"`
	Note     string    `json:"systemMessage,omitempty"`
	Context  string    `json:"additionalContext,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Render is what a hook prints: one compact JSON object (for Claude before a
// compaction plain text) and a line feed, or nothing. Words that the client
// does not carry for the event are dropped, too long ones cut.
func Render(h Host, eventName string, w Words) []byte {
	row := h.host()
	if row == nil {
		return nil
	}
	e := row.event(eventName)
	prints := e.prints
	context := bounded(w.Context, MaxContext)
	if prints&printPlain != 0 {
		return plainText(context)
	}
	note := bounded(w.UserNote, MaxNote)
	var a answer
	if prints&printNote != 0 {
		a.Note = note
	} else if note != "" && row.noteInContext(e) {
		context = bounded(w.Context, MaxContext-len(note)-2)
		context = strings.TrimSpace(context + "\n\n" + note)
	}
	if prints&printContext != 0 && context != "" {
		if row.tags {
			context += "\n"
		}
		if row.form == formSpecific {
			a.Specific = &specific{Event: eventName, Context: context}
		} else {
			a.Context = context
		}
	}
	if reason := bounded(w.Block, MaxBlock); prints&printBlock != 0 && reason != "" {
		if row.form == formBare {
			a.Block = reason
		} else {
			a.Decision, a.Reason = "block", reason
		}
	}
	if a == (answer{}) {
		return nil
	}
	return encode(a)
}

// plainText is a text that a client cannot take for an object.
func plainText(text string) []byte {
	if text == "" || text[0] == '{' || text[0] == '[' {
		return nil
	}
	return append([]byte(text), '\n')
}

// bounded trims blanks around a text and cuts it on a character border. What
// is not UTF-8 in it is replaced, so that the border is one.
func bounded(text string, most int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// encode writes ASCII where that costs little, so that no code page between
// the hook and its client matters, and UTF-8 otherwise.
func encode(a answer) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return nil // strings always encode
	}
	if plain := escapeNonASCII(b.String()); len(plain) <= maxASCII {
		return []byte(plain)
	}
	return []byte(b.String())
}

// escapeNonASCII writes the characters of a JSON document that are not ASCII as
// escapes. They only stand in strings.
func escapeNonASCII(document string) string {
	var b strings.Builder
	for _, r := range document {
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
