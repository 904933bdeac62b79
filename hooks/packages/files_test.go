package packages

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chatrail/hooks/agent"
)

var update = flag.Bool("update", false, "write the packages")

const top = "../.." // of the repository

// TestPackagesSayWhatTheTableSays compares every file of a package with what is
// made of the table, and finds files that nothing makes.
func TestPackagesSayWhatTheTableSays(t *testing.T) {
	made := map[string]bool{}
	for _, f := range Files() {
		made[f.Path] = true
		name := filepath.Join(top, filepath.FromSlash(f.Path))
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if there, err := os.ReadFile(name); err != nil || !bytes.Equal(there, f.Data) {
			t.Errorf("%s is not what the table says (%v): run go test ./%s -update", f.Path, err, Folder)
		}
	}
	for _, h := range []agent.Host{agent.Claude, agent.Codex, agent.Gemini} {
		root := filepath.Join(top, Folder, string(h))
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(top, name)
			if !made[filepath.ToSlash(rel)] {
				t.Errorf("nothing makes %s", rel)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestEveryWiredEventIsRegistered keeps the three packages complete.
func TestEveryWiredEventIsRegistered(t *testing.T) {
	for _, h := range []agent.Host{agent.Claude, agent.Codex, agent.Gemini} {
		var events []string
		for _, row := range hooksFile(h).Hooks {
			events = append(events, row.event)
		}
		var wired []string
		for _, r := range h.Wired() {
			wired = append(wired, r.Event)
		}
		if len(wired) < 4 || !slices.Equal(events, wired) {
			t.Errorf("%s registers %q, the table wires %q", h, events, wired)
		}
	}
}
