package agent

import (
	"bytes"
	"encoding/json"
	"io"

	"chatrail/hooks/turn"
)

// ForkedFrom is the id of the session that one was forked from, as the client's
// transcript says in its first record, "" where it says nothing.
func ForkedFrom(p Payload) string {
	if !p.Host.facts().recordsFork || p.Event.Source != turn.Fork {
		return ""
	}
	t, _, ok := openTranscript(p.TranscriptPath)
	if !ok {
		return ""
	}
	defer t.Close()
	return forkedFrom(t)
}

// forkedFrom reads the first record of a transcript.
func forkedFrom(t io.Reader) string {
	head, _ := io.ReadAll(io.LimitReader(t, transcriptHead))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var first struct {
		Type    string `json:"type"`
		Payload struct {
			From string `json:"forked_from_id"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &first) != nil || first.Type != "session_meta" || len(first.Payload.From) > keepWord {
		return ""
	}
	return first.Payload.From
}
