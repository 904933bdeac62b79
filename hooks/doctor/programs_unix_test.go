//go:build unix

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAGitThatHangsDoesNotHoldTheDoctorUp: what a script started keeps its output
// open after it was killed.
func TestAGitThatHangsDoesNotHoldTheDoctorUp(t *testing.T) {
	t.Parallel()
	git := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(git, []byte("#!/bin/sh\nsleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	said := make(chan Line, 1)
	go func() { said <- Visit{LookPath: func(string) (string, error) { return git, nil }}.git(ctx) }()
	select {
	case l := <-said:
		if l.Level != Problem {
			t.Error(l)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for a child of git")
	}
}
