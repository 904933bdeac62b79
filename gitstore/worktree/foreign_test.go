package worktree

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestForeignRepositoryRunsNoProgramOfItsOwn(t *testing.T) {
	dir, ran := tempDir(t), filepath.Join(tempDir(t), "ran")
	git(t, dir, "init", "-q")
	must(t, os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=a.b\nlong filter=long\n"), 0o666))
	for _, name := range []string{"one", "long"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o666))
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	program := "touch '" + filepath.ToSlash(ran) + "'; cat"
	included := filepath.Join(dir, ".git", "more")
	git(t, dir, "config", "-f", included, "filter.long.process", program)
	for key, value := range map[string]string{
		"filter.a.b.clean": program, "filter.a.b.required": "true", "include.path": included, "core.fsmonitor": program,
	} {
		git(t, dir, "config", key, value)
	}
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"one", "long"} {
		must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	must(t, os.WriteFile(filepath.Join(dir, "new"), nil, 0o666))

	got, err := Changed(t.Context(), dir, Options{Foreign: true})
	must(t, err)
	if len(got.Changed) != 1 || got.Changed[0].Path != "new" || got.Refused != "" {
		t.Errorf("got %v, refused with %q", got.Changed, got.Refused)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's ran")
	}
	git(t, dir, "config", "filter.x=y.clean", program)
	if got, err := Changed(t.Context(), dir, Options{Foreign: true}); err != nil || got.Refused == "" {
		t.Errorf("a filter that cannot be switched off: %+v, %v", got, err)
	}
}
