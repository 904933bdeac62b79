package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Where references are not files, the git program reads and moves them. A call
// without a context of its own is bounded by askLimit.
const askLimit = 2 * time.Second

func (r *Repo) ask(args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	return run(r.Git(ctx, args...))
}

func run(cmd *exec.Cmd) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), GitError(err, errOut.Bytes())
}

func (r *Repo) headByGit() (Head, error) {
	var h Head
	name, _, err := r.ask("symbolic-ref", "-q", "HEAD")
	switch {
	case err == nil:
		h.Branch = shortName(strings.TrimSpace(name))
	case exitCode(err) == 1:
		h.Detached = true
	default:
		return Head{}, err
	}
	commit, _, err := r.ask("rev-parse", "--verify", "-q", "HEAD")
	switch {
	case err == nil:
		h.Commit = strings.TrimSpace(commit)
	case exitCode(err) == 1 && !h.Detached:
		h.Unborn = true
	default:
		return Head{}, err
	}
	return h, nil
}

func (r *Repo) readByGit(name string) (string, error) {
	list, err := r.listByGit(name)
	for _, ref := range list {
		if ref.Name == name {
			return ref.ID, nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("%w: %s", ErrNoRef, name)
}

// listByGit reports as corrupt what git warns of or knows as symbolic.
func (r *Repo) listByGit(prefix string) ([]Ref, error) {
	// The pattern of for-each-ref ends at a component, our prefix anywhere.
	out, warning, err := r.ask("for-each-ref", "--format=%(objectname) %(refname) %(symref)", prefix, prefix+"*", prefix+"*/**")
	if err != nil {
		return nil, err
	}
	list := []Ref{}
	var broken error
	if warning = oneLine(warning); warning != "" {
		broken = also(broken, fmt.Errorf("%w: git: %s", ErrCorrupt, cut(warning, 400)))
	}
	for line := range strings.Lines(out) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case len(part) != 3 || !strings.HasPrefix(part[1], prefix):
		case part[2] != "":
			broken = also(broken, fmt.Errorf("%w: %s is a symbolic reference", ErrCorrupt, part[1]))
		default:
			list = append(list, Ref{part[1], part[0]})
		}
	}
	sortRefs(list)
	return list, broken
}

// swapByGit has the same outcomes as a swap of our own.
func (r *Repo) swapByGit(ctx context.Context, s Swap) error {
	old := s.Old
	if old == "" {
		old = r.ZeroID()
	}
	args := []string{"update-ref", "--no-deref", "--create-reflog"}
	if message := oneLine(s.Message); message != "" { // git refuses an empty one
		args = append(args, "-m", message)
	}
	args = append(args, s.Name, s.New, old)
	for w := newWait(gitLimit, 100*time.Millisecond); ; {
		// Read first: git would write over a symbolic reference, and its words for
		// one that has moved differ from case to case.
		current, err := r.Read(s.Name)
		if err != nil && !errors.Is(err, ErrNoRef) {
			return err
		}
		if current != s.Old {
			return &MovedError{Name: s.Name, Current: current}
		}
		cmd := r.Git(ctx, args...)
		cmd.Env = append(cmd.Env, s.Who.committer(s.When)...)
		_, stderr, err := run(cmd)
		if err == nil {
			return nil
		}
		if known := refusal(stderr, s.Name); known != nil {
			return also(known, err)
		}
		locked := strings.Contains(stderr, ".lock': File exists") || strings.Contains(stderr, "lock is in use")
		moved := strings.Contains(stderr, "but expected") || strings.Contains(stderr, "reference already exists")
		switch {
		case !locked && !moved && ctx.Err() != nil:
			return also(ctx.Err(), err)
		case !locked && !moved:
			return err
		}
		if again, waitErr := w.next(ctx); !again {
			return &LockedError{Path: r.refPath(s.Name) + ".lock", Err: waitErr}
		}
	}
}

// refusal knows the causes that a caller tells apart by the words that git has
// for them, in its own language.
func refusal(stderr, name string) error {
	switch {
	case strings.Contains(stderr, "Permission denied"):
		return fs.ErrPermission
	case strings.Contains(stderr, "Read-only file system"):
		return syscall.EROFS
	case strings.Contains(stderr, "No space left on device"):
		return syscall.ENOSPC
	case strings.Contains(stderr, "exists; cannot create"), strings.Contains(stderr, "non-empty directory"):
		return fmt.Errorf("%w: %s", ErrConflict, name)
	}
	return nil
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
