package work

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks"
	"chatrail/hooks/task"
)

// check is the gate's verdict for a session, "" for a person. A busy machine is
// not what these tests are about.
func (w *world) check(session string) CheckResult {
	w.t.Helper()
	env := w.desk.Env
	d := *w.desk
	d.Env = func(name string) string {
		if name == hooks.Patience {
			return "60000"
		}
		return env(name)
	}
	o := CheckOptions{}
	if session != "" {
		o.Session = w.session(session)
	}
	return d.Check(context.Background(), o)
}

func (w *world) closed(session string, paths ...string) CheckResult {
	w.t.Helper()
	r := w.check(session)
	if r.Open || !slices.Equal(r.Undeclared, paths) || r.Command == "" {
		w.t.Fatalf("the gate says %+v, not closed for %q", r, paths)
	}
	return r
}

func (w *world) opens(session string) {
	w.t.Helper()
	if r := w.check(session); !r.Open || r.Doubt != "" {
		w.t.Fatalf("the gate says %+v", r)
	}
}

func TestAWrittenDraftOpensTheGate(t *testing.T) {
	t.Parallel()
	mine, theirs := "one", "two"
	for name, c := range map[string]struct {
		entry func(w *world) bundle.Note
		open  bool
		verb  string
	}{
		"none":              {nil, false, "new"},
		"written":           {func(w *world) bundle.Note { return w.entry("Mine", w.key(mine), chronicle.Block{Text: "Why."}) }, true, ""},
		"empty":             {func(w *world) bundle.Note { return w.entry("Mine", w.key(mine), chronicle.Block{}) }, false, "append"},
		"derived alone":     {func(w *world) bundle.Note { return w.entry("Mine", w.key(mine), derivedBlock("")) }, false, "append"},
		"derived and prose": {func(w *world) bundle.Note { return w.entry("Mine", w.key(mine), derivedBlock("Why.")) }, true, ""},
		"of another task":   {func(w *world) bundle.Note { return w.entry("Theirs", w.key(theirs), chronicle.Block{Text: "Why."}) }, false, "new"},
		"published": {func(w *world) bundle.Note {
			n := w.entry("Mine", w.key(mine), chronicle.Block{Text: "Why."})
			n.Data, _ = chronicle.Stamp(n.Data, []chronicle.Commit{{ID: strings.Repeat("1", 40)}})
			return n
		}, false, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProject(t, "git")
			w.write("a", "1")
			w.git("add", "a")
			if c.entry != nil {
				w.put(c.entry(w))
			}
			if c.open {
				w.opens(mine)
				return
			}
			if r := w.closed(mine, "a"); !strings.HasPrefix(r.Command, "chatrail "+c.verb+" --session-id ") {
				t.Errorf("the line is %q", r.Command)
			}
			// What the line does: a text in the active draft, or a new draft with one.
			w.put(w.entry("What this commit does", w.key(mine), chronicle.Block{Text: "and why"}))
			w.opens(mine)
		})
	}
}

// derivedBlock is the block of a checkpoint.
func derivedBlock(prose string) chronicle.Block {
	c := chronicle.Checkpoint{North: "Ship it", Changed: []chronicle.Path{{Path: "a", State: " M"}}}
	return chronicle.Block{State: c.Fingerprint(), Text: c.Text(prose)}
}

func TestAPersonsDraftOpensTheGateForAPerson(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.write("a", "1")
	w.git("add", "a")
	if r := w.closed("", "a"); r.Command != `chatrail new "what this commit does" "and why"` {
		t.Errorf("the line is %q", r.Command)
	}
	w.put(w.entry("Mine", "", chronicle.Block{}))
	if r := w.closed("", "a"); r.Command != `chatrail append "what this commit does"` {
		t.Errorf("the line is %q", r.Command)
	}
	w.put(w.entry("Newer", "", chronicle.Block{Text: "what this commit does"}))
	w.opens("")
}

// TestAPartOfWhatWasDeclaredIsStillDeclared is about the staged side: the file has
// gone on since.
func TestAPartOfWhatWasDeclaredIsStillDeclared(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"as it is": "one\ntwo\n", "with CRLF": "one\r\ntwo\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProject(t, "git")
			w.git("config", "core.autocrlf", "true")
			w.git("config", "core.safecrlf", "false")
			id := w.prompt("one")
			w.write("a", text)
			w.answered(Request{Review: id, Declare: Declare{NoTask: true}})
			w.git("add", "a")
			w.write("a", text+"three\r\n")
			w.opens("one")
			w.git("add", "a")
			w.closed("one", "a")
		})
	}
}

func TestWhateverGoesWrongOpensTheGate(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.write("a", "1")
	w.git("add", "a")
	w.prompt("one")
	w.closed("one", "a")

	over, cancel := context.WithCancel(t.Context())
	cancel()
	if r := w.desk.Check(over, CheckOptions{}); !r.Open || r.Doubt == "" || len(r.Words()) != 1 {
		t.Errorf("after the deadline: %+v", r)
	}

	bug := *w.desk
	bug.Env = func(name string) string {
		if name == "HOME" {
			panic("a bug\nof two lines")
		}
		return ""
	}
	r := bug.Check(t.Context(), CheckOptions{})
	if !r.Open || !strings.Contains(r.Doubt, "bug: a bug") || strings.Contains(r.Doubt, "\n") {
		t.Errorf("a bug: %+v", r)
	}

	gone := *w.desk
	gone.Dir = ""
	if r := gone.Check(t.Context(), CheckOptions{}); !r.Open || r.Doubt != "" {
		t.Errorf("without a folder: %+v", r)
	}

	// What the gate remembers cannot be read: it might refuse for good.
	path := filepath.Join(w.desk.Home.Dir, "declared", "gate-"+w.key("one")+".json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.check("one"); !r.Open || r.Doubt == "" {
		t.Errorf("damaged memory: %+v", r)
	}
}

func TestWhatWaitsInTheDropBoxOpensTheGate(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.write("a", "1")
	w.write("b", "1")
	w.git("add", "a")
	x := &declaring{Review: w.prompt("one"), at: w.now()}
	w.closed("one", "a")
	if err := w.desk.lookAround(t.Context(), task.Receipt{TaskKey: w.key("one")}, x); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.dropDeclared(t.Context(), w.key("one"), x); err != nil {
		t.Fatal(err)
	}
	w.opens("one")
	w.closed("two", "a")
	// In a sandbox nothing is remembered: the path counts, with any content, until
	// HEAD moves.
	w.write("a", "2")
	w.git("add", "a")
	w.opens("one")
	w.git("commit", "-q", "-m", "x")
	w.write("a", "3")
	w.git("add", ".")
	w.closed("one", "a")
}

func TestTheGateIsAsQuietAboutALongList(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	for i := range 50 {
		w.write(fmt.Sprintf("new\n\x1b[31m%02d", i), "1")
	}
	w.git("add", ".")
	w.prompt("one")
	r := w.check("one")
	text := strings.Join(r.Words(), "\n")
	if len(r.Undeclared) != 50 || strings.Count(text, "\n") != 2 || len(text) > 600 || strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "and 47 more") {
		t.Errorf("said %q", text)
	}
}

// TestTheLineThatIsPrintedAlwaysOpensTheGate stages at random, and does what the
// gate says.
func TestTheLineThatIsPrintedAlwaysOpensTheGate(t *testing.T) {
	t.Parallel()
	for seed := range 12 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newProject(t, "git")
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			id := w.prompt("one")
			var log []string
			for range 4 {
				for range 1 + r.IntN(6) {
					log = append(log, w.stageSomething(r))
				}
				verdict := w.check("one")
				if !verdict.Open {
					if want := "chatrail reconcile " + id + " --no-task"; verdict.Command != want {
						t.Fatalf("the line is %q, not %q", verdict.Command, want)
					}
					w.answered(Request{Review: id, Declare: Declare{NoTask: true}})
					verdict = w.check("one")
				}
				if !verdict.Open || verdict.Doubt != "" {
					t.Fatalf("the gate says %+v after %q", verdict, log)
				}
				if r.IntN(2) == 0 {
					w.git("commit", "-q", "--allow-empty", "-m", "x")
				}
			}
		})
	}
}

// stageSomething changes the work tree or the index, and says what it did.
func (w *world) stageSomething(r *rand.Rand) string {
	w.t.Helper()
	name := []string{"a", "b", "dir/c", "dir/d", "é", "sp ace", "\xff", `"q"`}[r.IntN(8)]
	path := filepath.Join(w.project, name)
	step := []string{"write", "remove", "run", "link", "folder", "add", "told", "uncache", "all", "reset", "move", "ignore"}[r.IntN(12)]
	try := func(args ...string) {
		_ = exec.Command("git", append([]string{"-C", w.project}, args...)...).Run() // it may refuse: the path may not be there
	}
	switch step {
	case "write":
		_ = os.RemoveAll(path)
		w.write(name, fmt.Sprint(r.IntN(3)))
	case "remove":
		_ = os.RemoveAll(path)
	case "run":
		_ = os.Chmod(path, 0o700)
	case "link":
		_ = os.RemoveAll(path)
		_ = os.Symlink([]string{"a", "nowhere"}[r.IntN(2)], path)
	case "folder":
		_ = os.RemoveAll(path)
		w.write(name+"/inner", "1")
	case "add":
		try("add", "-f", "--", name)
	case "told":
		try("add", "-N", "-f", "--", name)
	case "uncache":
		try("rm", "-q", "-r", "--cached", "--", name)
	case "all":
		try("add", "-A")
	case "reset":
		try("reset", "-q", "--", name)
	case "move":
		try("mv", "-k", name, "moved")
	case "ignore":
		w.write(".gitignore", []string{"dir\n", "a\n", "*\n", ""}[r.IntN(4)])
	}
	return step + " " + name
}
