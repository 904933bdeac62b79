//go:build agents

package clients

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/agent/clients/model"
)

// limit is how long anything that a scenario waits for may take. It is there
// for what never comes; nothing is measured.
const limit = 120 * time.Second

// two scenarios run at a time: each is a client, its helpers and its hooks.
var slots = make(chan struct{}, 2)

// run is one scenario: a home, a repository with an orientation, and a model.
type run struct {
	t     *testing.T
	dir   string // of the scenario
	home  string
	work  string // the repository
	bin   string // where chatrail is
	tmp   string // the temporary folder, "" for the machine's own
	model *model.Server
	terms []*terminal
	ran   []*turn
	// running is the client that runs without a terminal, or did last.
	running atomic.Pointer[os.Process]
	// settled is what a person's git says of the repository before any client ran.
	settled string
	// careful says that the person allows no tools beforehand.
	careful bool
}

// scene starts a scenario with a script for the model.
func scene(t *testing.T, script ...model.Rule) *run {
	t.Helper()
	t.Parallel()
	slots <- struct{}{}
	t.Cleanup(func() { <-slots })
	base, err := scenes()
	must(t, err)
	dir, err := os.MkdirTemp(base, "scene-")
	must(t, err)
	// A blank and both quotes in the path of the programs: what is registered and
	// what is printed has to be quoted.
	r := &run{t: t, dir: dir, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"), bin: filepath.Join(dir, `the person's "tools"`), tmp: filepath.Join(dir, "tmp")}
	for _, sub := range []string{r.home, r.work, r.tmp, filepath.Join(dir, callFolder)} {
		must(t, os.Mkdir(sub, 0o700))
	}
	lay(t, r.bin)
	must(t, os.WriteFile(filepath.Join(r.home, ".gitconfig"), []byte("[user]\n\tname = A Person\n\temail = person@example.invalid\n[init]\n\tdefaultBranch = main\n"), 0o600))
	r.model = model.Start(script...)
	t.Cleanup(r.end)
	r.git("init", "-q", ".")
	must(t, os.WriteFile(filepath.Join(r.work, "README.md"), []byte("demo\n"), 0o600))
	r.git("add", "README.md")
	r.git("commit", "-q", "-m", "one")
	r.chatrail("init")
	r.settled = r.everythingOfTheUser()
	return r
}

// end closes the scenario; where it failed, it shows what happened.
func (r *run) end() {
	for _, term := range r.terms {
		term.kill()
	}
	r.endLeftovers()
	r.model.Close()
	if r.t.Failed() {
		r.show()
	}
	if os.Getenv(keepVariable) == "" {
		if err := os.RemoveAll(r.dir); err != nil {
			r.t.Log("left behind:", err) // a client that still writes
		}
	}
}

// endLeftovers ends what a client left running out of its home: Codex starts a
// daemon there. Where there is no /proc nothing is found.
func (r *run) endLeftovers() {
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // the pattern is good
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, r.home+string(filepath.Separator)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended just now
		}
	}
}

// searchPath has node, which most clients are written for.
func searchPath() string {
	node := ""
	if path, err := exec.LookPath("node"); err == nil {
		node = filepath.Dir(path) + ":"
	}
	return node + "/usr/local/bin:/usr/bin:/bin"
}

// environment is all that a client is given beside what it needs itself.
func (r *run) environment(more ...string) []string {
	env := []string{"PATH=" + searchPath(), "HOME=" + r.home, "LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/bash", "USER=somebody",
		"DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1", "NO_UPDATE_NOTIFIER=1",
		// What looks for the world outside finds the model, which refuses it.
		"HTTPS_PROXY=" + r.model.URL(), "https_proxy=" + r.model.URL(), "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
		"GIT_SSH_COMMAND=false",
		// A hook gives up after two seconds, too few for a machine that is busy with much
		// else; clients wait for ten.
		"CHATRAIL_HOOK_TIMEOUT=8000"}
	if r.tmp != "" {
		env = append(env, "TMPDIR="+r.tmp)
	}
	return append(env, more...)
}

// command is a program run by a person in the repository.
func (r *run) command(program string, args ...string) (string, error) {
	return r.commandIn(r.work, nil, program, args...)
}

// commandIn is command in another folder, or with more in the environment.
func (r *run) commandIn(dir string, env []string, program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Dir, c.Env = dir, r.environment(env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		err = errors.New(filepath.Base(program) + " " + strings.Join(args, " ") + ": " + err.Error() + ": " + stderr.String())
	}
	return strings.TrimRight(string(out), "\n"), err
}

// git runs git as the person does.
func (r *run) git(args ...string) string {
	r.t.Helper()
	out, err := r.command("git", args...)
	must(r.t, err)
	return out
}

// chatrail runs chatrail as the person does.
func (r *run) chatrail(args ...string) string {
	r.t.Helper()
	out, err := r.command(filepath.Join(r.bin, "chatrail"), args...)
	must(r.t, err)
	return out
}

// revisions counts those of the project, and subject is the newest one's.
func (r *run) revisions() int {
	r.t.Helper()
	n, err := strconv.Atoi(r.git("rev-list", "--count", "refs/chatrail/project"))
	must(r.t, err)
	return n
}

func (r *run) subject() string {
	r.t.Helper()
	return r.git("log", "-1", "--format=%s", "refs/chatrail/project")
}

// recorded wants the project to have so many more revisions than before, and
// the newest of them to be about something.
func (r *run) recorded(before, more int, about string) {
	r.t.Helper()
	if n := r.revisions(); n != before+more || !strings.Contains(r.subject(), about) {
		r.t.Errorf("%d revisions became %d, the last %q: want %d more and %q", before, n, r.subject(), more, about)
	}
}

// everythingOfTheUser is what ChatRail never touches. What a scenario itself
// adds to the work tree begins with made-.
func (r *run) everythingOfTheUser() string {
	r.t.Helper()
	status := regexp.MustCompile(`(?m)^\?\? made-.*$\n?`).ReplaceAllString(r.git("--no-optional-locks", "status", "--porcelain"), "")
	return r.git("rev-parse", "HEAD") + "\n" + strings.TrimSpace(status) + "\n" + r.git("write-tree") + "\n" + r.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads") +
		"\n" + r.git("config", "--local", "--list")
}

// until waits for something to become true.
func (r *run) until(what string, holds func() bool) {
	r.t.Helper()
	if !r.waits(limit, holds) {
		r.t.Fatalf("waited in vain for %s", what)
	}
}

// waits says whether something became true in time.
func (r *run) waits(within time.Duration, holds func() bool) bool {
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		if holds() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// mark is a moment of a scenario.
type mark struct{ calls, requests int }

func (r *run) mark() mark { return mark{len(r.calls()), len(r.model.Requests())} }

// turn is what happened since a mark: one prompt and all that came of it.
type turn struct {
	run       *run
	host      agent.Host
	prompt    string
	out, errs string // of a headless run
	exit      int
	calls     []call
	requests  []*model.Request
}

func (r *run) since(m mark) *turn {
	tu := &turn{run: r, calls: r.calls()[m.calls:], requests: r.model.Requests()[m.requests:]}
	r.ran = append(r.ran, tu)
	return tu
}

// of are the calls for one of the client's events, of the task itself and not
// of its sub-agents.
func (tu *turn) of(event string) []call {
	var found []call
	for _, c := range tu.calls {
		if c.payload.Event == event && c.payload.Agent == "" {
			found = append(found, c)
		}
	}
	return found
}

// only is the one call for an event.
func (tu *turn) only(event string) call {
	tu.run.t.Helper()
	found := tu.of(event)
	if len(found) != 1 {
		tu.run.t.Fatalf("%q: %d calls for %s, want one", tu.prompt, len(found), event)
	}
	return found[0]
}

// blocks counts the calls that held up a stop.
func (tu *turn) blocks() int {
	n := 0
	for _, c := range tu.calls {
		if c.block() != "" {
			n++
		}
	}
	return n
}

// reviewed wants the model to have found the review command in what it was
// given, and the client's own shell to have run it with success. It returns
// what the command said.
func (tu *turn) reviewed() string {
	t := tu.run.t
	t.Helper()
	for _, q := range tu.requests {
		if q.Reply.Text == model.NoCommand {
			t.Errorf("%q: the model was not given a review command alone on its line; its newest input:\n%s", tu.prompt, tail(q.Newest, 2000))
			return ""
		}
	}
	for _, q := range tu.requests {
		if code := model.Answer.FindStringSubmatch(q.Newest); code != nil {
			if code[1] != "0" {
				t.Errorf("%q: the review command failed:\n%s", tu.prompt, tail(q.Newest, 2000))
			}
			return q.Newest
		}
	}
	t.Errorf("%q: the review command was not run", tu.prompt)
	return ""
}

// first is the first request whose newest input matches.
func (tu *turn) first(what, expression string) *model.Request {
	tu.run.t.Helper()
	re := regexp.MustCompile(expression)
	for _, q := range tu.requests {
		if re.MatchString(q.Newest) {
			return q
		}
	}
	tu.run.t.Fatalf("%q: no request with %s", tu.prompt, what)
	return nil
}

// show prints what is needed to understand a failure.
func (r *run) show() {
	t := r.t
	for _, c := range r.calls() {
		t.Logf("hook %s", tail(c.String(), 1200))
	}
	for _, q := range r.model.Requests() {
		t.Logf("request %d %s %s, tools %d, newest: %s\n -> %+v", q.N, q.Time.Format("15:04:05.000"), q.Path, len(q.Tools), tail(q.Newest, 700), q.Reply)
	}
	for _, term := range r.terms {
		t.Logf("screen: %s", tail(term.text(), 3000))
	}
	for _, tu := range r.ran {
		if tu.out+tu.errs != "" {
			t.Logf("%q exit %d: %s\n%s", tu.prompt, tu.exit, tail(tu.out, 1000), tail(tu.errs, 2000))
		}
	}
	if other := r.model.Other(); len(other) > 0 {
		t.Logf("also asked for, and refused or answered with nothing: %q", other)
	}
	if out, err := r.command("git", "log", "-8", "--format=%h %s", "refs/chatrail/project"); err == nil {
		t.Logf("revisions:\n%s", out)
	}
}
