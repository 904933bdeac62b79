package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is one of several that share a repository through a hub.
type machine struct {
	*world
	name  string
	wrote []string // the titles of what it was told is recorded
}

const projectRef = "refs/chatrail/project"

// machines are clones of one hub, each with a home of its own. The first made
// the orientation and all of them have it.
func machines(t testing.TB, n int) (hub string, list []*machine) {
	t.Helper()
	hub = filepath.Join(t.TempDir(), "hub.git")
	for i := range n {
		m := &machine{world: newWorld(t, false), name: string(rune('a' + i))}
		m.env = append(m.env, "GIT_AUTHOR_NAME="+m.name, "GIT_AUTHOR_EMAIL="+m.name+"@example.com",
			"GIT_COMMITTER_NAME="+m.name, "GIT_COMMITTER_EMAIL="+m.name+"@example.com")
		if i == 0 {
			m.run("git", "init", "-q", "--bare", hub)
		}
		m.run("git", "init", "-q", "-b", "main", ".")
		m.run("git", "remote", "add", "origin", hub)
		if i == 0 {
			m.run("chatrail", "init")
		}
		m.run("chatrail", "sync")
		list = append(list, m)
	}
	return hub, list
}

// write records a work item, which has to be there for ever after.
func (m *machine) write() {
	m.t.Helper()
	title := fmt.Sprintf("Item %s %d", m.name, len(m.wrote))
	m.run("chatrail", "task", "new", title)
	m.wrote = append(m.wrote, title)
}

// tip is where a reference is.
func tip(t testing.TB, dir string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", dir, "rev-parse", projectRef).Output()
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return strings.TrimSpace(string(out))
}

// wantEven wants every machine and every hub at one revision that holds what any
// of them wrote, once.
func wantEven(t testing.TB, list []*machine, hubs ...string) {
	t.Helper()
	want := tip(t, hubs[0])
	for _, hub := range hubs[1:] {
		if got := tip(t, hub); got != want {
			t.Errorf("%s is at %.12s, %s at %.12s", filepath.Base(hub), got, filepath.Base(hubs[0]), want)
		}
	}
	for _, m := range list {
		if got := tip(t, m.project); got != want {
			t.Errorf("machine %s is at %.12s, the hub at %.12s", m.name, got, want)
		}
		if out := m.run("chatrail", "validate"); !strings.Contains(out, "valid") {
			t.Errorf("machine %s: %s", m.name, out)
		}
	}
	last := list[len(list)-1]
	all := last.run("chatrail", "task", "list")
	for _, m := range list {
		for _, title := range m.wrote {
			if n := strings.Count(all, title+" "); n != 1 {
				t.Errorf("%q stands %d times in the list", title, n)
			}
		}
	}
	for _, hub := range hubs {
		wantClean(t, hub)
	}
	for _, m := range list {
		wantClean(t, filepath.Join(m.project, ".git"))
	}
}

// wantClean wants git to find nothing wrong, and no lock.
func wantClean(t testing.TB, gitDir string) {
	t.Helper()
	out, err := exec.Command("git", "--git-dir", gitDir, "fsck", "--strict", "--no-dangling", "--no-progress").CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("error")) {
		t.Errorf("git fsck in %s: %v\n%s", gitDir, err, out)
	}
	if left := leftovers(t, gitDir, ".lock"); len(left) > 0 {
		t.Errorf("locks are left: %q", left)
	}
}

// leftovers are files below a folder with this at the end of their names. The
// locks that we hold with flock stay, and are called otherwise.
func leftovers(t testing.TB, dir, end string) []string {
	t.Helper()
	return filesWhere(t, dir, func(name string) bool { return strings.HasSuffix(name, end) })
}

// named are files and folders whose names begin so.
func named(t testing.TB, dir, begin string) []string {
	t.Helper()
	return filesWhere(t, dir, func(name string) bool { return strings.HasPrefix(name, begin) })
}

func filesWhere(t testing.TB, dir string, match func(name string) bool) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && match(d.Name()) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
