package draft

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"
)

func TestNotePathsThatMeanSomethingElseAreRefused(t *testing.T) {
	for _, path := range []string{
		"", "/", "entries", "entries/", "tasks/", "/entries/a.md", "notes/a.md", "Entries/a.md",
		"entries/../a.md", "entries/..", "entries/./a.md", "entries//a.md", "entries/a.md/",
		`entries\a.md`, `entries/a\b.md`, "entries/.git/config", "entries/.GIT/x", "entries/git~1",
		"entries/.hidden.md", "entries/a:b.md", "entries/a.", "entries/a /b.md",
		"entries/a\x00.md", "entries/a\n.md", "entries/a\u202e.md", "entries/a\x7f.md", "entries/\xff.md",
		"entries/" + strings.Repeat("a", 256), "entries/" + strings.Repeat("a/", 600) + "a",
	} {
		var rule *bundle.RuleError
		if err := CheckNotePath(path); !errors.As(err, &rule) {
			t.Errorf("%q: got %v, want a rule error", path, err)
		} else if strings.ContainsAny(err.Error(), "\n\x00\u202e") || len(err.Error()) > 700 {
			t.Errorf("%q: the error is not one safe line: %q", path, err)
		}
	}
}

func TestOrdinaryNotePathsAreTaken(t *testing.T) {
	for _, path := range []string{"entries/2026/11/30-some-title.md", "tasks/some-title.md", "entries/über uns.md", "tasks/a"} {
		if err := CheckNotePath(path); err != nil {
			t.Error(err)
		}
	}
}

func FuzzAcceptedNotePathsStayBelowTheirFolder(f *testing.F) {
	for _, seed := range []string{"entries/a.md", "tasks/../x", "entries//", "entries/a/../../b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckNotePath(path) != nil {
			return
		}
		if clean := filepath.ToSlash(filepath.Clean(filepath.FromSlash(path))); clean != path {
			t.Fatalf("%q is accepted and means %q", path, clean)
		}
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			t.Fatalf("%q is accepted and is not local", path)
		}
	})
}
