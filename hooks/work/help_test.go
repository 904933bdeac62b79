package work

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/temptest"
	"chatrail/hooks"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

func TestMain(m *testing.M) {
	temptest.InMemory()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_DIR": "", "GIT_WORK_TREE": "", "GIT_INDEX_FILE": "",
	} {
		var err error
		if value == "" {
			err = os.Unsetenv(name)
		} else {
			err = os.Setenv(name, value)
		}
		if err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// backends are the ones that a project's bundle can live on.
var backends = []string{"git", "directory"}

// checker is what a world tells what goes wrong: a test, or a property's run.
type checker interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// world is a user with a home and a project.
type world struct {
	t       checker
	project string
	desk    *Desk
	clock   *atomic.Int64 // seconds: every look at it is a moment later
	prompts *atomic.Int64
}

// newWorld has a project without a bundle: a repository, or a plain folder.
func newWorld(t testing.TB, backend string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, project: filepath.Join(root, "home", "project"), clock: new(atomic.Int64), prompts: new(atomic.Int64)}
	for _, dir := range []string{w.project, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if backend == "git" {
		if out, err := exec.Command("git", "init", "-q", "-b", "main", w.project).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	env := map[string]string{
		"HOME": filepath.Join(root, "home"), "TMPDIR": filepath.Join(root, "tmp"),
		hooks.Patience: "20000", // a busy machine is not what these tests are about
	}
	w.desk = NewDesk(task.Home{Dir: filepath.Join(root, "home", "state")}, func(name string) string { return env[name] }, w.project)
	w.desk.Now = w.now
	return w
}

// newProject has a bundle in its default state.
func newProject(t testing.TB, backend string) *world {
	t.Helper()
	w := newWorld(t, backend)
	if _, err := w.desk.Init(t.Context(), InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// onBackends runs a test on a project of each backend.
func onBackends(t *testing.T, test func(t *testing.T, w *world)) {
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			test(t, newProject(t, backend))
		})
	}
}

func (w *world) now() time.Time {
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(w.clock.Add(1)) * time.Minute)
}

// key is a task of this world alone: a drop box is looked for in the shared
// temporary folder as well.
func (w *world) key(session string) string { return task.Key(w.session(session)) }

func (w *world) session(name string) string { return w.project + " " + name }

// deliver sends an event to the hook as the full program does.
func (w *world) deliver(session string, ev turn.Event) agent.Words {
	w.t.Helper()
	names := map[turn.Kind]string{
		turn.SessionStart: "SessionStart", turn.Prompt: "UserPromptSubmit", turn.Stop: "Stop", turn.SessionEnd: "SessionEnd",
	}
	engine := &hooks.Engine{Home: w.desk.Home, Env: w.desk.Env, Now: w.now, Store: w.desk, Program: "chatrail"}
	said, err := engine.Deliver(context.Background(), agent.Payload{
		Host: agent.Claude, EventName: names[ev.Kind], Event: ev, SessionID: w.session(session), CWD: w.project,
	})
	if err != nil {
		w.t.Fatalf("%s: %v", ev.Kind, err)
	}
	return said
}

// prompt begins a turn and returns the id of its review.
func (w *world) prompt(session string) string {
	w.t.Helper()
	n := w.prompts.Add(1)
	w.deliver(session, turn.Event{Kind: turn.Prompt, Prompt: turn.Words, Turn: fmt.Sprint("turn ", n), PromptHash: fmt.Sprint(n)})
	receipt := w.receipt(session)
	if receipt.Turn.Review == nil || receipt.Turn.Review.Status != turn.Pending {
		w.t.Fatal("the prompt opened no review")
	}
	return receipt.Turn.Review.ID
}

func (w *world) stop(session string) agent.Words {
	w.t.Helper()
	return w.deliver(session, turn.Event{Kind: turn.Stop})
}

func (w *world) receipt(session string) task.Receipt {
	w.t.Helper()
	receipt, err := w.desk.Home.LoadReceipt(w.key(session))
	if err != nil {
		w.t.Fatal(err)
	}
	return receipt
}

// forget does something and then takes the receipt back to what it was before,
// as if the process had died before it wrote it.
func (w *world) forget(session string, do func()) {
	w.t.Helper()
	path := filepath.Join(w.desk.Home.Dir, "receipts", w.key(session)+".json")
	before, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	do()
	if err := os.WriteFile(path, before, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// north is a request that names a North; the reason is the North as well.
func north(review, text string) Request {
	return Request{Review: review, Reason: text, Short: bundle.Short{North: &text}}
}

// now is one that says where the work stands.
func now(review, text string) Request {
	return Request{Review: review, Reason: text, Short: bundle.Short{Now: &text}}
}

func (w *world) reconcile(r Request) (*Answer, error) {
	return w.desk.Reconcile(context.Background(), r)
}

// recorded is reconcile for a request that has to make a revision.
func (w *world) recorded(r Request) *Answer {
	w.t.Helper()
	a, err := w.reconcile(r)
	if err != nil {
		w.t.Fatal(err)
	}
	if a.Outcome != Recorded {
		w.t.Fatalf("%q is %s, not recorded", r.Reason, a.Outcome)
	}
	return a
}

// drop leaves an answer where a command in a sandbox leaves it.
func (w *world) drop(session string, r Request) string {
	w.t.Helper()
	receipt := w.receipt(session)
	q, _, err := asks(receipt, r.Review)
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := w.desk.drop(context.Background(), receipt.TaskKey, receipt, q, r, change{Patch: r.Patch, Short: r.Short})
	if err != nil {
		w.t.Fatal(err)
	}
	if a.Outcome != Kept {
		w.t.Fatalf("the answer is %s, not kept", a.Outcome)
	}
	return a.Dropped
}

// scope is the project's bundle, read by a person.
func (w *world) scope() *Scope {
	w.t.Helper()
	s, err := w.desk.Scope(context.Background(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// reasons lists the reasons in the history, oldest first, without the genesis.
func (w *world) reasons() []string {
	w.t.Helper()
	var reasons []string
	err := w.scope().Store.Walk(context.Background(), "", func(r *bundle.Revision) (bool, error) {
		if r.Event.ReviewID != bundle.ReviewGenesis {
			reasons = append([]string{r.Event.Reason}, reasons...)
		}
		return true, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return reasons
}

func (w *world) tip() *bundle.Revision {
	w.t.Helper()
	rev, err := w.scope().Tip(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return rev
}
