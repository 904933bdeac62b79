package tools

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFolderThatTheAgentNamesRunsNoProgramOfItsOwn(t *testing.T) {
	w := newWorld(t)
	ran := filepath.ToSlash(filepath.Join(t.TempDir(), "ran"))
	for name, text := range map[string]string{".gitattributes": "* filter=mine\n", "file": "text\n"} {
		if err := os.WriteFile(filepath.Join(w.project, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w.git("add", ".gitattributes", "file")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "filtered")
	w.git("config", "filter.mine.clean", "touch '"+ran+"'; cat")
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(w.project, "file"), old, old); err != nil {
		t.Fatal(err)
	}
	o := w.options()
	o.Dir = t.TempDir()
	w.connect(o, nil).do("checkpoint", args{"dry_run": true, "cwd": w.project})
	if _, err := os.Stat(ran); err == nil {
		t.Error("the filter of the repository ran")
	}
}
