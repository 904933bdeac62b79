package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/memory"
	"chatrail/hooks/task"
)

// remembering has a project whose memory holds one note of each kind.
func remembering(t *testing.T, w *world) (folder string) {
	t.Helper()
	w.desk.Secret = func(text string) bool { return strings.Contains(text, "hunter2") }
	home := filepath.Dir(w.project)
	folder = filepath.Join(home, ".claude", "projects", memory.Name(w.project), "memory")
	for file, text := range map[string]string{
		"MEMORY.md": "- [ship](ship.md)\n",
		"ship.md":   fact("ship-in-march", "It ships in March"),
		"b.md":      fact("brand", "Blue"),
		"token.md":  fact("token", "hunter2"),
		"user.md":   strings.Replace(fact("user", "likes tea"), "project", "user", 1),
		"plain.md":  "no front matter\n",
	} {
		note(t, folder, file, text)
	}
	return folder
}

func fact(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\nmetadata:\n  type: project\n---\n\nThe fact.\n", name, description)
}

func note(t *testing.T, folder, file, text string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// unresolved lists the names of obligations.
func (w *world) unresolved(p task.Place) string {
	w.t.Helper()
	list, err := w.desk.memory(context.Background(), p)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	return strings.Join(names, " ")
}

func (w *world) settled(state memory.State, names ...string) *MemorySettled {
	w.t.Helper()
	m, err := w.desk.MemorySettle(context.Background(), "", names, len(names) == 0, state)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func TestANoteIsOwedUntilItIsSettledAndAgainWhenItChanges(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		folder := remembering(t, w)
		p := w.scope().Place
		list, err := w.desk.memory(t.Context(), p)
		want := []chronicle.Obligation{{Name: "brand", Description: "Blue"}, {Name: "ship-in-march", Description: "It ships in March"}}
		if err != nil || !slices.Equal(list, want) {
			t.Fatalf("%+v, %v", list, err)
		}
		w.settled(memory.Resolved, "ship-in-march")
		w.settled(memory.Ignored, "b.md")
		if got := w.unresolved(p); got != "" {
			t.Errorf("settled, and owed: %s", got)
		}
		note(t, folder, "ship.md", fact("ship-in-march", "It ships in May"))
		if got := w.unresolved(p); got != "ship-in-march" {
			t.Errorf("changed, and owed is %q", got)
		}
		if err := os.Remove(filepath.Join(folder, "ship.md")); err != nil {
			t.Fatal(err)
		}
		if got := w.unresolved(p); got != "" {
			t.Errorf("deleted, and owed: %s", got)
		}
		note(t, folder, "b.md", fact("brand", "Blue"))
		if got := w.unresolved(p); got != "" {
			t.Errorf("written again with the same bytes, and owed: %s", got)
		}
	})
}

func TestACheckpointNamesAFewAndCountsTheRest(t *testing.T) {
	w := newProject(t, "git")
	folder := remembering(t, w)
	for i := range mostObligations + 7 {
		note(t, folder, fmt.Sprintf("n%02d.md", i), fact(fmt.Sprintf("n%02d", i), "x"))
	}
	p := w.scope().Place
	looked := 0
	w.desk.Secret = func(text string) bool {
		if strings.HasPrefix(text, "---") {
			looked++
		}
		return false
	}
	list, err := w.desk.memory(t.Context(), p)
	if err != nil || len(list) != mostObligations+1 || looked != mostObligations || list[mostObligations].Name != "10 more" {
		t.Errorf("%d were looked through, %d listed: %+v, %v", looked, len(list), list, err)
	}
	w.settled(memory.Resolved)
	looked = 0
	if got := w.unresolved(p); got != "" || looked > 0 {
		t.Errorf("all is settled; %d were looked through, owed: %s", looked, got)
	}
}

// The words of a memory that is not the agent's own are nothing that it loses.
func TestOnlyTheAgentsOwnMemoryIsPartOfItsCheckpoint(t *testing.T) {
	w := newProject(t, "git")
	remembering(t, w)
	s := w.scope()
	for agent, want := range map[string]int{"": 2, "claude": 2, "codex": 0} {
		s.Receipt.Agent = agent
		c, err := w.desk.derive(t.Context(), s, false)
		if err != nil || len(c.Memory) != want || c.OpenLoop() != (want > 0) {
			t.Errorf("%q: %+v, %v", agent, c.Memory, err)
		}
	}
}

func TestNothingOfANoteIsCopied(t *testing.T) {
	w := newProject(t, "git")
	remembering(t, w)
	w.settled(memory.Resolved)
	err := filepath.WalkDir(w.desk.Home.Dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, word := range []string{"The fact", "March", "ship-in-march", "token", "hunter2", "tea"} {
			if strings.Contains(string(data), word) {
				t.Errorf("%q is in %s", word, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALinkedWorkTreeSharesTheMemoryOfTheProject(t *testing.T) {
	w := newProject(t, "git")
	remembering(t, w)
	linked := w.project + "-linked"
	for _, args := range [][]string{
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"},
		{"worktree", "add", "-q", linked},
	} {
		if out, err := exec.Command("git", append([]string{"-C", w.project}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	w.desk.Dir = linked
	p := w.scope().Place
	w.settled(memory.Resolved, "brand")
	if err := os.RemoveAll(linked); err != nil { // and when it is gone
		t.Fatal(err)
	}
	if got := w.unresolved(p); got != "ship-in-march" {
		t.Errorf("owed: %q", got)
	}
	w.desk.Dir = w.project
	if got := w.unresolved(w.scope().Place); got != "ship-in-march" {
		t.Errorf("in the main work tree: %q", got)
	}
}

func TestWithoutAProjectNoMemoryIsRead(t *testing.T) {
	w := newWorld(t, "directory")
	remembering(t, w)
	var none *NoBundleError
	if _, err := w.desk.MemoryScan(t.Context(), ""); !errors.As(err, &none) {
		t.Errorf("without a bundle: %v", err)
	}
	w.desk.Secret = func(string) bool { t.Error("a note was read"); return false }
	w.prompt("s")
	receipt := w.receipt("s")
	if receipt.Pin == nil || receipt.Pin.Kind != task.KindPrivate {
		t.Fatalf("the task is pinned to %+v", receipt.Pin)
	}
	if got := w.unresolved(receipt.Pin.Place); got != "" {
		t.Errorf("owed: %s", got)
	}
	var refused *RefusedError
	if _, err := w.desk.MemoryScan(t.Context(), w.session("s")); !errors.As(err, &refused) {
		t.Errorf("of a task without a project: %v", err)
	}
}

func TestWhatWasNamedIsSettledWholeOrNotAtAll(t *testing.T) {
	w := newProject(t, "directory")
	remembering(t, w)
	for _, name := range []string{"nonsense", "token", "token.md", "user", "plain", "../b.md"} {
		_, err := w.desk.MemorySettle(t.Context(), "", []string{"brand", name}, false, memory.Resolved)
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := w.unresolved(w.scope().Place); got != "brand ship-in-march" {
		t.Errorf("owed: %s", got)
	}
	if m := w.settled(memory.Resolved, "brand", "b.md", "b"); len(m.Notes) != 1 || m.Notes[0].State != memory.New {
		t.Errorf("%+v", m)
	}
	if m := w.settled(memory.Resolved, "brand"); m.Notes[0].State != memory.Resolved {
		t.Errorf("a second time: %+v", m)
	}
	if m := w.settled(memory.Resolved); len(m.Notes) != 1 || m.Notes[0].Name != "ship-in-march" {
		t.Errorf("all that is left: %+v", m)
	}
}

func TestAnotherAgentAndASubAgentSettleNothing(t *testing.T) {
	w := newProject(t, "directory")
	remembering(t, w)
	receipt := task.Receipt{TaskKey: task.Key("codex's"), Agent: "codex"}
	if err := w.desk.Home.SaveReceipt(&receipt); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if _, err := w.desk.MemorySettle(t.Context(), "codex's", nil, true, memory.Resolved); !errors.As(err, &refused) || keepsMemory(receipt) {
		t.Errorf("another agent: %v", err)
	}
	outer := w.desk.Env
	w.desk.Env = func(name string) string {
		switch name {
		case "CODEX_SESSION_ID":
			return "root"
		case "CODEX_THREAD_ID":
			return "child"
		}
		return outer(name)
	}
	if _, err := w.desk.MemorySettle(t.Context(), "", nil, true, memory.Resolved); !errors.As(err, &refused) {
		t.Errorf("a sub-agent: %v", err)
	}
	w.desk.Env = outer
	if got := w.unresolved(w.scope().Place); got != "brand ship-in-march" {
		t.Errorf("owed: %s", got)
	}
}

func TestSettlingSideBySideLosesNothing(t *testing.T) {
	w := newProject(t, "directory")
	folder := remembering(t, w)
	const notes = 12
	for i := range notes {
		note(t, folder, fmt.Sprintf("n%d.md", i), fact(fmt.Sprintf("n%d", i), "x"))
	}
	var all sync.WaitGroup
	for i := range notes {
		all.Go(func() {
			state := []memory.State{memory.Resolved, memory.Ignored}[i%2]
			if _, err := w.desk.MemorySettle(context.Background(), "", []string{fmt.Sprintf("n%d", i)}, false, state); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := w.unresolved(w.scope().Place); got != "brand ship-in-march" {
		t.Errorf("owed: %s", got)
	}
}

func TestADamagedLedgerIsKeptAsideAndSaid(t *testing.T) {
	w := newProject(t, "directory")
	remembering(t, w)
	w.settled(memory.Resolved)
	ledgers, err := filepath.Glob(filepath.Join(w.desk.Home.Dir, "memory", "*.json"))
	if err != nil || len(ledgers) != 1 {
		t.Fatalf("%v, %v", ledgers, err)
	}
	if err := os.WriteFile(ledgers[0], []byte(`{"version":1,"settl`), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := w.desk.MemoryScan(t.Context(), "")
	if err != nil || m.Warning == "" || len(m.Open()) != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	s := w.settled(memory.Ignored, "brand")
	if data, err := os.ReadFile(s.Aside); string(data) != `{"version":1,"settl` {
		t.Errorf("aside, in %q: %q, %v", s.Aside, data, err)
	}
	if m, err := w.desk.MemoryScan(t.Context(), ""); err != nil || m.Warning != "" || len(m.Open()) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	later := []byte(`{"version":2,"settled":{}}`)
	if err := os.WriteFile(ledgers[0], later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.MemorySettle(t.Context(), "", []string{"brand"}, false, memory.Resolved); !errors.Is(err, memory.ErrLater) {
		t.Errorf("a ledger of a later version: %v", err)
	}
	if data, _ := os.ReadFile(ledgers[0]); string(data) != string(later) {
		t.Errorf("it was written: %s", data)
	}
}
