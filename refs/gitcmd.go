package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// localEnv are the variables that tie git to one repository, the answer of
// "git rev-parse --local-env-vars" of present and past versions.
const localEnv = " GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT" +
	" GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE" +
	" GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_SHALLOW_FILE" +
	" GIT_COMMON_DIR GIT_REFERENCE_BACKEND "

// afterExit is how long a command may go on holding its output open after it
// ended or was told to end: a child that it left behind does not hold us.
const afterExit = time.Second

// Git is a git command on this repository, not started yet. It speaks English,
// asks for nothing on a terminal, takes no lock that it can do without, and sees
// no variable of the caller's that belongs to another repository. Its folder is
// the top of the work tree, where there is one. When the context ends it is
// asked to stop, so that it removes its locks, and killed a second later.
//
// In a repository of another user git is left to find the repository by itself
// and so to refuse unless safe.directory allows it.
func (r *Repo) Git(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(r.gitPlace(), args...)...)
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.Contains(localEnv, " "+name+" ") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	if r.WorkTree == "" && !r.OwnedByOther() {
		// Otherwise a named git dir would make the current folder the work tree.
		cmd.Env = append(cmd.Env, "GIT_IMPLICIT_WORK_TREE=0")
	}
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = afterExit
	return cmd
}

func (r *Repo) gitPlace() []string {
	dir := r.stand
	if dir == "" {
		dir = r.WorkTree
	}
	if dir == "" {
		dir = r.GitDir
	}
	place := []string{"-C", dir}
	if r.OwnedByOther() {
		return place
	}
	place = append(place, "--git-dir="+r.GitDir)
	if r.WorkTree != "" {
		place = append(place, "--work-tree="+r.WorkTree)
	}
	return place
}

// GitError makes one line of a failed git command and what it wrote to standard
// error: the first line that says "fatal", else the first that says "error",
// else the last. It wraps err, and is nil when that is.
func GitError(err error, stderr []byte) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("git is needed for this and was not found: install it or put it on the search path: %w", err)
	}
	text := ""
	rank := 0
	for line := range strings.Lines(string(stderr)) {
		line = oneLine(line)
		this := 1
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			line, this = rest, 3
		} else if rest, ok := strings.CutPrefix(line, "error: "); ok {
			line, this = rest, 2
		}
		if line != "" && (this > rank || this == 1 && rank == 1) {
			text, rank = line, this
		}
	}
	switch {
	case text == "" && errors.Is(err, context.DeadlineExceeded):
		return &lateError{err}
	case text == "":
		return fmt.Errorf("git: %w", err)
	}
	return fmt.Errorf("git: %s: %w", cut(text, 400), err)
}

// lateError says what a deadline means for whoever waited for git.
type lateError struct{ err error }

func (e *lateError) Error() string {
	return "the time was up before git was done: try again, or allow more of it"
}

func (e *lateError) Unwrap() error { return e.err }

// cut shortens a text at the border of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
