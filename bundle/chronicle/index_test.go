package chronicle_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/chronicle"
)

const otherTask = "aaaaaaaaaaaa"

func sample() *chronicle.Index {
	var x chronicle.Index
	for _, n := range [][2]string{
		{"entries/2026/11/28-old.md", "---\ntitle: Old\ndate: 2026-11-28\ntime: 10:00:00Z\ntask: \"3f9a1c0b7d2e\"\ntags: [Go, git]\n---\n"},
		{"entries/2026/11/29-done.md", "---\ntitle: Done\ndate: 2026-11-29\nhash: abcdef1\ntask: \"3f9a1c0b7d2e\"\n---\n"},
		{"entries/2026/11/30-a.md", "---\ntitle: A\ndate: 2026-11-30\ntime: 09:00:00Z\ntask: \"3f9a1c0b7d2e\"\ntags: [go]\n---\n"},
		{"entries/2026/11/30-a-2.md", "---\ntitle: A\ndate: 2026-11-30\ntime: 09:00:00.5Z\ntask: \"3f9a1c0b7d2e\"\n---\n"},
		{"entries/2026/11/30-other.md", "---\ntitle: Other\ndate: 2026-11-30\ntime: 23:00:00Z\ntask: " + otherTask + "\n---\n"},
		{"entries/2026/12/01-broken.md", "---\ntitle: Broken\ntask: \"3f9a1c0b7d2e\"\nx: [\n---\n"},
		{"entries/2026/11/27-plain.md", "no front matter\n"},
		{"tasks/cut.md", "---\ntitle: Cut\nstatus: cut\ndate: 2026-11-30\n---\n"},
		{"tasks/early.md", "---\ntitle: Early\nstatus: doing\ndate: 2026-11-30\nmoved: 2026-11-29T00:00:00Z\n---\n"},
		{"tasks/late.md", "---\ntitle: Late\nstatus: doing\ndate: 2026-11-01\nmoved: 2026-11-30T00:00:00Z\nby: claude 3f9a1c0b7d2e\n---\n"},
		{"tasks/owed.md", "---\ntitle: Owed\nstatus: specced\ndate: 2026-11-02\n---\n"},
		{"tasks/bare.md", "# A heading\n"},
		{"tasks/fin.md", "---\ntitle: Fin\nstatus: done\n---\n"},
		{"entries/picture.png", "\x89PNG"}, {"readme.md", ""},
	} {
		x.Add(n[0], []byte(n[1]))
	}
	return &x
}

func paths(items []chronicle.Item) string {
	var names []string
	for _, item := range items {
		names = append(names, item.Path[strings.LastIndexByte(item.Path, '/')+1:len(item.Path)-len(".md")])
	}
	return strings.Join(names, " ")
}

func TestEntriesAreListedNewestFirstByEveryFilter(t *testing.T) {
	full := claude.Task + strings.Repeat("0", 52)
	for _, c := range []struct {
		name   string
		filter chronicle.Filter
		want   string
	}{
		{"all", chronicle.Filter{}, "01-broken 30-other 30-a-2 30-a 29-done 28-old 27-plain"},
		{"tag", chronicle.Filter{Tag: "GO"}, "30-a 28-old"},
		{"task", chronicle.Filter{Task: claude.Task}, "01-broken 30-a-2 30-a 29-done 28-old"},
		{"task in full", chronicle.Filter{Task: full, Tag: "go"}, "30-a 28-old"},
		{"drafts", chronicle.Filter{State: chronicle.DraftState, Task: claude.Task}, "01-broken 30-a-2 30-a 28-old"},
		{"published", chronicle.Filter{State: chronicle.PublishedState}, "29-done"},
		{"since", chronicle.Filter{Since: time.Date(2026, 11, 30, 9, 0, 0, 1, time.UTC)}, "01-broken 30-other 30-a-2"},
		{"a status is no entry's", chronicle.Filter{Status: chronicle.Todo}, ""},
	} {
		if got := paths(sample().Entries(c.filter)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestWorkItemsAreListedByWhatNeedsAttention(t *testing.T) {
	x := sample()
	if got, want := paths(x.WorkItems(chronicle.Filter{})), "late early owed bare fin cut"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := paths(x.InFlight()); got != "late early" {
		t.Errorf("in flight: %s", got)
	}
	if got := paths(x.Owed()); got != "owed" {
		t.Errorf("owed: %s", got)
	}
	if got := paths(x.WorkItems(chronicle.Filter{State: chronicle.DraftState})); got != "" {
		t.Errorf("work items are drafts: %s", got)
	}
}

func TestTheActiveDraftIsTheNewestThatTheTaskOpened(t *testing.T) {
	x := sample()
	for task, want := range map[string]string{claude.Task: "30-a-2", otherTask: "30-other", "": "30-other", "bbbbbbbbbbbb": ""} {
		item, ok := x.ActiveDraft(task)
		if ok != (want != "") || ok && paths([]chronicle.Item{item}) != want {
			t.Errorf("task %q: got %s, want %q", task, item.Path, want)
		}
	}
}

func TestANoteIsFoundByWhatAPersonCallsIt(t *testing.T) {
	x := sample()
	x.Add("entries/2026/10/28-old.md", nil)
	for _, c := range []struct {
		kind chronicle.Kind
		name string
		want []string
	}{
		{chronicle.KindWorkItem, "tasks/late.md", []string{"tasks/late.md"}},
		{chronicle.KindWorkItem, "tasks/late", []string{"tasks/late.md"}},
		{chronicle.KindWorkItem, "late", []string{"tasks/late.md"}},
		{chronicle.KindEntry, "30-a", []string{"entries/2026/11/30-a.md"}},
		{chronicle.KindEntry, "a-2", []string{"entries/2026/11/30-a-2.md"}},
		{chronicle.KindEntry, "./entries/2026/11/28-old.md", []string{"entries/2026/11/28-old.md"}},
		{chronicle.KindEntry, "old", []string{"entries/2026/11/28-old.md", "entries/2026/10/28-old.md"}},
		{chronicle.KindEntry, "late", nil},
		{chronicle.KindEntry, "", nil},
	} {
		if got := x.Resolve(c.kind, c.name); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestABrokenNoteIsListedAndSaysSo(t *testing.T) {
	items := sample().Entries(chronicle.Filter{Since: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	if len(items) != 1 || items[0].Title != "Broken" || items[0].Broken == "" {
		t.Errorf("got %+v", items)
	}
}

// The body of a note is not read: a list costs what the front matter costs.
func BenchmarkIndexOf5000(b *testing.B) {
	type file struct {
		path string
		data []byte
	}
	var files []file
	text := strings.Repeat("A line of text.\n", 1000)
	for i := range 5000 {
		moment := at.Add(time.Duration(i) * time.Minute)
		meta := chronicle.Meta{Title: fmt.Sprintf("Entry %d: what happened", i), Tags: []string{"a", "b"}, Summary: "What it is, in a line: and more.", Task: claude.Task}
		note := must(chronicle.NewEntry(meta, moment, nil))(b)
		data := must(chronicle.Stamp(note.Data, []chronicle.Commit{{ID: first, Files: 1}}))(b)
		data = must(chronicle.AppendBlock(data, chronicle.Block{Time: moment, ID: "id", Text: text}))(b)
		files = append(files, file{note.Path, data})
	}
	b.ReportAllocs()
	for b.Loop() {
		var x chronicle.Index
		for _, f := range files {
			x.Add(f.path, f.data)
		}
		if n := len(x.Entries(chronicle.Filter{State: chronicle.PublishedState})); n != len(files) {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(files)), "ns/note")
}
