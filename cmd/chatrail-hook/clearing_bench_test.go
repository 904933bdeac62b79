package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/dir"
)

// BenchmarkWholeProcessClearing times what happens when a context is cleared, in
// a repository of 100,000 files, against `git status` on it, and lists of notes.
func BenchmarkWholeProcessClearing(b *testing.B) {
	large := &benchmarked{newWorld(b, false)}
	large.run("git", "init", "-q", "-b", "main", ".")
	fillWorkTree(b, large, 100_000)
	large.run("chatrail", "init")
	large.in(b, large.prompt(1))
	half, whole := benchNotes(b, 2_500), benchNotes(b, 5_000)
	rows := []*row{
		{name: "git status", do: func(int) *exec.Cmd {
			return large.command(large.project, "git", "--no-optional-locks", "status", "--porcelain=v2")
		}},
		{name: "checkpoint --dry-run", bound: 1.15, do: func(int) *exec.Cmd {
			cmd := large.command(large.project, "chatrail", "checkpoint", "--dry-run")
			return cmd
		}},
		{name: "pre-compact hook with nothing in flight", bound: 1.3, do: func(i int) *exec.Cmd { return large.send("PreCompact-manual.json", i) }},
		{name: "list, 2,500 entries", do: func(int) *exec.Cmd { return half.command(half.project, "chatrail", "list") }},
		{name: "list, 5,000 entries (150 ms stated)", do: func(int) *exec.Cmd { return whole.command(whole.project, "chatrail", "list") }},
	}
	for i := range 3 {
		for _, r := range rows {
			r.run(b, -1-i)
		}
	}
	for _, r := range rows {
		r.times = nil
	}
	i := 0
	for b.Loop() {
		for _, r := range rows {
			r.run(b, i)
		}
		i++
	}
	reportAgainst(b, os.Stdout, rows, "git status", i)
}

func (w *benchmarked) in(b *testing.B, cmd *exec.Cmd) {
	cmd.Stdout = io.Discard
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}

// fillWorkTree commits that many small files.
func fillWorkTree(b *testing.B, w *benchmarked, n int) {
	for i := range n {
		folder := filepath.Join(w.project, fmt.Sprint("d", i/1000), fmt.Sprint("e", i/50%20))
		if i%50 == 0 {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("f", i)), fmt.Appendf(nil, "%d\n", i), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	w.run("git", "add", ".")
	w.run("git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "files")
	time.Sleep(time.Second) // so that no file is as new as the index
	w.run("git", "status")
}

// benchNotes makes a repository whose bundle has that many entries.
func benchNotes(b *testing.B, n int) *benchmarked {
	w := &benchmarked{newWorld(b, false)}
	w.run("git", "init", "-q", "-b", "main", ".")
	var notes []bundle.Note
	var paths []string
	for i := range n {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		note, err := chronicle.NewEntry(chronicle.Meta{Title: fmt.Sprintf("Entry %d of a long story", i), Tags: []string{"bench"}, Summary: "One of many."}, at, paths)
		if err != nil {
			b.Fatal(err)
		}
		notes = append(notes, note)
	}
	state := bundle.DefaultState()
	state.Rail.North = "Tell a long story"
	_, err := dir.Create(context.Background(), filepath.Join(w.project, ".chatrail"), bundle.Draft{
		State: state, Notes: notes, Meta: bundle.EventMeta{ReviewID: bundle.ReviewGenesis, Reason: "Begin"},
	}, dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w.run("chatrail", "init")
	w.run("chatrail", "new", "The last of them") // so that the newest event is one of many, too
	n++
	var listed []json.RawMessage
	if err := json.Unmarshal([]byte(w.run("chatrail", "list", "--json")), &listed); err != nil || len(listed) != n {
		b.Fatalf("%d of %d notes are listed: %v", len(listed), n, err)
	}
	return w
}
