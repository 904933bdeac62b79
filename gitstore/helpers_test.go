package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/temptest"
	"chatrail/refs"
)

const testRef = "refs/chatrail/project"

// homeOfUser is where a go command finds what it has built before.
var homeOfUser string

// TestMain lets the test binary be the processes that a test needs, and keeps
// the user's own git configuration out.
func TestMain(m *testing.M) {
	if child := os.Getenv("CHATRAIL_TEST_CHILD"); child != "" {
		os.Exit(children[child]())
	}
	homeOfUser = os.Getenv("HOME")
	temptest.InMemory()
	home, err := os.MkdirTemp("", "chatrail-home-")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
	} {
		os.Setenv(key, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// children are what the test binary does when a test starts it again. They
// return an exit code.
var children = map[string]func() int{}

func child(name string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHATRAIL_TEST_CHILD="+name)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// git runs git in a folder and returns what it printed, without the last line
// break.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := gitTry(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func gitTry(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if err != nil {
		return out.String() + stderr.String(), err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// gitInput is git with something on standard input.
func gitInput(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// newRepo makes a repository with one commit of the user's and an author. It
// copies one that was made before with the same arguments.
func newRepo(t testing.TB, initArgs ...string) string {
	t.Helper()
	return copyTemplate(t, strings.Join(initArgs, " "), func() string { return makeRepo(t, initArgs) })
}

// copyTemplate copies a repository that is made once for all tests.
func copyTemplate(t testing.TB, key string, make func() string) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	if templates.dirs[key] == "" {
		templates.dirs[key] = make()
	}
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(dir, os.DirFS(templates.dirs[key])); err != nil {
		t.Fatal(err)
	}
	return dir
}

var templates = struct {
	sync.Mutex
	dirs map[string]string
}{dirs: map[string]string{}}

func makeRepo(t testing.TB, initArgs []string) string {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "template-")
	if err != nil {
		t.Fatal(err)
	}
	git(t, ".", append([]string{"init", "-q", "-b", "main", dir}, initArgs...)...)
	git(t, dir, "config", "user.name", "A U Thor")
	git(t, dir, "config", "user.email", "author@example.com")
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "file")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func repoAt(t testing.TB, dir string) *refs.Repo {
	t.Helper()
	repo, err := refs.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

func openAt(t testing.TB, dir string) *Store {
	t.Helper()
	return Open(repoAt(t, dir), options())
}

// options name the author at once: asking git costs a process a write.
func options() Options {
	return Options{Ref: testRef, Identity: func(context.Context) (string, string) {
		return "A U Thor", "author@example.com"
	}}
}

// asking is openAt for tests about the author: git's configuration is asked.
func asking(t testing.TB, dir string) *Store {
	t.Helper()
	return Open(repoAt(t, dir), Options{Ref: testRef})
}

// started opens the bundle of a repository after having created it.
func started(t testing.TB, dir string) *Store {
	t.Helper()
	s := openAt(t, dir)
	create(t, s, genesisDraft())
	return s
}

func create(t testing.TB, s *Store, d bundle.Draft) *bundle.Revision {
	t.Helper()
	rev, err := s.Create(t.Context(), d)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return rev
}

func genesisDraft() bundle.Draft {
	return bundle.Draft{State: bundle.DefaultState(), Meta: bundle.EventMeta{Reason: "Create ChatRail"}}
}

// drift is a change of the Compass, with notes.
func drift(text string, notes ...bundle.Note) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		state := present.State
		state.Compass.Drift = text
		return bundle.Draft{State: state, Notes: notes, Meta: bundle.EventMeta{ReviewID: "review", Reason: text}}, nil
	}
}

// question is a change of the Rail.
func question(text string) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		state := present.State
		state.Rail.Open = append(state.Rail.Open, bundle.Item{ID: fmt.Sprint("q", len(state.Rail.Open)), Summary: text})
		return bundle.Draft{State: state, Meta: bundle.EventMeta{ReviewID: "review", Reason: text}}, nil
	}
}

func apply(t testing.TB, s *Store, change bundle.Change) *bundle.Revision {
	t.Helper()
	rev, changed, err := s.Apply(t.Context(), change)
	if err != nil || !changed {
		t.Fatalf("apply: changed %v, error %v", changed, err)
	}
	return rev
}

func walked(t testing.TB, s *Store, from string) []*bundle.Revision {
	t.Helper()
	var revs []*bundle.Revision
	err := s.Walk(t.Context(), from, func(r *bundle.Revision) (bool, error) {
		revs = append(revs, r)
		return true, nil
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	return revs
}

// wantValid verifies a bundle and has git check its objects.
func wantValid(t testing.TB, s *Store, dir string, events int) {
	t.Helper()
	report, err := s.Verify(t.Context())
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if !report.Valid || report.Events != events {
		t.Errorf("report %+v, want %d valid events", *report, events)
	}
	if out := git(t, dir, "fsck", "--strict", "--no-dangling", "--no-progress"); out != "" {
		t.Errorf("git fsck: %s", out)
	}
}
