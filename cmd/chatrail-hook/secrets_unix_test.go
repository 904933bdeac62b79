//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/secret"
	"chatrail/hooks/secret/secrettest"
)

// leaky is a world in which secrets are said, and everything that was printed.
type leaky struct {
	*world
	outside string // for files that hold the secrets; nobody looks here
	out     bytes.Buffer
	prompts int
}

func newLeaky(t *testing.T, w *world) *leaky {
	t.Helper()
	return &leaky{world: w, outside: t.TempDir()}
}

// say runs a command, whatever it comes to, keeps what it prints and returns it.
func (l *leaky) say(stdin []byte, name string, args ...string) (out string, ok bool) {
	l.t.Helper()
	cmd := l.command(l.project, name, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	data, err := cmd.CombinedOutput()
	l.out.Write(data)
	return string(data), err == nil
}

// review opens one and returns its id.
func (l *leaky) review(session string) string {
	l.t.Helper()
	l.prompts++
	said := l.event("claude", promptFile, map[string]any{"session_id": session, "prompt_id": fmt.Sprint("p", l.prompts), "prompt": fmt.Sprint("go on ", l.prompts)})
	l.out.WriteString(said.text() + said.SystemMessage)
	fields := strings.Fields(said.command())
	if len(fields) == 0 {
		l.t.Fatalf("no review: %q", said)
	}
	return fields[len(fields)-1]
}

func (l *leaky) stop(session string) {
	l.t.Helper()
	said := l.event("claude", stopFile, map[string]any{"session_id": session, "prompt_id": fmt.Sprint("p", l.prompts)})
	l.out.WriteString(said.text() + said.SystemMessage)
}

// file holds a text where nobody looks.
func (l *leaky) file(data []byte) string {
	l.t.Helper()
	path := filepath.Join(l.outside, "patch.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// none looks through everything that was printed or stored.
func (l *leaky) none() {
	l.t.Helper()
	search := secrettest.Search{Kinds: secrettest.Kinds(), Found: func(kind, where string) { l.t.Errorf("the %s is in %s", kind, where) }}
	search.Bytes("the output", l.out.Bytes())
	for _, dir := range []string{l.state, filepath.Join(l.root, "tmp"), l.project} {
		if _, err := search.Folder(dir); err != nil {
			l.t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(l.project, ".git")); err != nil {
		return
	}
	if size, err := search.Repository(l.project, l.env); err != nil || size == 0 {
		l.t.Errorf("%d bytes of objects: %v", size, err)
	}
}

// recorded makes sure that there was something to look at: that the last
// revision holds a mark for every rule.
func (l *leaky) recorded() {
	l.t.Helper()
	out, ok := l.say(nil, "chatrail", "events")
	if !ok {
		l.t.Fatal(out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := lines[len(lines)-1]
	for _, k := range secrettest.Kinds() {
		if !strings.Contains(last, secret.Mark(k.Rule)) {
			l.t.Errorf("no mark of %s in %s", k.Name, last)
		}
	}
}

// patch names every secret: in the texts of the Compass, in summaries and ids.
func patch() (compass, rail []byte) {
	kinds := secrettest.Kinds()
	var route, open []map[string]string
	for i, k := range kinds {
		route = append(route, map[string]string{"id": fmt.Sprint("step-", i), "summary": "use " + k.Text() + " here"})
		open = append(open, map[string]string{"id": fmt.Sprint(i, " ", k.Text()), "summary": k.Text()})
	}
	c, _ := json.Marshal(map[string]any{
		"heading": map[string]any{"coordinate": []int{0, 100}, "context": kinds[0].Text()},
		"drift":   "drift " + kinds[2].Text(), "return_path": kinds[3].Text(),
	})
	r, _ := json.Marshal(map[string]any{"north": "North " + kinds[5].Text(), "next": open[len(open)-1], "open": open[:len(open)-1], "route": route})
	return c, r
}

// reason holds them all.
func reason() string {
	var b strings.Builder
	for _, k := range secrettest.Kinds() {
		b.WriteString("Since " + k.Text() + " was said.\n")
	}
	return b.String()
}

// flags are short forms that hold them all.
func flags() []string {
	var args []string
	kinds := secrettest.Kinds()
	for i, name := range []string{"--north", "--next", "--now", "--drift", "--return"} {
		args = append(args, name, "Words and "+kinds[i].Text()+", and more "+kinds[i+5].Text())
	}
	for _, k := range kinds {
		args = append(args, "--open", "Is "+k.Text()+" right?")
	}
	return args
}

func TestSecretsInAnAnswerAreStoredNowhere(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"git", "private"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			if backend != "git" && os.Getenv("CHATRAIL_LONG") == "" {
				t.Skip("set CHATRAIL_LONG to run it")
			}
			l := newLeaky(t, newWorld(t, backend == "git"))
			compass, rail := patch()
			document := fmt.Appendf(nil, `{"compass":%s,"rail":%s}`, compass, rail)
			for way, give := range map[string]func(id string) (string, bool){
				"flags": func(id string) (string, bool) {
					return l.say(nil, "chatrail", append([]string{"reconcile", id, "--reason", reason()}, flags()...)...)
				},
				"patch": func(id string) (string, bool) {
					return l.say(nil, "chatrail", "reconcile", id, "--reason", reason(), "--compass", string(compass), "--rail", string(rail))
				},
				"file": func(id string) (string, bool) {
					return l.say(nil, "chatrail", "reconcile", id, "--reason", reason(), "--rail", "@"+l.file(rail))
				},
				"stdin": func(id string) (string, bool) {
					return l.say(document, "chatrail", "reconcile", id, "--reason", reason(), "--rail", "-")
				},
			} {
				// Something else in between, so that each answer changes something.
				id := l.review("s1")
				if out, ok := l.say(nil, "chatrail", "reconcile", id, "--reason", way, "--rail", `{"north":"plain","next":null,"route":[],"open":[],"parked":[]}`); !ok {
					t.Fatalf("%s: %s", way, out)
				}
				id = l.review("s1")
				out, ok := give(id)
				if !ok || !strings.Contains(out, "secrets were replaced before anything was stored: ") || !strings.Contains(out, "github-pat") {
					t.Errorf("%s: %s", way, out)
				}
				l.env = append(l.env, "CLAUDE_CODE_SESSION_ID=s1", "CLAUDECODE=1")
				l.recorded()
				l.env = l.env[:len(l.env)-2]
				if out, ok := give(id); !ok || !strings.Contains(out, "answered before") {
					t.Errorf("%s, the same again: %s", way, out)
				}
			}
			l.none()
		})
	}
}

func TestSecretsInARefusedAnswerArePrintedNowhere(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, newWorld(t, true))
	id := l.review("s1")
	for i, k := range secrettest.Kinds() {
		if i%12 != 1 { // short and long ones, with quotes and without
			continue
		}
		text, _ := json.Marshal(k.Text())
		for _, args := range [][]string{
			{id, "--reason", k.Text(), "--answer", k.Text()},
			{id, "--reason", "x", "--park", "a " + k.Text()},
			{id, "--reason", "x", "--heading", k.Text()},
			{id, "--reason", "x", "--rail", `{` + string(text) + `: 1}`},
			{id, "--reason", "x", "--rail", `{"next": ` + string(text) + `}`},
			{id, "--reason", "x", "--rail", `{"route": [` + string(text) + `]}`},
			{id, "--reason", "x", "--compass", `{"heading": ` + string(text) + `}`},
			{id, "--reason", "x", "--compass", `{"drift": ` + string(text)},
			{id, "--north", k.Text()},
			{k.Text()},
			{"--review-id", k.Text(), "--session-id", "s1"},
			{id, "--nothing-like-it=" + k.Text()},
			{id, "surplus", k.Text()},
		} {
			if out, ok := l.say(nil, "chatrail", append([]string{"reconcile"}, args...)...); ok {
				t.Errorf("%q was taken: %s", args, out)
			}
		}
	}
	l.none()
	if n := l.revisions(); n != "1" {
		t.Errorf("%s revisions", n)
	}
}

func TestSecretsWaitNeitherInTheDropBoxNorInTheSpool(t *testing.T) {
	t.Parallel()
	t.Run("drop box", func(t *testing.T) {
		t.Parallel()
		l := newLeaky(t, ordinary(t))
		_, rail := patch()
		id := l.review("s1")
		open := l.seal(l.state, filepath.Join(l.project, ".git"))
		out, ok := l.say(nil, "chatrail", "reconcile", id, "--reason", reason(), "--rail", string(rail))
		if !ok || !strings.Contains(out, "Not recorded yet") || !strings.Contains(out, "secrets were replaced") {
			t.Fatalf("said %s", out)
		}
		if left := files(t, filepath.Join(l.root, "tmp")); len(left) != 1 {
			t.Errorf("the drop box holds %q", left)
		}
		open()
		l.none()
		if out, ok := l.say(nil, "chatrail", "reconcile", id, "--reason", reason(), "--rail", string(rail)); !ok {
			t.Errorf("the same again: %s", out)
		}
		l.stop("s1")
		l.recorded()
		l.none()
	})
	t.Run("spool", func(t *testing.T) {
		t.Parallel()
		l := newLeaky(t, newWorld(t, true))
		_, rail := patch()
		id := l.review("s1")
		tip := strings.TrimSpace(l.run("git", "rev-parse", "refs/chatrail/project"))
		l.run("git", "update-ref", "-d", "refs/chatrail/project")
		out, ok := l.say(nil, "chatrail", "reconcile", id, "--reason", reason(), "--rail", string(rail))
		if ok || !strings.Contains(out, "kept in") || !strings.Contains(out, "secrets were replaced") {
			t.Fatalf("said %s", out)
		}
		if left := files(t, filepath.Join(l.state, "spool")); len(left) != 1 {
			t.Errorf("the spool holds %q", left)
		}
		l.none()
		l.run("git", "update-ref", "refs/chatrail/project", tip)
		l.review("s1")
		l.recorded()
		l.none()
	})
}

func TestSecretsInNamesOfBranchesAndRoadsAreNotTakenAlong(t *testing.T) {
	t.Parallel()
	for _, k := range secrettest.Kinds() {
		if k.Name != "GitHub token" && k.Name != "AWS access key" {
			continue
		}
		l := newLeaky(t, newWorld(t, true))
		// The branch is git's own; it is looked for everywhere else.
		l.run("git", "symbolic-ref", "HEAD", "refs/heads/try/"+k.Secret)
		id := l.review("s1")
		if out, ok := l.say(nil, "chatrail", "reconcile", id, "--reason", "agreed", "--north", "Ship it"); !ok || !strings.Contains(out, "1 secret was replaced") {
			t.Errorf("said %s", out)
		}
		if out, ok := l.say(nil, "chatrail", "own", "side "+k.Secret, "--session-id", "s1"); !ok || !strings.Contains(out, "2 secrets were replaced") {
			t.Errorf("said %s", out)
		}
		if out, ok := l.say(nil, "chatrail", "own", "side "+k.Secret, "--session-id", "s1"); ok || !strings.Contains(out, "is there already") {
			t.Errorf("a second time: %s", out)
		}
		if out, ok := l.say(nil, "chatrail", "adopt", "project", "--session-id", "s1"); !ok {
			t.Error(out)
		}
		if out, ok := l.say(nil, "chatrail", "adopt", "side "+k.Secret, "--session-id", "s1"); !ok {
			t.Errorf("its own name does not find it: %s", out)
		}
		if out := l.run("git", "log", "--format=%B", "--all", "--glob=refs/chatrail/*"); !strings.Contains(out, "ChatRail-Branch: try/"+secret.Mark(k.Rule)) {
			t.Errorf("recorded as %s", out)
		}
		l.run("git", "symbolic-ref", "HEAD", "refs/heads/main")
		l.none()
	}
}
