package install

import (
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

func TestMain(m *testing.M) {
	temptest.InMemory()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": "",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com",
	} {
		os.Setenv(name, value)
	}
	var err error
	if home, err = os.MkdirTemp("", "install-home-"); err != nil {
		panic(err)
	}
	config := filepath.Join(home, "config")
	if err := os.WriteFile(config, []byte("[advice]\n\tignoredHook = false\n"), 0o600); err != nil {
		panic(err)
	}
	os.Setenv("GIT_CONFIG_GLOBAL", config)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// home is a folder for the whole run.
var home string

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// place is a repository and a program that hooks call, in a folder whose name no
// script likes.
type place struct {
	t       *testing.T
	dir     string
	program string
	called  string // what the program writes a line to
	seen    string // what the hooks that were there write to
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root = filepath.Join(root, `it's "a" $place`)
	p := &place{
		t: t, dir: filepath.Join(root, "repo"), program: filepath.Join(root, "bin", "chatrail-hook"),
		called: filepath.Join(root, "called"), seen: filepath.Join(root, "seen"),
	}
	must(t, os.MkdirAll(p.dir, 0o777))
	// Its exit code is that of the file beside it, and it reads no input that it
	// is not to have.
	p.file(p.program, "#!/bin/sh\nhere=${0%/*}\n{ echo \"$*\"; case $2 in post-rewrite | pre-push) cat ;; esac; } >>\"$here/../called\"\n"+
		"exit \"$(cat \"$here/exit\" 2>/dev/null || echo 0)\"\n", 0o755)
	made, err := firstRepo()
	must(t, err)
	must(t, os.CopyFS(p.dir, os.DirFS(made)))
	return p
}

// firstRepo is a repository with one commit, made once and copied from then on.
var firstRepo = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(home, "template")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, exec.Command("git", "-C", dir, "commit", "-q", "--allow-empty", "-m", "first").Run()
})

func (p *place) file(path, text string, mode fs.FileMode) {
	p.t.Helper()
	must(p.t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(p.t, os.WriteFile(path, []byte(text), 0o666))
	must(p.t, os.Chmod(path, mode))
}

func (p *place) hook(name string) string { return filepath.Join(p.dir, ".git", "hooks", name) }

func (p *place) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "SEEN="+p.seen)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// remote makes an empty repository to push to, called origin.
func (p *place) remote() string {
	p.t.Helper()
	p.git("init", "-q", "--bare", p.remotePath())
	p.git("remote", "add", "origin", p.remotePath())
	return p.remotePath()
}

func (p *place) remotePath() string { return filepath.Join(filepath.Dir(p.dir), "remote.git") }

func (p *place) git(args ...string) string {
	p.t.Helper()
	out, err := p.tryGit(args...)
	if err != nil {
		p.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

func (p *place) repo() *refs.Repo {
	p.t.Helper()
	r, err := refs.Discover(p.dir)
	must(p.t, err)
	return r
}

func (p *place) install(o Options) *Report {
	p.t.Helper()
	o.Program = p.program
	r, err := Git(p.t.Context(), p.repo(), o)
	must(p.t, err)
	return r
}

func (p *place) uninstall() *Report {
	p.t.Helper()
	r, err := Ungit(p.t.Context(), p.repo())
	must(p.t, err)
	return r
}

// taken reads a file and empties it.
func (p *place) taken(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	must(p.t, os.Remove(path))
	return string(data)
}

// outcomes is a report in short.
func outcomes(r *Report) string {
	var words []string
	for _, h := range r.Hooks {
		words = append(words, h.Hook+" "+string(h.Outcome))
	}
	return strings.Join(words, ", ")
}

// tree is every name below a folder with its mode and what it holds.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %v", rel, fi.Mode())
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			fmt.Fprintf(&b, " -> %s", target)
		case fi.Mode().IsRegular():
			data, _ := os.ReadFile(path)
			fmt.Fprintf(&b, " %v %q", fi.ModTime(), data)
		}
		b.WriteString("\n")
		return nil
	})
	if os.IsNotExist(err) {
		return "nothing\n"
	}
	must(t, err)
	return b.String()
}
