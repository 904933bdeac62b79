package agent

import (
	"bytes"
	"encoding/json"
	"io"
)

// How much of a transcript is searched from its end for the last rewriting of the
// conversation, and how much of that is read, in bytes.
const (
	searchBack  = 16 << 20
	readRewrite = 1 << 20
	searchBlock = 64 << 10
)

// rewriting begins a line that replaces the conversation as a whole. A line feed
// inside a string is escaped, so it begins nothing else.
var rewriting = []byte("\n" + `{"$set":{"messages":[`)

// acknowledged is the model's message that Gemini CLI puts behind a summary.
const acknowledged = "Got it. Thanks for the additional context!"

// geminiSummary names the summary that a conversation goes on from. Gemini CLI
// reports a compression before every request, compacting or not. After a real one
// it writes the conversation anew: the setting, the summary, and an
// acknowledgement of its own, whose id stays when the session is resumed. It
// returns "" where the last rewriting has none, or is too far back.
func geminiSummary(transcript string) string {
	f, size, ok := openTranscript(transcript)
	if !ok {
		return ""
	}
	defer f.Close()
	at, ok := lastRewriting(f, size)
	if !ok {
		return ""
	}
	d := json.NewDecoder(io.LimitReader(io.NewSectionReader(f, at, size-at), readRewrite))
	for range 5 { // { "$set" { "messages" [
		if _, err := d.Token(); err != nil {
			return ""
		}
	}
	for range 4 {
		var message struct {
			ID      string          `json:"id"`
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if !d.More() || d.Decode(&message) != nil {
			return ""
		}
		var parts []struct {
			Text string `json:"text"`
		}
		if message.Type != "gemini" || json.Unmarshal(message.Content, &parts) != nil || len(parts) != 1 {
			continue
		}
		if parts[0].Text == acknowledged && len(message.ID) <= keepKey {
			return message.ID
		}
	}
	return ""
}

// lastRewriting is where the last line begins that writes the conversation anew.
func lastRewriting(f io.ReaderAt, size int64) (int64, bool) {
	block := make([]byte, searchBlock+len(rewriting))
	for end := size; end > 0 && size-end < searchBack; end -= searchBlock {
		from := max(0, end-searchBlock)
		// A line that begins in this block may end its first words in the next.
		n, err := f.ReadAt(block[:min(int64(len(block)), size-from)], from)
		if err != nil && err != io.EOF {
			return 0, false
		}
		if i := bytes.LastIndex(block[:n], rewriting); i >= 0 {
			return from + int64(i) + 1, true
		}
	}
	return 0, false
}
