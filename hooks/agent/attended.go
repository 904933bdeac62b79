package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
)

// transcriptHead bounds what is read of a transcript, in bytes.
const transcriptHead = 256 << 10

// claudeUnattended asks the environment: the client says whether somebody
// watches, and older ones at least who started them.
func claudeUnattended(_ *Payload, env func(string) string) bool {
	switch env("CLAUDE_CODE_SESSION_ATTENDED") {
	case "0":
		return true
	case "1":
		return false
	}
	return strings.HasPrefix(env("CLAUDE_CODE_ENTRYPOINT"), "sdk-")
}

// codexUnattended asks the transcript, whose first record says what started
// the session: the environment of a hook says nothing. A transcript that is
// missing or unreadable says nothing either, and the session counts as
// attended.
func codexUnattended(p *Payload, _ func(string) string) bool {
	info, err := os.Lstat(p.TranscriptPath)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(p.TranscriptPath)
	if err != nil {
		return false
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return false
	}
	head, _ := io.ReadAll(io.LimitReader(f, transcriptHead))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var first struct {
		Type    string `json:"type"`
		Payload struct {
			Source     json.RawMessage `json:"source"` // a name, or an object for a sub-agent
			Originator string          `json:"originator"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &first) != nil || first.Type != "session_meta" {
		return false
	}
	return string(first.Payload.Source) == `"exec"` || first.Payload.Originator == "codex_exec"
}
