package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/turn"
)

func TestCodexSaysWhichSessionWasForked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	first := `{"type":"session_meta","payload":{"id":"new","forked_from_id":"old","source":"exec"}}` + "\n"
	if err := os.WriteFile(path, []byte(first+`{"type":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Payload{Host: Codex, TranscriptPath: path, Event: turn.Event{Kind: turn.SessionStart, Source: turn.Fork}}
	if got := ForkedFrom(p); got != "old" {
		t.Errorf("%q", got)
	}
	for name, change := range map[string]func(*Payload){
		"another client":   func(p *Payload) { p.Host = Claude },
		"a clear":          func(p *Payload) { p.Event.Source = turn.Clear },
		"no transcript":    func(p *Payload) { p.TranscriptPath = "" },
		"one that is gone": func(p *Payload) { p.TranscriptPath += ".gone" },
	} {
		q := p
		change(&q)
		if got := ForkedFrom(q); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzForkedFromReadsWhateverATranscriptHolds(f *testing.F) {
	f.Add(`{"type":"session_meta","payload":{"forked_from_id":"a"}}`)
	f.Add(`{"type":"session_meta","payload":{"forked_from_id":7}}`)
	f.Add("\n")
	f.Fuzz(func(t *testing.T, text string) {
		if id := forkedFrom(strings.NewReader(text)); len(id) > keepWord {
			t.Errorf("an id of %d bytes", len(id))
		}
	})
}
