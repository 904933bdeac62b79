package worktree

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Options say how the changed paths are found.
type Options struct {
	// HonourEnv lets git's environment variables mean what they mean: by hand, and
	// in git's own hooks, where GIT_INDEX_FILE names the index that is about to be
	// committed. Relative values count from the folder that is asked about. In an
	// agent's hook the variables belong to something else and are dropped.
	HonourEnv bool
	// Limit is how many changed paths are wanted at most, 0 for all. Where there
	// are more, the listing is partial.
	Limit int
	// Foreign says that somebody may have made the repository for git to run a
	// program in: none is run that its own configuration names. Then a file may
	// count as changed that its filter would give back as it was, and what is
	// changed inside a submodule is not seen.
	Foreign bool
	// Fallback answers where there is no git program. Its answer is approximate.
	Fallback func(dir string) ([]Change, error)
}

// Listing is what a work tree has changed.
type Listing struct {
	Changed     []Change // sorted by path
	Approximate bool     // not git's own answer: it may differ from it
	Partial     bool     // the deadline or the limit came before the end: there may be more
	// Refused is why there is no answer, in one line of git's own words: a bare
	// repository, a foreign owner, a broken index. "" where there is one.
	Refused string
}

// afterEnd is how long a process that git left behind may hold its output open.
const afterEnd = time.Second

// noGit is said where nobody can answer.
const noGit = "there is no git program to ask: install git, or put it on the search path"

// Changed lists what git status lists for the work tree that a folder lies in,
// untracked files one by one and renames as two paths, without what lies inside
// a .chatrail folder. It starts one process, which neither writes nor locks
// anything. When the context ends, what was read so far is returned as partial.
//
// A refusal of git's is a listing with a reason. An error means that git could
// not be run, or wrote something that is not understood.
func Changed(ctx context.Context, dir string, o Options) (Listing, error) {
	args := []string{"--no-optional-locks", "-c", "core.fsmonitor=false"}
	status := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"}
	env := o.environ()
	if o.Foreign {
		off, err := o.foreign(ctx, dir)
		switch {
		case noProgram(err):
			return o.withoutGit(ctx, dir)
		case ctx.Err() != nil:
			return Listing{Partial: true}, nil
		case err != nil:
			return Listing{Refused: "which programs this repository would have git run cannot be told: " + harmless(err.Error())}, nil
		}
		args, status, env = append(args, off...), append(status, foreignStatus), append(env, foreignEnv...)
	}
	if args = append(args, status...); dir != "" {
		args = append([]string{"-C", dir}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = env
	cmd.WaitDelay = afterEnd
	inGroup(cmd)
	answer, complaint := &porcelain{limit: o.Limit}, &tail{}
	cmd.Stdout, cmd.Stderr = answer, complaint
	err := cmd.Run()
	if noProgram(err) {
		return o.withoutGit(ctx, dir)
	}
	l, err := conclude(ctx, err, answer, complaint)
	sortChanges(l.Changed)
	return l, err
}

func noProgram(err error) bool {
	var missing *exec.Error
	return errors.As(err, &missing)
}

// conclude judges how git ended.
func conclude(ctx context.Context, err error, answer *porcelain, complaint *tail) (Listing, error) {
	var exit *exec.ExitError
	switch {
	case errors.Is(answer.failed, errEnough):
		return Listing{Changed: answer.changes, Partial: true}, nil
	case answer.failed != nil:
		return Listing{}, answer.failed
	case err == nil:
		return Listing{Changed: answer.changes}, answer.end()
	case ctx.Err() != nil, errors.Is(err, exec.ErrWaitDelay):
		return Listing{Changed: answer.changes, Partial: true}, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		why := reason(string(complaint.kept))
		if why == "" {
			why = "git status ended with " + exit.String() + " and no reason"
		}
		return Listing{Refused: why}, nil
	}
	return Listing{}, fmt.Errorf("git status: %w", err)
}

// withoutGit asks the fallback, and leaves it behind when the context ends.
func (o Options) withoutGit(ctx context.Context, dir string) (Listing, error) {
	if o.Fallback == nil {
		return Listing{Refused: noGit}, nil
	}
	done := make(chan Listing, 1)
	go func() {
		changes, err := o.Fallback(dir)
		if err != nil {
			done <- Listing{Approximate: true, Refused: harmless(err.Error())}
			return
		}
		done <- o.trimmed(changes)
	}()
	select {
	case l := <-done:
		return l, nil
	case <-ctx.Done():
		return Listing{Approximate: true, Partial: true}, nil
	}
}

func (o Options) trimmed(changes []Change) Listing {
	l := Listing{Approximate: true}
	for _, c := range changes {
		if !inOwnFolder(c.Path) {
			l.Changed = append(l.Changed, c)
		}
	}
	sortChanges(l.Changed)
	if o.Limit > 0 && len(l.Changed) > o.Limit {
		l.Changed, l.Partial = l.Changed[:o.Limit], true
	}
	return l
}
