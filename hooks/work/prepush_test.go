package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/task"
	"chatrail/refs"
)

const (
	projectRef = "refs/chatrail/project"
	pushed     = "refs/heads/main 1 refs/heads/main 0\n"
)

// errNoHost is what a remote that cannot be reached comes to.
var errNoHost = errors.New("could not resolve host")

// carriage is a stand-in for what takes the orientation along.
type carriage struct {
	calls  int
	result CarryResult
	err    error
	do     func(ctx context.Context)
}

func (c *carriage) carry(ctx context.Context, remote, url string) (CarryResult, error) {
	c.calls++
	if c.do != nil {
		c.do(ctx)
	}
	return c.result, c.err
}

// pushing is a desk whose pushes take c along.
func (w *world) pushing(c *carriage) *Desk {
	d := *w.desk
	d.Carry = c.carry
	return &d
}

// push is a push to a remote, and what is said of it.
func push(t testing.TB, d *Desk, remote string) []string {
	t.Helper()
	return d.PrePush(t.Context(), remote, "https://host.example/"+remote, strings.NewReader(pushed)).Lines
}

// said compares what was said with how each line begins.
func (w *world) said(lines []string, want ...string) {
	w.t.Helper()
	if len(lines) != len(want) {
		w.t.Fatalf("%q, not %q", lines, want)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) || strings.ContainsAny(line, "\n\r") {
			w.t.Errorf("%q, not %q", line, want[i])
		}
	}
}

func (w *world) owed(ref string) []task.Owed {
	w.t.Helper()
	repo, err := refs.Discover(w.project)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := w.desk.Home.Owed(task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: ref})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestAPushThatGetsThroughIsSilentAndWritesNothing(t *testing.T) {
	w := newProject(t, "git")
	c := &carriage{}
	d := w.pushing(c)
	for range 2 {
		w.said(push(t, d, "origin"))
	}
	if _, err := os.Stat(filepath.Join(d.Home.Dir, "queue")); c.calls != 2 || err == nil {
		t.Errorf("called %d times; %v", c.calls, err)
	}
}

// A reason is said once, another one again, and that it got there once more.
func TestWhatIsOwedIsSaidOnceAndThatItArrivedOnce(t *testing.T) {
	w := newProject(t, "git")
	c := &carriage{err: errNoHost}
	d := w.pushing(c)
	w.said(push(t, d, "origin"), "chatrail: the orientation did not go along to origin: could not resolve host; the next push")
	w.said(push(t, d, "origin"))
	c.err = errors.New("refused by a hook")
	w.said(push(t, d, "origin"), "chatrail: the orientation did not go along to origin: refused by a hook;")
	w.said(push(t, d, "origin"))
	w.said(push(t, d, "backup"), "chatrail: the orientation did not go along to backup: refused by a hook;")
	if all := w.owed(projectRef); len(all) != 2 || all[0].Tried != 4 || all[0].URL != "https://host.example/origin" {
		t.Errorf("%+v", all)
	}
	c.err = nil
	w.said(push(t, d, "origin"), "chatrail: the orientation, owed to origin, has arrived")
	w.said(push(t, d, "origin"))
	if all := w.owed(projectRef); len(all) != 1 || all[0].Name != "backup" {
		t.Errorf("%+v", all)
	}
}

// One line tells of any number of roads, and what got through is not owed.
func TestARoadThatIsRefusedDoesNotHoldTheOthersUp(t *testing.T) {
	w := newProject(t, "git")
	tip := w.git("rev-parse", projectRef)
	for i := range 5 {
		w.git("update-ref", fmt.Sprint("refs/chatrail/task/t", i), tip)
	}
	w.git("update-ref", "refs/chatrail/at/below", tip)
	w.git("update-ref", "refs/chatrail/other", tip) // not a bundle's
	c := &carriage{err: errNoHost}
	d := w.pushing(c)
	w.said(push(t, d, "origin"), "chatrail: the orientation did not go along")
	if len(w.owed("refs/chatrail/task/t4")) != 1 || len(w.owed("refs/chatrail/at/below")) != 1 || len(w.owed("refs/chatrail/other")) != 0 {
		t.Error("not all of them are owed, or more")
	}
	c.err, c.result.Kept = nil, []KeptRef{{"refs/chatrail/task/t3", "hidden"}, {"refs/chatrail/elsewhere", "hidden"}}
	w.said(push(t, d, "origin"), "chatrail: refs/chatrail/task/t3 did not go along to origin: hidden;", "chatrail: the orientation, owed to origin, has arrived")
	if len(w.owed("refs/chatrail/task/t4")) != 0 || len(w.owed("refs/chatrail/task/t3")) != 1 {
		t.Error("not settled")
	}
	c.result.Kept = append(c.result.Kept, KeptRef{Ref: "refs/chatrail/task/t1", Why: "hidden"}, KeptRef{Ref: "refs/chatrail/task/t2", Why: "\n"})
	w.said(push(t, d, "origin"), "chatrail: refs/chatrail/task/t1 and 1 more did not go along to origin: hidden; no reason was given;")
}

// Git has looked where the references of a push are: one that ours moved in the
// meantime would be refused.
func TestAPushOfOurReferencesIsLeftAlone(t *testing.T) {
	w := newProject(t, "git")
	c := &carriage{}
	d := w.pushing(c)
	for in, calls := range map[string]int{
		"":                            1, // everything is up to date
		pushed:                        1,
		"(delete) 0 refs/heads/x 1\n": 1,
		"HEAD^{/refs/chatrail/ x} 1 refs/heads/x 0\n":                                 1,
		"refs/chatrail/project 1 refs/heads/x 0\n":                                    1, // to a branch
		pushed + "refs/chatrail/project 1 refs/chatrail/project 0\n":                  0,
		"HEAD^{/a b} 1 refs/chatrail/project 0\n":                                     0,
		"(delete) 0 refs/chatrail/task/x 1":                                           0,
		strings.Repeat("x", 100<<10) + " 1 refs/heads/x 0\n":                          0, // longer than a reference can be
		strings.Repeat(pushed, 20_000) + "refs/heads/x 1 refs/chatrail/project 0\n\n": 0,
	} {
		c.calls = 0
		if got := d.PrePush(t.Context(), "origin", "u", strings.NewReader(in)); c.calls != calls || len(got.Lines) > 0 {
			t.Errorf("%.100q: called %d times; %q", in, c.calls, got.Lines)
		}
	}
}

func TestThereIsNothingToTakeAlong(t *testing.T) {
	for name, w := range map[string]*world{"no bundle": newWorld(t, "git"), "no repository": newProject(t, "directory")} {
		c := &carriage{err: errNoHost}
		w.said(push(t, w.pushing(c), "origin"))
		if c.calls > 0 {
			t.Errorf("%s: carried", name)
		}
	}
	w := newProject(t, "git")
	c := &carriage{err: errNoHost}
	w.said(w.pushing(c).PrePush(t.Context(), "", "", strings.NewReader(pushed)).Lines)
	w.said(push(t, w.desk, "origin")) // by nothing
	if c.calls > 0 {
		t.Error("carried to nowhere")
	}
}

func TestAPausedPlaceIsNotTakenAlong(t *testing.T) {
	w := newProject(t, "git")
	w.git("update-ref", "refs/chatrail/task/x", projectRef)
	c := &carriage{err: errNoHost}
	d := w.pushing(c)
	for _, off := range []bool{true, false} {
		if _, err := w.desk.Pause(t.Context(), off, ""); err != nil {
			t.Fatal(err)
		}
		push(t, d, "origin")
	}
	if c.calls != 1 {
		t.Errorf("carried %d times", c.calls)
	}
	w.prompt("s")
	in := w.as("s", w.project)
	in.Carry = c.carry
	if _, err := in.Pause(t.Context(), true, ""); err != nil {
		t.Fatal(err)
	}
	if push(t, in, "origin"); c.calls != 1 {
		t.Error("a paused task carried")
	}
	if push(t, d, "origin"); c.calls != 2 {
		t.Error("the pause of a task stopped a person")
	}
}

// A bug is the reason of that push, said once, and what is known of it is kept.
func TestABugWhileCarryingIsOneLineAndKept(t *testing.T) {
	w := newProject(t, "git")
	c := &carriage{do: func(context.Context) { panic("index out of range\nwith ghp_" + strings.Repeat("a1B2", 9)) }}
	d := w.pushing(c)
	w.said(push(t, d, "origin"), "chatrail: the orientation did not go along to origin: a bug in chatrail, kept in crash/pre-push.txt of the state home: index out of range")
	w.said(push(t, d, "origin"))
	kept, err := os.ReadFile(filepath.Join(d.Home.Dir, "crash", "pre-push.txt"))
	if err != nil || !strings.Contains(string(kept), "prepush_test.go") || strings.Contains(string(kept), token(0)) {
		t.Errorf("%v, %s", err, kept)
	}
	c.do = nil
	w.said(push(t, d, "origin"), "chatrail: the orientation, owed to origin, has arrived")
}

// What does not end is left behind and owed; what ends late says so.
func TestWhatTakesTooLongIsOwed(t *testing.T) {
	w := newProject(t, "git")
	release := make(chan struct{})
	defer close(release)
	for name, do := range map[string]func(ctx context.Context){
		"deaf":  func(context.Context) { <-release },
		"heeds": func(ctx context.Context) { <-ctx.Done() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			time.AfterFunc(time.Millisecond, cancel) // the time is up at once
			defer cancel()
			d := w.pushing(&carriage{do: do, err: context.DeadlineExceeded})
			late := make(chan bool, 1)
			go func() {
				got := d.PrePush(ctx, name, "u", strings.NewReader(pushed))
				late <- got.Late
			}()
			select {
			case was := <-late:
				if !was {
					t.Error("not late")
				}
			case <-time.After(20 * time.Second):
				t.Fatal("waited for")
			}
		})
	}
	// With time left for it, it is written down.
	ctx, cancel := context.WithTimeout(t.Context(), stopTime+time.Millisecond)
	defer cancel()
	d := w.pushing(&carriage{do: func(ctx context.Context) { <-ctx.Done() }, err: fmt.Errorf("git: %w", context.DeadlineExceeded)})
	got := d.PrePush(ctx, "origin", "u", strings.NewReader(pushed))
	w.said(got.Lines, "chatrail: the orientation did not go along to origin: no answer in the time that a push may wait;")
	if !got.Late || len(w.owed(projectRef)) == 0 {
		t.Errorf("%+v", got)
	}
}

// Where nothing can be remembered the push goes on, with a line that says so.
func TestAnUnusableStateHomeIsOneLine(t *testing.T) {
	w := newProject(t, "git")
	w.git("update-ref", "refs/chatrail/task/x", projectRef)
	d := w.pushing(&carriage{err: errNoHost})
	if err := os.WriteFile(filepath.Join(d.Home.Dir, "queue"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.said(push(t, d, "origin"), "chatrail: the orientation did not go along to origin: could not resolve host; it cannot be noted as owed either: ")
	d.Carry = (&carriage{}).carry
	w.said(push(t, d, "origin"))
	d.Home = task.Home{}
	w.said(push(t, d, "origin"))
}

// Neither what is said nor what is kept has what lets somebody in.
func TestWhatIsOwedHoldsNoCredentials(t *testing.T) {
	w := newProject(t, "git")
	d := w.pushing(&carriage{err: errors.New("unable to access 'https://x:" + token(0) + "@host.example/': \x1b[31mno\n<b>route</b>")})
	address := "https://user:" + token(0) + "@host.example/x"
	lines := d.PrePush(t.Context(), address, address, strings.NewReader(pushed)).Lines
	w.said(lines, "chatrail: the orientation did not go along to https://host.example/x: unable to access")
	all := w.owed(projectRef)
	if text := fmt.Sprint(lines, all); strings.Contains(text, token(0)) || strings.ContainsAny(text, "\x1b<>") {
		t.Error(text)
	}
	if all[0].URL != "" {
		t.Errorf("%+v", all[0])
	}
	for in, want := range map[string]string{
		"origin": "origin", "../r.git": "../r.git", "/a b/r.git": "/a b/r.git", "git@host:x/y.git": "git@host:x/y.git",
		"ssh://git@host/x": "ssh://git@host/x", "ssh://git:pw@host:22/x": "ssh://git@host:22/x", "git+ssh://u:pw@host/x": "git+ssh://u@host/x",
		"https://host/x@y": "https://host/x@y", "https://token@host/x": "https://host/x", "https://u:p@host/@scope/x?y#z": "https://host/@scope/x?y#z",
		"https://u:p/w@host/x": "https://host/x", "https://u:p%@host/x": "https://host/x", "file:///r.git": "file:///r.git", "://": "://",
	} {
		if got := withoutCredentials(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}

// Git's variables say which repository is pushed from.
func TestTheRepositoryIsTheOneThatGitNames(t *testing.T) {
	w, other := newProject(t, "git"), newWorld(t, "git")
	c := &carriage{}
	d := w.as("", other.project, "GIT_DIR="+filepath.Join(w.project, ".git"))
	d.Carry = c.carry
	if push(t, d, "origin"); c.calls != 1 {
		t.Error("not carried")
	}
	d = w.as("", w.project, "GIT_DIR="+filepath.Join(other.project, ".git"))
	d.Carry = c.carry
	if push(t, d, "origin"); c.calls != 1 {
		t.Error("carried from elsewhere")
	}
}

func TestStatusListsWhatIsOwed(t *testing.T) {
	w := newProject(t, "git")
	w.git("remote", "add", "origin", "../nowhere.git")
	push(t, w.pushing(&carriage{err: errNoHost}), "origin")
	st, err := w.desk.Status(t.Context(), "")
	if err != nil || len(st.Owed) != 1 || st.Owed[0].Name != "origin" || st.Owed[0].Reason != "could not resolve host" {
		t.Fatalf("%+v, %v", st, err)
	}
	files, err := filepath.Glob(filepath.Join(w.desk.Home.Dir, "queue", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err = w.desk.Status(t.Context(), "")
	if err != nil || len(st.NotSettled) != 1 || !strings.Contains(st.NotSettled[0], "owed to remotes cannot be read") {
		t.Errorf("%+v, %v", st, err)
	}
}

func FuzzPushesOurs(f *testing.F) {
	f.Add(pushed)
	f.Add("HEAD^{/a b} 1 refs/chatrail/project 0\n")
	f.Add("(delete) 0 refs/chatrail/x 1")
	f.Fuzz(func(t *testing.T, in string) {
		if pushesOurs(strings.NewReader(in)) && !strings.Contains(in, refs.Namespace) && len(in) < 60<<10 {
			t.Errorf("%q is taken for ours", in)
		}
	})
}

func FuzzWithoutCredentials(f *testing.F) {
	f.Add("https://u:secret@host/x")
	f.Add("https://u:sec/ret@host/x")
	f.Fuzz(func(t *testing.T, in string) {
		clean := withoutCredentials(in)
		if again := withoutCredentials(clean); again != clean {
			t.Errorf("%q became %q and then %q", in, clean, again)
		}
	})
}
