package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
)

// How much of a transcript is read, in bytes: of its beginning and of its end.
const (
	transcriptHead = 256 << 10
	transcriptTail = 64 << 10
)

// claudeUnattended asks the environment: the client says whether somebody
// watches, and older ones at least who started them.
func claudeUnattended(_ *Payload, _ *fields, env func(string) string) bool {
	switch env("CLAUDE_CODE_SESSION_ATTENDED") {
	case "0":
		return true
	case "1":
		return false
	}
	return strings.HasPrefix(env("CLAUDE_CODE_ENTRYPOINT"), "sdk-")
}

// codexUnattended tells a headless run from the terminal. Nothing in the
// environment does. Only headless runs leave the transcript out, and they never
// ask for permission. For the rest the transcript says for each turn what
// triggered it; its first record says what created the session, which another
// way of running may have gone on with since. A transcript that is not there
// says nothing, and the session counts as attended.
func codexUnattended(p *Payload, f *fields, _ func(string) string) bool {
	switch mode := f.mode.word(); {
	case mode != "" && mode != "bypassPermissions":
		return false
	case f.transcript.kind == kindNull:
		return true
	}
	t, size, ok := openTranscript(p.TranscriptPath)
	if !ok {
		return false
	}
	defer t.Close()
	if trigger := turnTrigger(t, size, p.Event.Turn); trigger != "" {
		return trigger == "exec"
	}
	return createdByExec(t)
}

// openTranscript opens a regular file, and no link.
func openTranscript(path string) (*os.File, int64, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, false
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		f.Close()
		return nil, 0, false
	}
	return f, info.Size(), true
}

// turnTrigger is what triggered a turn, as the end of the transcript says: its
// record is there before the hooks of the turn run. It returns "" where it is
// not, or too far back.
func turnTrigger(t io.ReaderAt, size int64, turn string) string {
	if turn == "" {
		return ""
	}
	from := max(0, size-transcriptTail)
	tail, _ := io.ReadAll(io.NewSectionReader(t, from, size-from))
	for len(tail) > 0 {
		line := tail[bytes.LastIndexByte(tail, '\n')+1:]
		tail = tail[:max(0, len(tail)-len(line)-1)]
		if !bytes.Contains(line, []byte(`"task_started"`)) {
			continue
		}
		var record struct {
			Payload struct {
				Type        string `json:"type"`
				Attribution struct {
					TurnID  string `json:"turn_id"`
					Trigger string `json:"turn_trigger"`
				} `json:"turn_attribution"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &record) == nil && record.Payload.Type == "task_started" && record.Payload.Attribution.TurnID == turn {
			return record.Payload.Attribution.Trigger
		}
	}
	return ""
}

// createdByExec reads the first record of a transcript.
func createdByExec(t io.Reader) bool {
	head, _ := io.ReadAll(io.LimitReader(t, transcriptHead))
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
