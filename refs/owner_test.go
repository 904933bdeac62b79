//go:build unix

package refs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestARepositoryOfAnotherUserIsToldAsGitTellsIt(t *testing.T) {
	const other = 65534
	if os.Geteuid() != 0 {
		if r := found(t, newRepo(t)); r.OwnedByOther() {
			t.Error("our own repository is another's")
		}
		t.Skip("only root can give files away")
	}
	for name, given := range map[string][]string{
		"nothing": {}, "the top": {""}, "the git dir": {"/.git"}, "a file in it": {"/.git/HEAD"}, "both": {"", "/.git"},
	} {
		for _, sudo := range []string{"", strconv.Itoa(other), "x"} {
			t.Run(name+", SUDO_UID="+sudo, func(t *testing.T) {
				dir := newRepo(t)
				for _, path := range given {
					must(t, os.Chown(dir+path, other, other))
				}
				t.Setenv("SUDO_UID", sudo)
				r := found(t, dir)
				_, err := tryGit(dir, "rev-parse")
				if r.OwnedByOther() != (err != nil) {
					t.Errorf("we say %t, git says %v", r.OwnedByOther(), err)
				}
				// Git is not talked into a repository that it would refuse.
				_, _, ours := run(r.Git(t.Context(), "rev-parse", "HEAD"))
				if (ours != nil) != (err != nil) {
					t.Errorf("our command says %v, git says %v", ours, err)
				}
			})
		}
	}
	dir := newRepo(t)
	git(t, dir, "worktree", "add", "-q", "../wt")
	must(t, os.Lchown(dir+"/../wt/.git", other, other))
	if r := found(t, dir+"/../wt"); !r.OwnedByOther() {
		t.Error("a .git file of another user counts as ours")
	}
}

func TestWhatCannotBeWrittenIsToldAsThat(t *testing.T) {
	for _, part := range []string{"", "/chatrail", "/refs/chatrail", "/logs/refs/chatrail"} {
		for _, storage := range storages {
			t.Run(storage+" "+part, func(t *testing.T) {
				if storage == "asked" && (part == "/chatrail" || os.Geteuid() == 0) {
					t.Skip("git writes no file there, and as root it is not bound")
				}
				dir := newRepo(t)
				c := commits(t, dir, 2)
				r := stored(t, dir, storage)
				if part != "" {
					must(t, r.Swap(t.Context(), Swap{Name: Project(), New: c[0]}))
				}
				before := snapshot(t, dir)
				must(t, os.Chmod(dir+"/.git"+part, 0o555))
				t.Cleanup(func() { os.Chmod(dir+"/.git"+part, 0o755) })
				if storage == "files" && part == "/logs/refs/chatrail" {
					must(t, os.Chmod(dir+"/.git/logs/"+Project(), 0o444))
				}
				old := c[0]
				if part == "" {
					old = ""
				}
				var err error
				withoutPrivilege(t, dir, func() {
					err = r.Swap(t.Context(), Swap{Name: Project(), Old: old, New: c[1]})
				})
				if storage == "asked" && part == "/logs/refs/chatrail" {
					return // git only appends to a log that exists
				}
				if !Unwritable(err) {
					t.Errorf("got %v", err)
				}
				if moved := (*MovedError)(nil); errors.As(err, &moved) {
					t.Errorf("it says that the reference moved: %v", err)
				}
				if after := snapshot(t, dir); before != after {
					t.Errorf("it changed:\n%s\n%s", before, after)
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("more than one line: %q", err)
				}
			})
		}
	}
}

func TestWhyGitCouldNotWriteIsKnownByItsWords(t *testing.T) {
	for stderr, want := range map[string]error{
		"fatal: cannot lock ref 'x': Unable to create '/r/x.lock': Permission denied":        fs.ErrPermission,
		"fatal: cannot lock ref 'x': Unable to create '/r/x.lock': Read-only file system":    syscall.EROFS,
		"fatal: unable to write: No space left on device":                                    syscall.ENOSPC,
		"fatal: cannot lock ref 'refs/a': 'refs/a/b' exists; cannot create 'refs/a'":         ErrConflict,
		"fatal: cannot lock ref 'x': there is a non-empty directory '/r/x' blocking ref 'x'": ErrConflict,
	} {
		if err := refusal(stderr, "x"); !errors.Is(err, want) || want != ErrConflict && !Unwritable(err) {
			t.Errorf("%s: %v", stderr, err)
		}
	}
	if err := refusal("fatal: Unable to create '/r/x.lock': File exists.", "x"); err != nil {
		t.Errorf("a lock is not a refusal: %v", err)
	}
}

// snapshot is the state of the reference and everything of it.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	text := ""
	for _, path := range []string{"refs/chatrail/project", "refs/chatrail/project.lock", "logs/refs/chatrail/project"} {
		data, err := os.ReadFile(dir + "/.git/" + path)
		text += path + ":" + string(data) + "|" + strconv.FormatBool(err == nil) + "\n"
	}
	return text
}
