package refs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// allBut is everything of a repository but what a transfer is for: objects,
// the tracking references with their logs, and our own folder.
func allBut(t testing.TB, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for _, ours := range []string{".git/objects", ".git/chatrail", ".git/refs/chatrail-remote", ".git/logs/refs/chatrail-remote"} {
			if rel == ours {
				return filepath.SkipDir
			}
		}
		if d.IsDir() {
			if strings.HasPrefix(rel, ".git/logs") {
				return nil // made for the logs of tracking references
			}
			state[rel] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		state[rel] = string(data)
		return err
	}))
	return state
}

func same(t testing.TB, before, after map[string]string) {
	t.Helper()
	for path, data := range after {
		if old, ok := before[path]; !ok {
			t.Errorf("%s is new", path)
		} else if old != data {
			t.Errorf("%s was %q and is %q", path, cut(old, 200), cut(data, 200))
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			t.Errorf("%s is gone", path)
		}
	}
}

func TestATransferTouchesNothingElse(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	write(t, p.dir+"/file", "staged")
	git(t, p.dir, "add", "file")
	write(t, p.dir+"/file", "changed")
	git(t, p.dir, "push", "-q", "origin", "main")
	git(t, p.dir, "fetch", "-q", "origin")
	git(t, p.dir, "tag", "v1")
	git(t, p.hub, "tag", "v2", "main")
	git(t, p.hub, "branch", "other", "main")
	before := allBut(t, p.dir)
	if before[".git/FETCH_HEAD"] == "" {
		t.Fatal("nothing to compare with")
	}
	_, err := p.push(t, "origin")
	must(t, err)
	q := p.another(t, "there")
	_, err = q.fetch(t, "origin")
	must(t, err)
	git(t, q.dir, "update-ref", Project(), p.tip)
	q.grow(t, Project(), "two")
	q.grow(t, Task("x"), "x")
	_, err = q.push(t, "origin")
	must(t, err)
	for _, tr := range []Transfer{{}, {DryRun: true}} {
		_, err = p.repo.Fetch(t.Context(), p.remote(t, ""), nil, tr)
		must(t, err)
		done, err := p.repo.Push(t.Context(), p.remote(t, ""), p.mine(t), tr)
		must(t, err)
		if states(done) != "project behind" {
			t.Errorf("%s", states(done))
		}
	}
	_, err = p.repo.Advertised(t.Context(), p.remote(t, ""), Transfer{})
	must(t, err)
	same(t, before, allBut(t, p.dir))
}
