package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"unicode/utf8"
)

// Bounds of what is kept of a payload, in bytes of decoded text.
const (
	keepKey    = 64       // a longer key is none of ours
	keepWord   = 1 << 10  // ids and names
	keepPath   = 16 << 10 // paths
	keepPrompt = 64 << 10 // enough to see what kind of prompt it is, behind a hook's context
)

// fields are the values of a payload that matter.
type fields struct {
	session, event, agent, promptID, turnID, source, mode, reason, timestamp, trigger capture
	cwd, transcript                                                                   capture
	stopActive, background, answer, prompt, unattended                                capture
}

func newFields() *fields {
	f := &fields{}
	for _, c := range []*capture{&f.session, &f.event, &f.agent, &f.promptID, &f.turnID, &f.source, &f.mode, &f.timestamp, &f.trigger, &f.answer, &f.reason} {
		c.keep = keepWord
	}
	f.cwd.keep, f.transcript.keep = keepPath, keepPath
	f.prompt.keep, f.prompt.sum = keepPrompt, sha256.New()
	return f
}

// want finds the place for the value of a key, nil for one that does not
// matter. Clients write keys in snake case or in camel case.
func (f *fields) want(key []byte) *capture {
	switch string(key) {
	case "session_id", "sessionId":
		return &f.session
	case "hook_event_name", "hookEventName":
		return &f.event
	case "agent_id", "agentId":
		return &f.agent
	case "prompt_id", "promptId":
		return &f.promptID
	case "turn_id", "turnId":
		return &f.turnID
	case "source":
		return &f.source
	case "permission_mode", "permissionMode":
		return &f.mode
	case "reason":
		return &f.reason
	case "timestamp":
		return &f.timestamp
	case "trigger":
		return &f.trigger
	case "unattended":
		return &f.unattended
	case "cwd":
		return &f.cwd
	case "transcript_path", "transcriptPath":
		return &f.transcript
	case "stop_hook_active", "stopHookActive":
		return &f.stopActive
	case "background_tasks", "backgroundTasks":
		return &f.background
	case "last_assistant_message", "lastAssistantMessage", "prompt_response":
		return &f.answer
	case "prompt":
		return &f.prompt
	}
	return nil
}

// kind is the type of a JSON value.
type kind uint8

const (
	kindAbsent kind = iota
	kindNull
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

// capture is what is kept of one value.
type capture struct {
	keep int       // bytes of text to keep
	sum  hash.Hash // of the whole text, nil for none

	seen  int // how often the key stood there; the last one counts
	kind  kind
	text  []byte // of a string the beginning, of a number the digits
	cut   bool   // the string is longer than text
	blank bool   // the string holds nothing but blanks
	empty bool   // the array or object holds nothing
}

// begin forgets an earlier value of the same key.
func (c *capture) begin(k kind) {
	c.seen++
	c.kind, c.text, c.cut, c.blank, c.empty = k, c.text[:0], false, true, true
	if c.sum != nil {
		c.sum.Reset()
	}
}

// add takes a piece of a string, whole characters of valid UTF-8.
func (c *capture) add(p []byte) {
	c.blank = c.blank && len(bytes.TrimSpace(p)) == 0
	if c.sum != nil {
		c.sum.Write(p)
	}
	if room := c.keep - len(c.text); !c.cut && len(p) > room {
		for room > 0 && !utf8.RuneStart(p[room]) {
			room--
		}
		p, c.cut = p[:room], true
		c.text = append(c.text, p...)
	} else if !c.cut {
		c.text = append(c.text, p...)
	}
}

// word is a string that was kept whole, else "".
func (c *capture) word() string {
	if c.kind != kindString || c.cut {
		return ""
	}
	return string(c.text)
}

// id is a word that names something. Clients also write "null" or "undefined"
// where they have none.
func (c *capture) id() string {
	switch id := c.word(); {
	case strings.TrimSpace(id) == "", id == "null", id == "undefined":
		return ""
	default:
		return id
	}
}

// stamp is a moment as the client wrote it, a text or a number.
func (c *capture) stamp() string {
	if c.kind == kindNumber && !c.cut {
		return string(c.text)
	}
	return c.id()
}

// given says that an id stands there, also one too odd to be used.
func (c *capture) given() bool {
	switch c.kind {
	case kindAbsent, kindNull:
		return false
	case kindString:
		return c.cut || c.id() != ""
	}
	return true
}

// truthy says that a flag is anything but off: what it guards is left alone
// when in doubt.
func (c *capture) truthy() bool {
	return c.kind != kindAbsent && c.kind != kindNull && c.kind != kindFalse
}

// filled says that an array or object holds something.
func (c *capture) filled() bool {
	return (c.kind == kindArray || c.kind == kindObject) && !c.empty
}

// digest tells strings apart, "" for anything else.
func (c *capture) digest() string {
	if c.kind != kindString {
		return ""
	}
	return hex.EncodeToString(c.sum.Sum(nil)[:16])
}
