package refs

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatrail/bundle/temptest"
)

// TestMain makes git blind to the user's configuration, and lets the test binary
// be the child process that contention and kill tests start.
func TestMain(m *testing.M) {
	temptest.InMemory()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "refs-home")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_TEMPLATE_DIR": home,
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com",
	} {
		os.Setenv(name, value)
	}
	code := 0
	if job := os.Getenv("REFS_TEST_CHILD"); job != "" {
		code = runChild(job)
	} else {
		code = m.Run()
	}
	os.RemoveAll(home)
	os.Exit(code)
}

// tempDir is a temporary folder without links in its path.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return strings.TrimSuffix(out.String(), "\n"), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, errOut.String())
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

// plain makes a repository with one commit at a path.
func plain(t testing.TB, dir string) {
	t.Helper()
	from, err := template()
	must(t, err)
	must(t, os.CopyFS(dir, os.DirFS(from)))
}

// newRepo is a plain repository of its own.
func newRepo(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), "repo")
	plain(t, dir)
	return dir
}

func found(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Discover(dir)
	must(t, err)
	return r
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must(t, os.WriteFile(path, []byte(text), 0o666))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// id makes up an object id.
func id(n int) string { return fmt.Sprintf("%040x", 0xabc0000+n) }

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// commitObject writes a loose commit on the empty tree, which git need not have
// seen, and returns its id. It is far cheaper than a process each.
func commitObject(commonDir, parent, message string) (string, error) {
	text := "tree " + emptyTree + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	text += "author A <a@example.com> 1700000000 +0000\ncommitter C <c@example.com> 1700000000 +0000\n\n" + message + "\n"
	return looseObject(commonDir, "commit", text)
}

func looseObject(commonDir, kind, text string) (string, error) {
	data := fmt.Sprintf("%s %d\x00%s", kind, len(text), text)
	sum := sha1.Sum([]byte(data))
	name := hex.EncodeToString(sum[:])
	dir := filepath.Join(commonDir, "objects", name[:2])
	path := filepath.Join(dir, name[2:])
	if exists(path) {
		return name, nil
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write([]byte(data))
	z.Close()
	for {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
		f, err := os.CreateTemp(dir, "tmp_obj_")
		if os.IsNotExist(err) { // gc removes folders that are empty
			continue
		}
		if err != nil {
			return "", err
		}
		f.Write(packed.Bytes())
		f.Close()
		os.Chmod(f.Name(), 0o444)
		return name, os.Rename(f.Name(), path)
	}
}
