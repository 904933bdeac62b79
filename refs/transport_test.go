package refs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/refs/remotetest"
)

// pair is a hub and a repository that has it as origin, with one commit of ours
// on the project's reference.
type pair struct {
	hub, dir string
	repo     *Repo
	tip      string
}

func newPair(t testing.TB) pair {
	t.Helper()
	top := tempDir(t)
	p := pair{hub: top + "/hub.git", dir: top + "/here"}
	git(t, top, "init", "-q", "--bare", "hub.git")
	plain(t, p.dir)
	git(t, p.dir, "remote", "add", "origin", p.hub)
	p.repo = found(t, p.dir)
	p.tip = p.grow(t, Project(), "one")
	return p
}

// another is a second repository beside a pair.
func (p pair) another(t testing.TB, name string) pair {
	t.Helper()
	q := pair{hub: p.hub, dir: filepath.Join(filepath.Dir(p.dir), name)}
	plain(t, q.dir)
	git(t, q.dir, "remote", "add", "origin", p.hub)
	q.repo = found(t, q.dir)
	return q
}

// grow puts a commit for each message on top of a reference.
func (p pair) grow(t testing.TB, name string, messages ...string) string {
	t.Helper()
	old, err := p.repo.Read(name)
	if err != nil && !errors.Is(err, ErrNoRef) {
		t.Fatal(err)
	}
	_, err = looseObject(p.repo.CommonDir, "tree", "")
	must(t, err)
	tip := old
	for _, message := range messages {
		tip, err = commitObject(p.repo.CommonDir, tip, message)
		must(t, err)
	}
	must(t, p.repo.Swap(t.Context(), Swap{Name: name, Old: old, New: tip}))
	return tip
}

// many are n messages that nobody else has.
func many(n int, what string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s %d", what, i)
	}
	return list
}

func (p pair) remote(t testing.TB, nameOrURL string) Remote {
	t.Helper()
	m, err := p.repo.Remote(t.Context(), nameOrURL)
	must(t, err)
	return m
}

// mine are the local references of ours.
func (p pair) mine(t testing.TB) []Ref {
	t.Helper()
	list, err := p.repo.List(Namespace)
	must(t, err)
	return list
}

// push pushes all of them.
func (p pair) push(t testing.TB, nameOrURL string) ([]Pushed, error) {
	t.Helper()
	return p.repo.Push(t.Context(), p.remote(t, nameOrURL), p.mine(t), Transfer{})
}

func (p pair) fetch(t testing.TB, nameOrURL string) ([]Ref, error) {
	t.Helper()
	return p.repo.Fetch(t.Context(), p.remote(t, nameOrURL), nil, Transfer{})
}

// states is "name state, …" without the namespace.
func states(list []Pushed) string {
	var words []string
	for _, p := range list {
		words = append(words, strings.TrimPrefix(p.Name, Namespace)+" "+string(p.State))
	}
	return strings.Join(words, ", ")
}

// names is "name, …" without the namespace of a remote.
func names(list []Ref) string {
	var words []string
	for _, ref := range list {
		words = append(words, strings.TrimPrefix(ref.Name, RemoteNamespace))
	}
	return strings.Join(words, ", ")
}

// kind is that of a transport error; a line break in one fails the test.
func kind(t testing.TB, err error) Kind {
	t.Helper()
	var failed *TransportError
	if !errors.As(err, &failed) {
		t.Fatalf("no transport error: %v", err)
	}
	if text := err.Error(); strings.ContainsAny(text, "\n\r\x1b") || len(text) > 700 {
		t.Errorf("not one line: %q", text)
	}
	return failed.Kind
}

// goesThrough pushes from one repository and fetches from another, by one way.
func (p pair) goesThrough(t *testing.T, way string) {
	t.Helper()
	done, err := p.push(t, way)
	must(t, err)
	if got := states(done); got != "project pushed" {
		t.Fatalf("push: %s (%s)", got, done[0].Why)
	}
	q := p.another(t, "there")
	if config := git(t, p.dir, "config", "-l", "--local"); strings.Contains(config, "credential.") || strings.Contains(config, "url.") || strings.Contains(config, "http.") {
		must(t, copyFile(p.dir+"/.git/config", q.dir+"/.git/config"))
	}
	got, err := q.fetch(t, way)
	must(t, err)
	if len(got) != 1 || got[0].ID != p.tip {
		t.Fatalf("fetched %v", got)
	}
	if kind := git(t, q.dir, "cat-file", "-t", p.tip); kind != "commit" {
		t.Errorf("the tip is a %s", kind)
	}
}

func serve(t testing.TB, root string, rules remotetest.Rules) *remotetest.Server {
	t.Helper()
	s, err := remotetest.Serve(root, rules)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}
