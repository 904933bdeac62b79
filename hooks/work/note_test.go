package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// noted changes the chronicle as a session, "" for a person.
func (w *world) noted(session string, n Noting) *Noted {
	w.t.Helper()
	if session != "" {
		session = w.session(session)
	}
	noted, err := w.desk.Note(context.Background(), n, session)
	if err != nil {
		w.t.Fatal(err)
	}
	return noted
}

// note is the text of a note.
func (w *world) note(path string) string {
	w.t.Helper()
	data, err := w.scope().Store.Note(context.Background(), w.tip().ID, path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func TestEachChangeOfTheChronicleIsOneRevision(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		path := w.noted("", Noting{Do: DoNew, Title: "Notes", Text: "one"}).Path
		w.noted("", Noting{Do: DoAppend, Text: "two"})
		w.noted("", Noting{Do: DoWorkItem, Title: "Ship it"})
		w.noted("", Noting{Do: DoStart, Note: "ship-it"})
		if a := w.noted("", Noting{Do: DoStart, Note: "ship-it"}); a.Outcome != Unchanged || a.Revision != "" {
			t.Errorf("started twice: %+v", a)
		}
		w.noted("", Noting{Do: DoStamp, Commits: []chronicle.Commit{{ID: strings.Repeat("ab", 20), Files: 1}}, Closes: []string{"ship-it", "nobody"}})
		want := "[Open an entry: Notes Add to Notes Note to do: Ship it Start Ship it Stamp abababababab on Notes]"
		if got := fmt.Sprint(w.reasons()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, text := range []string{"\none\n", "\ntwo\n", "closes: [ship-it, nobody]"} {
			if !strings.Contains(w.note(path), text) {
				t.Errorf("%q is not in\n%s", text, w.note(path))
			}
		}
		if item := w.note("tasks/ship-it.md"); !strings.Contains(item, "status: done") || !strings.Contains(item, "closed_by: "+path) {
			t.Errorf("the work item is\n%s", item)
		}
	})
}

func TestWritersAtOnceLoseNoText(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		first := w.noted("", Noting{Do: DoNew, Title: "Shared"}).Path
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				w.noted("", Noting{Do: DoAppend, Note: first, Text: fmt.Sprintf("text %d", i)})
				w.noted("", Noting{Do: DoNew, Title: "The same title", Text: fmt.Sprintf("entry %d", i)})
			})
		}
		all.Wait()
		var whole strings.Builder
		err := w.scope().Store.EachNote(t.Context(), w.tip().ID, func(bundle.NoteRef) bool { return true }, func(_ bundle.NoteRef, data []byte) error {
			whole.Write(data)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			for _, want := range []string{fmt.Sprintf("\ntext %d\n", i), fmt.Sprintf("\nentry %d\n", i)} {
				if strings.Count(whole.String(), want) != 1 {
					t.Errorf("%q is there %d times", want, strings.Count(whole.String(), want))
				}
			}
		}
	})
}

func TestAChangeThatWaitedIsRecordedOnce(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		w.prompt("s")
		n := Noting{Do: DoNew, Title: "Waited", Text: "words", ID: "5d1e5f1e-58cb-4a0c-9c35-0d7d4b1d7a11", At: w.now(), Task: w.key("s")}
		body, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		drop := func() {
			if _, err := task.PutDrop(t.Context(), w.desk.Env, task.Drop{ID: n.ID, TaskKey: n.Task, Kind: dropNote, Body: body, At: n.At}); err != nil {
				t.Fatal(err)
			}
		}
		drop()
		w.stop("s")
		drop() // as if the hook had died before it removed the file
		w.stop("s")
		if got := fmt.Sprint(w.reasons()); got != "[Open an entry: Waited]" {
			t.Errorf("recorded %s", got)
		}
		if task.PendingDrop(w.desk.Env, n.Task) {
			t.Error("the drop box still holds it")
		}
	})
}

func TestADraftOfAnotherTaskIsNotWrittenInto(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		w.prompt("one")
		w.prompt("two")
		theirs := w.noted("one", Noting{Do: DoNew, Title: "Theirs"}).Path
		before := w.note(theirs)
		var refused *RefusedError
		if _, err := w.desk.Note(t.Context(), Noting{Do: DoAppend, Text: "mine"}, w.session("two")); !errors.As(err, &refused) {
			t.Errorf("an append: %v", err)
		}
		done, err := w.desk.Checkpoint(t.Context(), CheckpointRequest{Prose: "mine", Session: w.session("two")})
		if err != nil || !done.Noted.New || done.Noted.Path == theirs {
			t.Fatalf("a checkpoint: %+v, %v", done, err)
		}
		if w.note(theirs) != before {
			t.Error("the other draft changed")
		}
	})
}

func TestWhatLayAboutIsNotTheTasksUntilItChanges(t *testing.T) {
	for _, known := range []string{"with a baseline", "without one"} {
		t.Run(known, func(t *testing.T) {
			t.Parallel()
			w := newProject(t, "git")
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(w.project, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("older", "1")
			write("changed", "1")
			w.desk.Now = time.Now
			time.Sleep(2 * clockTick) // or the clock could not tell
			w.prompt("s")
			if known == "without one" {
				receipt := w.receipt("s")
				receipt.Baseline = nil
				receipt.Pin.Since = time.Now()
				if err := w.desk.Home.SaveReceipt(&receipt); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(clockTick)
			write("changed", "2")
			write("new", "1")
			s, err := w.desk.Scope(t.Context(), w.session("s"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := w.desk.derive(t.Context(), s, false)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, p := range c.Changed {
				got[p.Path] = p.Earlier
			}
			if want := map[string]bool{"older": true, "changed": false, "new": false}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("from before: %v, want %v", got, want)
			}
		})
	}
}

func TestAListIsTheSameWithAndWithoutWhatIsRemembered(t *testing.T) {
	onBackends(t, func(t *testing.T, w *world) {
		for i := range worthKeeping + 1 {
			w.noted("", Noting{Do: DoNew, Title: fmt.Sprintf("Entry %d", i)})
		}
		list := func() string {
			x, _, _, err := w.desk.Notes(t.Context(), w.scope(), "")
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(x.Entries(chronicle.Filter{}))
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		fresh := list()
		if data, err := w.desk.Home.LoadNotes(w.scope().Place); err != nil || data == nil {
			t.Fatalf("nothing is remembered: %v", err)
		}
		if list() != fresh {
			t.Error("the list from memory differs")
		}
		w.noted("", Noting{Do: DoAppend, Text: "more"})
		w.noted("", Noting{Do: DoStamp, Commits: []chronicle.Commit{{ID: strings.Repeat("ab", 20)}}})
		changed := list()
		if err := w.desk.Home.SaveNotes(w.scope().Place, []byte("{broken")); err != nil {
			t.Fatal(err)
		}
		if again := list(); again != changed || changed == fresh {
			t.Error("what is remembered is older than the bundle")
		}
	})
}

func TestAHookThatForgotItsCheckpointDoesNotWriteItAgain(t *testing.T) {
	w := newProject(t, "git")
	w.recorded(north(w.prompt("s"), "Ship it"))
	w.noted("s", Noting{Do: DoWorkItem, Title: "Ship it"})
	w.noted("s", Noting{Do: DoStart, Note: "ship-it"})
	w.forget("s", func() { w.deliver("s", turn.Event{Kind: turn.SessionEnd}) })
	before := len(w.reasons())
	w.deliver("s", turn.Event{Kind: turn.SessionEnd})
	if after := len(w.reasons()); after != before {
		t.Errorf("%d revisions more", after-before)
	}
	if captured := w.receipt("s").Captured; captured == nil || captured.Path == "" {
		t.Errorf("the task remembers %+v", captured)
	}
}

func TestALookThatWasCutShortIsAnOpenLoop(t *testing.T) {
	w := newProject(t, "git")
	w.prompt("s")
	s, err := w.desk.Scope(t.Context(), w.session("s"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := w.desk.derive(t.Context(), s, false)
	if err != nil || whole.OpenLoop() || whole.Partial {
		t.Fatalf("a clean tree: %+v, %v", whole, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cut, err := w.desk.derive(ctx, s, false)
	if err != nil || !cut.OpenLoop() || !cut.Partial {
		t.Errorf("a look without time: %+v, %v", cut, err)
	}
}

func TestASessionThatNeverBeganHasNoCommits(t *testing.T) {
	w := newProject(t, "git")
	w.git("commit", "-q", "--allow-empty", "-m", "of somebody")
	s, err := w.desk.Scope(t.Context(), w.session("never seen"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := w.desk.derive(t.Context(), s, true); err != nil || len(c.Commits) != 0 {
		t.Errorf("%+v, %v", c.Commits, err)
	}
}

func TestFromElsewhereACheckpointIsAboutTheTasksWorkTree(t *testing.T) {
	w := newProject(t, "git")
	w.prompt("s")
	if err := os.WriteFile(filepath.Join(w.project, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/", filepath.Dir(w.project), ""} {
		d := *w.desk
		d.Dir = dir
		done, err := d.Checkpoint(t.Context(), CheckpointRequest{Session: w.session("s"), DryRun: true})
		if err != nil || len(done.Changed) != 1 || done.Trouble != "" {
			t.Errorf("from %q: %+v, %v", dir, done, err)
		}
	}
}

func TestTextThatIsRefusedIsKept(t *testing.T) {
	w := newProject(t, "git")
	for _, n := range []Noting{
		{Do: DoAppend, Note: "nobody", Text: "to nobody"},
		{Do: DoNew, Title: strings.Repeat("long ", 500), Text: "under a long title"},
		{Do: DoAppend, Text: "no draft is open"},
	} {
		_, err := w.desk.Note(t.Context(), n, "")
		var kept *SpooledError
		if !errors.As(err, &kept) {
			t.Fatalf("%s: %v", n.Text, err)
		}
		if data, err := os.ReadFile(kept.Path); err != nil || !strings.Contains(string(data), n.Text) {
			t.Errorf("%s: %q, %v", n.Text, data, err)
		}
	}
}
