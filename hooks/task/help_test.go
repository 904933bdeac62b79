package task

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatrail/bundle/temptest"
	"chatrail/refs"
)

var ctx = context.Background()

// environment is a lookup in a map, as the env arguments want it.
func environment(pairs ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func newHome(t *testing.T) Home {
	t.Helper()
	return Home{Dir: filepath.Join(realTemp(t), "home")}
}

// realTemp is a temporary folder whose path has no links in it.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// git runs the real git, untouched by the user's configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitCommand(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{
		"-c", "init.defaultBranch=main", "-c", "user.name=T", "-c", "user.email=t@example.org",
		"-c", "protocol.file.allow=always",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	return cmd
}

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	temptest.InMemory()
	code := m.Run()
	if templateDir != "" {
		os.RemoveAll(templateDir)
	}
	os.Exit(code)
}

var templateDir string // of template, "" while nobody asked

// template is a repository with one commit, made once: git is slow to start.
var template = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "task-template-")
	if err != nil {
		return "", err
	}
	templateDir = dir
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := gitCommand(dir, args...).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("%w: %s", err, out)
		}
	}
	return dir, nil
})

// newRepo makes a repository with one commit.
func newRepo(t *testing.T, dir string) string {
	t.Helper()
	from, err := template()
	must(t, err)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

// putRef moves a reference of ours to HEAD as a command does: under our lock,
// which also gives the repository its marker. It returns the id.
func putRef(t *testing.T, dir, name string) string {
	t.Helper()
	repo, err := refs.Discover(dir)
	must(t, err)
	head, err := repo.Head()
	must(t, err)
	old, err := repo.Read(name)
	if err != nil {
		old = repo.ZeroID()
	}
	guard, err := repo.Exclusive(ctx, name)
	must(t, err)
	defer guard.Unlock()
	must(t, guard.Swap(ctx, refs.Swap{Name: name, Old: old, New: head.Commit}))
	return head.Commit
}

const firstEvent = "3c1f6b0e-8a51-4a58-9d0e-6d2a8f7b1c11"

// newBundleDir makes a folder that has the form of a bundle.
func newBundleDir(t *testing.T, dir string) string {
	t.Helper()
	write(t, filepath.Join(dir, compassFile), "schema: 1\n")
	write(t, filepath.Join(dir, railFile), "schema: 1\n")
	write(t, filepath.Join(dir, eventsFile), `{"event_id": "`+firstEvent+`", "version": 1}`+"\n")
	return dir
}

// snapshot lists everything below a folder with its mode and content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		all[path] = text
		return nil
	}))
	return all
}
