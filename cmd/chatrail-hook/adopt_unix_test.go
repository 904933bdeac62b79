//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAnAdoptionInASandboxIsCarriedOutByTheNextHook(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	first := w.event("claude", promptFile, map[string]any{"session_id": "first", "prompt_id": "p1"}).command()
	w.run("sh", "-c", first+" --reason agreed --north 'Ship it'")
	w.run("chatrail", "own", "apart", "--session-id", "first")
	first = w.event("claude", promptFile, map[string]any{"session_id": "first", "prompt_id": "p2"}).command()
	w.run("sh", "-c", first+" --reason apart --north 'Apart'")
	w.run("chatrail", "new", "--session-id", "first", "A draft", "Its words.")
	w.event("claude", promptFile, map[string]any{"session_id": "second", "prompt_id": "p1"})

	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	out := w.run("chatrail", "adopt", "first", "--session-id", "second")
	open()
	if !strings.Contains(out, "The next hook of this task moves it to the own road apart") {
		t.Errorf("said %q", out)
	}
	w.event("claude", stopFile, map[string]any{"session_id": "second", "prompt_id": "p1"})
	if out := w.run("chatrail", "read", "--session-id", "second"); !strings.Contains(out, "Its words.") {
		t.Errorf("the draft does not go on: %q", out)
	}
	if s := w.event("claude", promptFile, map[string]any{"session_id": "second", "prompt_id": "p2"}); !strings.Contains(s.text(), "North: Apart") {
		t.Errorf("the prompt after it said %q", s.text())
	}
	if left := files(t, filepath.Join(w.root, "tmp")); len(left) > 0 {
		t.Errorf("the drop box still holds %q", left)
	}
}
