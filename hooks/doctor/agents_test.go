package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

func TestAVersionIsReadFromThePackageAndElseAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "package", "bin", "claude")
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// What it writes into its home is written nowhere.
	write(program, "#!/bin/sh\nmkdir -p \"$HOME/.claude\" 2>/dev/null && touch "+dir+"/wrote\necho 'claude 9.8.7 (Claude Code)'\n")
	if got := version(t.Context(), agent.Claude, program); got != "9.8.7" {
		t.Errorf("asked: %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "wrote")); err == nil {
		t.Error("it was given a home to write to")
	}
	write(filepath.Join(dir, "package", "package.json"), `{"name":"somebody/else","version":"1.0.0"}`)
	if got := version(t.Context(), agent.Claude, program); got != "9.8.7" {
		t.Errorf("another package beside it: %q", got)
	}
	write(filepath.Join(dir, "package", "package.json"), `{"name":"@anthropic-ai/claude-code","version":"2.1.332"}`)
	link := filepath.Join(dir, "claude")
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	if got := version(t.Context(), agent.Claude, link); got != "2.1.332" {
		t.Errorf("packaged: %q", got)
	}
	write(program, "#!/bin/sh\nexit 1\n")
	write(filepath.Join(dir, "package", "package.json"), `{`)
	if got := version(t.Context(), agent.Claude, program); got != "" {
		t.Errorf("one that does not say: %q", got)
	}
}

func TestNoAdviceDestroysAnything(t *testing.T) {
	// The words that a person may paste never destroy anything.
	for _, name := range []string{"agents.go", "codex.go", "home.go", "programs.go", "project.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"rm -", "--force", "reset --hard", "gc --prune"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s advises %q", name, word)
			}
		}
		if strings.Contains(string(text), `, "")`) {
			t.Errorf("%s has a line without a next step", name)
		}
	}
}
