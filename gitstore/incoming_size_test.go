package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// thousands makes a history of n revisions, each with a message, an event id
// and a key that are as long as they may be or are of no use.
func thousands(t testing.TB, dir string, n, long int) string {
	t.Helper()
	events, final, notes := directory(t, n)
	for i := range events {
		events[i].EventID = fmt.Sprint(i, "-", strings.Repeat("x", long))
		line := strings.Replace(string(events[i].Line), `"event_id":"`, `"waste":"`+strings.Repeat("y", long)+`","event_id":"`+events[i].EventID, 1)
		again, err := bundle.ParseEvent([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		events[i] = again
	}
	tip, err := openAt(t, dir).Import(t.Context(), events, final, notes)
	if err != nil {
		t.Fatal(err)
	}
	return tip.ID
}

func TestMemoryOfAnInspectionDoesNotGrowWithWhatRevisionsHold(t *testing.T) {
	n := 1500
	if long() {
		n = 20_000
	}
	dir := newRepo(t)
	tip := thousands(t, dir, n, 1900)
	s := openAt(t, dir)
	l := s.loader()
	defer l.Close()
	in := &inspector{Inspection: Inspection{Tip: tip}, examiner: newExaminer(l), own: l}
	in.lister = func(ctx context.Context) (*listing, error) { return s.gitListNew(ctx, tip, nil) }
	in.eventer = func(context.Context) error { return nil }
	start := time.Now()
	if _, err := in.verdict(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Log(n, "revisions in", time.Since(start))
	// What is left is what was remembered: some hundred bytes a revision, and
	// of what was lately read no more than its bound.
	in.recall = nil
	l.Forget()
	held := liveBytes()
	in.examiner, in.list = nil, nil
	if per := (held - liveBytes()) / n; per > 600 {
		t.Errorf("%d bytes a revision", per)
	}
}

func liveBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestRecentsAreBoundedByTheirBytes(t *testing.T) {
	loads := 0
	c := newRecents()
	recall := c.over(func(_ context.Context, id string) (*stored, error) {
		loads++
		return &stored{id: id, event: bundle.Event{Line: make([]byte, 1<<20)}}, nil
	})
	for i := range 100 {
		for range 2 {
			recall(t.Context(), fmt.Sprint(i))
		}
	}
	if loads != 100 || len(c.byID) > maxRecentBytes/(4<<20) {
		t.Errorf("%d loads, %d kept", loads, len(c.byID))
	}
}

func BenchmarkInspect(b *testing.B) {
	dir := newRepo(b)
	events, final, notes := directory(b, 1000)
	tip, err := openAt(b, dir).Import(b.Context(), events, final, notes)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := openAt(b, dir).Inspect(b.Context(), Inspection{Tip: tip.ID}); err != nil || found.Revisions != 1000 {
			b.Fatal(found, err)
		}
	}
}

func TestVastPackedFileCostsNoMemory(t *testing.T) {
	const size, allowed = 64 << 20, 24 << 20
	y := newYard(t)
	file := filepath.Join(t.TempDir(), "vast")
	if err := os.WriteFile(file, bytes.Repeat([]byte("x"), size), 0o644); err != nil {
		t.Fatal(err)
	}
	s := y.on(y.tip, "three")
	id := git(t, y.dir, "hash-object", "-w", file)
	gitInput(t, y.dir, id+"\n", "pack-objects", "-q", ".git/objects/pack/pack")
	loseObject(t, y.dir, id)
	s.tree[bundle.RailFile] = objects.Entry{Mode: objects.ModeFile, Name: bundle.RailFile, ID: id}
	tip := s.made()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := y.inspect(tip)
	runtime.ReadMemStats(&after)
	wantRefused(t, nil, err, "has a "+bundle.RailFile+" that cannot be read: it is too large")
	if used := after.TotalAlloc - before.TotalAlloc; used > allowed {
		t.Errorf("it took %d bytes", used)
	}
}

func TestNotesOfOneRevisionAreBoundedByTheirBytes(t *testing.T) {
	if !long() {
		t.Skip("set CHATRAIL_LONG to run it")
	}
	y := newYard(t)
	for n, sound := range map[int]bool{maxEventBytes / objects.MaxSize: true, maxEventBytes/objects.MaxSize + 1: false} {
		var entries []objects.Entry
		var pairs []string
		for i := range n {
			name, text := fmt.Sprintf("x%02d", i), fmt.Sprintf("%02d", i)+strings.Repeat("x", objects.MaxSize-2)
			entries, pairs = append(entries, y.note(name, text)), append(pairs, "tasks/"+name, text)
		}
		tip := y.on(y.root, "many").folder(tasksDir, entries...).names(pairs...).made()
		found, err := y.s.Inspect(t.Context(), Inspection{Tip: tip, Known: []string{y.root}})
		if sound && err != nil {
			t.Errorf("%d notes: %v", n, err)
		}
		if !sound {
			wantRefused(t, found, err, "holds more notes than a revision may")
		}
	}
}
