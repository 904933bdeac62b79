//go:build unix

package memory

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestANamedPipeHoldsNothingUp(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := scanned(t, dir); len(l.Passed) != 1 || l.Passed[0].Reason != errShape.Error() {
		t.Errorf("%+v", l)
	}
	home := t.TempDir()
	write(t, filepath.Join(home, ".claude", "x"), "")
	if err := syscall.Mkfifo(filepath.Join(home, ".claude", "settings.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Folder(vars(), home, "/srv/app"); err != nil || got != filepath.Join(home, ".claude/projects/-srv-app/memory") {
		t.Errorf("%s, %v", got, err)
	}
}
