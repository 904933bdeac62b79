//go:build unix

package packages

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

// shell runs a registered command with a search path and returns what was
// printed. It fails where the command does, or where the payload is not taken.
func shell(t *testing.T, command, path string, payload []byte) (stdout, stderr string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := exec.Command(sh, "-c", command)
	c.Env = []string{"PATH=" + path}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(payload), &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errs.String())
	}
	return out.String(), errs.String()
}

// TestCommandIsHarmlessWithoutTheProgram runs it where chatrail-hook is missing,
// with more than a pipe holds: a client fails a hook that does not take its
// payload.
func TestCommandIsHarmlessWithoutTheProgram(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	without := t.TempDir()
	if err := os.Symlink(cat, filepath.Join(without, "cat")); err != nil {
		t.Fatal(err)
	}
	for _, h := range []agent.Host{agent.Claude, agent.Codex, agent.Gemini} {
		stdout, stderr := shell(t, Command(h, h.Wired()[0].Event), without, bytes.Repeat([]byte("x"), 1<<20))
		if stdout != "" || stderr != "" {
			t.Errorf("%s: prints %q, %q", h, stdout, stderr)
		}
	}
}

// TestCommandHandsThePayloadOver also keeps a hook that fails from failing the
// client's event.
func TestCommandHandsThePayloadOver(t *testing.T) {
	with := t.TempDir()
	script := "#!/bin/sh\necho \"$@\"\nPATH=/bin:/usr/bin cat\nexit 1\n"
	if err := os.WriteFile(filepath.Join(with, "chatrail-hook"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := with + string(filepath.ListSeparator) + os.Getenv("PATH")
	for _, h := range []agent.Host{agent.Claude, agent.Codex, agent.Gemini} {
		stdout, _ := shell(t, Command(h, h.Wired()[0].Event), path, []byte(`{"a":1}`))
		if stdout != string(h)+"\n"+`{"a":1}` {
			t.Errorf("%s: %q", h, stdout)
		}
	}
}

// TestCommandStaysTheSame pins the text: Codex trusts a hook by a digest of it,
// and every change asks each user again.
func TestCommandStaysTheSame(t *testing.T) {
	for _, h := range []agent.Host{agent.Claude, agent.Codex, agent.Gemini} {
		for _, r := range h.Wired() {
			want := "command -v chatrail-hook >/dev/null 2>&1 && chatrail-hook " + string(h) + " || cat >/dev/null"
			if got := Command(h, r.Event); got != want || strings.Contains(got, Version) {
				t.Errorf("%s %s: %q", h, r.Event, got)
			}
		}
	}
}
