package chronicle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
	"chatrail/bundle/draft"
)

func TestASlugIsANameThatEverySystemTakes(t *testing.T) {
	for title, want := range map[string]string{
		"The importer streams": "the-importer-streams", "Über größe, café & crème brûlée": "ueber-groesse-cafe-creme-brulee",
		"cafe\u0301 de\u0301ja\u0300": "cafe-deja", "日本語": "note", "": "note", "...": "note", "../../etc": "etc",
		"CON": "con-note", "nul": "nul-note", "Com1": "com1-note", "LPT9": "lpt9-note", "com10": "com10", "console": "console",
		"a\x00b\xffc": "a-b-c",
	} {
		if got := chronicle.Slug(title); got != want {
			t.Errorf("%q became %q, want %q", title, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		slug := chronicle.Slug(anyText().Draw(t, "title"))
		if slug == "" || len(slug) > 60 || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Trim(slug, "-") != slug {
			t.Fatalf("got %q", slug)
		}
	})
}

func TestNewPathsDifferFromAllThereAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "a 2", "a-2-2", "日", "nul", strings.Repeat("long word ", 9), strings.Repeat("x", 200)}), 1, 30).Draw(t, "titles")
		paths := []string{"tasks/A.MD", "Entries/2026/11/30-a.md", "tasks/nul-note-2.md"}
		for i, title := range titles {
			path := chronicle.WorkItemPath(title, paths)
			if i%2 == 0 {
				path = chronicle.EntryPath(at, title, paths)
			}
			if err := draft.CheckNotePath(path); err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(paths, func(p string) bool { return strings.EqualFold(p, path) }) {
				t.Fatalf("%q is there already", path)
			}
			if slug := path[strings.LastIndexByte(path, '/')+1:]; len(slug) > len("30-")+60+len(".md") {
				t.Fatalf("%q is too long", path)
			}
			paths = append(paths, path)
		}
	})
}

func TestAnEntryLiesBelowTheDayOfItsMoment(t *testing.T) {
	late := time.Date(2026, 11, 30, 23, 30, 0, 0, time.FixedZone("", -8*3600))
	for moment, want := range map[time.Time]string{late: "entries/2026/11/30-a.md", late.UTC(): "entries/2026/12/01-a.md"} {
		note, err := chronicle.NewEntry(chronicle.Meta{Title: "A"}, moment, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := chronicle.Read(note.Data)
		if got, ok := n.When(); note.Path != want || !ok || !got.Equal(late) {
			t.Errorf("got %s at %v, want %s at %v", note.Path, got, want, late)
		}
	}
}
