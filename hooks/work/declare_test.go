package work

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// git runs git in the project.
func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Dir = w.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// write writes a file of the project.
func (w *world) write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.project, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte(text), 0o600)); err != nil {
		w.t.Fatal(err)
	}
}

// put records notes in the project's bundle.
func (w *world) put(notes ...bundle.Note) {
	w.t.Helper()
	_, _, err := w.scope().Store.Apply(context.Background(), func(present *bundle.Revision) (bundle.Draft, error) {
		return bundle.Draft{State: present.State, Notes: notes, Meta: bundle.EventMeta{ReviewID: bundle.ReviewChronicle, Reason: "Notes", Time: w.now()}}, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// item is a work item, to do.
func (w *world) item(title string) bundle.Note {
	w.t.Helper()
	n, err := chronicle.NewWorkItem(chronicle.Meta{Title: title}, chronicle.Who{}, w.now(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// entry is a draft that a task opened, "" for a person, with one block of text.
func (w *world) entry(title, key string, b chronicle.Block) bundle.Note {
	w.t.Helper()
	if key != "" {
		key = task.Short(key)
	}
	n, err := chronicle.NewEntry(chronicle.Meta{Title: title, Task: key}, w.now(), nil)
	if err == nil && b.Text != "" {
		b.ID, b.Time = "b1", w.now()
		n.Data, err = chronicle.AppendBlock(n.Data, b)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// meta is the front matter of a note as it is now.
func (w *world) meta(path string) chronicle.Meta {
	w.t.Helper()
	data, err := w.scope().Store.Note(context.Background(), w.tip().ID, path)
	if err != nil {
		w.t.Fatal(err)
	}
	return chronicle.Read(data).Meta
}

// ledger is what is declared in the project.
func (w *world) ledger() declarations {
	w.t.Helper()
	repo, err := refs.Discover(w.project)
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := w.desk.declarations(repo)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) answered(r Request) *Answer {
	w.t.Helper()
	a, err := w.reconcile(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func TestClosingAnItemIsPartOfTheAnswersRevision(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		draft := w.entry("What I did", w.key("one"), chronicle.Block{})
		w.put(w.item("Reader"), w.item("Writer"), draft)
		r := now(w.prompt("one"), "The reader streams.")
		r.Declare = Declare{Close: []string{"reader"}, Advance: []string{"tasks/writer.md"}}
		a := w.answered(r)
		if a.Outcome != Recorded || !slices.Contains(a.Changes, "tasks/reader.md: todo -> done") || !slices.Contains(a.Changes, "tasks/writer.md: todo -> doing") {
			t.Errorf("%+v", a)
		}
		reader, writer := w.meta("tasks/reader.md"), w.meta("tasks/writer.md")
		who := "claude " + task.Short(w.key("one"))
		if reader.Status != chronicle.Done || reader.ClosedBy != draft.Path || reader.By != who || writer.Status != chronicle.Doing || writer.By != who {
			t.Errorf("%+v\n%+v", reader, writer)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Notes", "The reader streams."}) {
			t.Errorf("history %q", got)
		}
		// The same line again is the same answer.
		if a := w.answered(r); a.Outcome != Repeated || len(w.reasons()) != 2 {
			t.Errorf("again: %+v, %q", a, w.reasons())
		}
	})
}

func TestAdvanceNeedsNoReasonAndMakesARevisionOnlyWhereTheItemWaits(t *testing.T) {
	t.Parallel()
	onBackends(t, func(t *testing.T, w *world) {
		w.put(w.item("Reader"))
		advance := func(turn string) *Answer {
			return w.answered(Request{Review: w.prompt(turn), Declare: Declare{Advance: []string{"reader", "reader.md"}}})
		}
		if a := advance("one"); a.Outcome != Recorded {
			t.Errorf("%+v", a)
		}
		if a := advance("one"); a.Outcome != NoChange {
			t.Errorf("%+v", a)
		}
		if got := w.reasons(); !slices.Equal(got, []string{"Notes", "Start Reader"}) {
			t.Errorf("history %q", got)
		}
	})
}

func TestAnAnsweredReviewStillDeclaresAndSaysWhatItLeaves(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.put(w.item("Reader"))
	id := w.prompt("one")
	w.recorded(north(id, "Ship it"))
	w.write("a", "1")
	a := w.answered(Request{Review: id, Declare: Declare{Close: []string{"reader"}}})
	if a.Outcome != Repeated || a.Declared != 1 || len(a.Left) != 1 || !strings.Contains(a.Left[0], "`chatrail task done reader`") {
		t.Errorf("%+v", a)
	}
	if got := w.meta("tasks/reader.md").Status; got != chronicle.Todo {
		t.Errorf("the item is %s", got)
	}
	if text := strings.Join(a.Words(), "\n"); !strings.HasPrefix(text, "This review was answered before; 1 changed path is declared.\n") {
		t.Errorf("said %q", text)
	}
	// Words of its own are refused as ever, and declare nothing.
	w.write("b", "1")
	r := now(id, "Other words")
	r.Declare.NoTask = true
	if a, err := w.reconcile(r); err == nil {
		t.Errorf("taken: %+v", a)
	}
	if w.ledger().names("b") {
		t.Error("a refused answer declared something")
	}
}

func TestAReviewThatSaidNoChangeStillMovesAnItem(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.put(w.item("Reader"))
	id := w.prompt("one")
	w.answered(Request{Review: id})
	if a := w.answered(Request{Review: id, Declare: Declare{Close: []string{"reader"}}}); a.Outcome != Recorded {
		t.Errorf("%+v", a)
	}
	if got := w.reasons(); !slices.Equal(got, []string{"Notes", "Finish Reader"}) {
		t.Errorf("history %q", got)
	}
}

func TestAnUnknownItemIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.put(w.item("Reader"), w.item("Old"))
	id := w.prompt("one")
	w.write("a", "1")
	r := now(id, "Now")
	r.Declare.Advance = []string{"reader", "nobody"}
	for _, trusted := range []bool{true, false} {
		if !trusted {
			if err := w.desk.Home.Untrust(t.Context(), w.scope().Place); err != nil {
				t.Fatal(err)
			}
		}
		_, err := w.reconcile(r)
		var refused *RefusedError
		if !errors.As(err, &refused) || strings.Contains(err.Error(), "reader") != trusted {
			t.Errorf("trusted %t: %v", trusted, err)
		}
	}
	if got := w.reasons(); len(got) != 1 || w.ledger().names("a") {
		t.Errorf("something was written: %q", got)
	}
}

func TestACutItemIsNotFinished(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	item := w.item("Reader")
	var err error
	if item.Data, err = chronicle.Drop(item.Data, "no use", chronicle.Who{}, w.now()); err != nil {
		t.Fatal(err)
	}
	w.put(item)
	r := now(w.prompt("one"), "Now")
	r.Declare.Close = []string{"reader"}
	if a, err := w.reconcile(r); err == nil || !strings.Contains(err.Error(), "tasks/reader.md") {
		t.Errorf("%+v, %v", a, err)
	}
	if got := w.reasons(); len(got) != 1 {
		t.Errorf("something was written: %q", got)
	}
}

func TestADroppedDeclarationIsRecordedAsItWasGiven(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.put(w.item("Reader"))
	id := w.prompt("one")
	w.write("a", "1")
	w.write("b", "1")
	give := func() string {
		receipt := w.receipt("one")
		r := Request{Review: id, Declare: Declare{Advance: []string{"reader"}}}
		c := change{}
		x, err := w.desk.prepare(t.Context(), receipt, &r, &c)
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := asks(receipt, id)
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.desk.drop(t.Context(), receipt.TaskKey, receipt, q, r, c)
		if a, err = w.desk.declare(t.Context(), receipt.TaskKey, c, x, a, err); err != nil || a.Outcome != Kept || a.Declared != 2 {
			t.Fatalf("%+v, %v", a, err)
		}
		return strings.Join(a.Words(), "\n")
	}
	if text := give(); !strings.Contains(text, "2 changed paths will be declared with it.") {
		t.Errorf("said %q", text)
	}
	give()
	if n := len(w.desk.waitingDeclared(w.key("one"))); n != 1 {
		t.Errorf("%d declarations of the same wait", n)
	}
	w.write("a", "2")
	if w.ledger().names("a") {
		t.Fatal("declared before a hook ran")
	}
	w.stop("one")
	s := w.ledger()
	was := "file:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" // of "1"
	if !s.holds("a", was) || !s.holds("b", was) || !slices.Equal(s.paths[pathKey("a")].Items, []string{"tasks/reader.md"}) {
		t.Errorf("declared %+v", s.paths)
	}
	if got := w.meta("tasks/reader.md").Status; got != chronicle.Doing {
		t.Errorf("the item is %s", got)
	}
	if task.PendingDrop(w.desk.Env, w.key("one")) {
		t.Error("something is left in the drop box")
	}
}

func TestALateDropForgetsAndReplacesNothing(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	id := w.prompt("one")
	w.write("a", "1")
	x := &declaring{Review: id, at: w.now()}
	if err := w.desk.lookAround(t.Context(), task.Receipt{TaskKey: w.key("one")}, x); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.dropDeclared(t.Context(), w.key("one"), x); err != nil {
		t.Fatal(err)
	}
	w.write("a", "2")
	w.write("b", "1")
	w.answered(Request{Review: id, Declare: Declare{NoTask: true}})
	before := w.ledger()
	w.stop("one")
	after := w.ledger()
	for _, path := range []string{"a", "b"} {
		if !after.holds(path, before.paths[pathKey(path)].Content) {
			t.Errorf("%s is %+v, was %+v", path, after.paths[pathKey(path)], before.paths[pathKey(path)])
		}
	}
}

func TestADropThatIsTooLargeIsTrimmedAndSaysSo(t *testing.T) {
	t.Parallel()
	x := declaring{Trees: []look{{TreeState: task.TreeState{Whole: true, Contents: map[string]string{"a": "file:1", "b": "file:2"}}}}}
	x.trim(1000)
	if tree := x.Trees[0]; !tree.Whole || len(tree.Contents) != 2 {
		t.Errorf("%+v", tree)
	}
	x.trim(20)
	if tree := x.Trees[0]; tree.Whole || len(tree.Contents) != 1 || tree.Contents["a"] == "" {
		t.Errorf("%+v", tree)
	}
}
