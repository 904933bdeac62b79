package worktree

import (
	"bytes"
	"crypto/sha256"
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

// TestMain makes git blind to the user's configuration, and lets the test binary
// be the hook that git calls.
func TestMain(m *testing.M) {
	if file := os.Getenv("WORKTREE_TEST_HOOK"); file != "" {
		os.Exit(insideHook(file))
	}
	if file := os.Getenv("WORKTREE_TEST_STAGED"); file != "" {
		os.Exit(stagedInHook(file))
	}
	if file := os.Getenv("WORKTREE_TEST_REPLAY"); file != "" {
		os.Exit(replayedInHook(file))
	}
	temptest.InMemory()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "worktree-home-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_TEMPLATE_DIR": home,
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com",
		"GIT_EDITOR": "true", "GIT_MERGE_AUTOEDIT": "no",
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always",
		"-c", "advice.detachedHead=false"}, args...)...)
	cmd.Dir = dir
	return cmd
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := gitCommand(dir, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errOut.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	must(t, err)
	return out
}

// template is a repository with one commit, made once and copied from then on.
var template = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.Getenv("HOME"), "template")
	if _, err := tryGit(os.Getenv("HOME"), "init", "-q", dir); err != nil {
		return "", err
	}
	_, err := tryGit(dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir, err
})

// newRepo is a repository with one empty commit on main.
func newRepo(t testing.TB) string {
	t.Helper()
	from, err := template()
	must(t, err)
	dir := filepath.Join(tempDir(t), "repo")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

func found(t testing.TB, dir string) *refs.Repo {
	t.Helper()
	r, err := refs.Discover(dir)
	must(t, err)
	return r
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(t, os.WriteFile(path, []byte(text), 0o666))
}

// commit writes a file and commits it under a subject.
func commit(t testing.TB, dir, file, text, subject string) {
	t.Helper()
	write(t, filepath.Join(dir, file), text)
	git(t, dir, "add", file)
	git(t, dir, "commit", "-q", "-m", subject)
}

func read(t testing.TB, dir string) State {
	t.Helper()
	s, err := Read(t.Context(), dir, Options{})
	must(t, err)
	return s
}

// lines is a listing as "XY path" lines.
func lines(changes []Change) string {
	var text strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&text, "%s %q\n", c.State, c.Path)
	}
	return text.String()
}

// judged is git's own answer in the form of lines, or its complaint.
func judged(t testing.TB, dir string, env []string) (answer, complaint string) {
	t.Helper()
	cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain=v1", "-z", "-uall", "--no-renames")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", errOut.String()
	}
	var changes []Change
	for record := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\x00"), "\x00") {
		if record == "" || strings.Contains("/"+record[3:], "/.chatrail/") {
			continue
		}
		changes = append(changes, Change{State: record[:2], Path: record[3:]})
	}
	sortChanges(changes)
	return lines(changes), ""
}

// footprint digests everything below a folder: names, kinds, modes, times of
// writing and bytes.
func footprint(t testing.TB, dir string) string {
	t.Helper()
	sum := sha256.New()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsPermission(err) {
				return nil
			}
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s\x00%v\x00", path, fi.Mode())
		if !strings.HasPrefix(d.Name(), "sharedindex.") { // git marks it as used whenever it reads it
			fmt.Fprintf(sum, "%v\x00", fi.ModTime().UnixNano())
		}
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil && !os.IsPermission(err) {
				return err
			}
			sum.Write(data)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			sum.Write([]byte(target))
		}
		return nil
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func needs(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs ", tool)
		}
	}
}
