package refs

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEveryAcknowledgedSwapHappensExactlyOnceBesideGit(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	_, err := looseObject(dir+"/.git", "tree", "")
	must(t, err)
	git(t, dir, "branch", "other")
	const count = 16
	var told sync.Map // message of each acknowledged commit
	var workers, disturbers sync.WaitGroup
	var done atomic.Bool

	for p := range 4 {
		workers.Go(func() {
			cmd := child(t, "grow", dir, "process"+strconv.Itoa(p), strconv.Itoa(count))
			var out, errOut bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errOut
			if err := cmd.Run(); err != nil {
				t.Errorf("a process: %v: %s", err, &errOut)
			}
			for line := range strings.Lines(out.String()) {
				told.Store(strings.TrimSpace(line), true)
			}
		})
	}
	r := found(t, dir)
	for w := range 3 {
		workers.Go(func() {
			for i := range count {
				message := "goroutine" + strconv.Itoa(w) + "-" + strconv.Itoa(i)
				err := growOnce(r, message, true)
				for moved := (*MovedError)(nil); errors.As(err, &moved); {
					err = growOnce(r, message, true)
				}
				if err != nil {
					t.Errorf("a goroutine: %v", err)
				}
				told.Store(message, true)
			}
		})
	}
	// Git moves the same reference too. Its own compare-and-swap may fail.
	workers.Go(func() {
		for i := range count / 2 {
			old, err := r.Read(Project())
			if err != nil {
				continue
			}
			message := "git-" + strconv.Itoa(i)
			next, err := commitObject(r.CommonDir, old, message)
			if err != nil {
				t.Error(err)
			}
			if _, err := tryGit(dir, "update-ref", "-m", message, Project(), next, old); err == nil {
				told.Store(message, true)
			}
		}
	})
	for _, command := range [][]string{
		{"pack-refs", "--all"},
		{"gc", "-q"},
		{"update-ref", "refs/heads/other", "HEAD"},
	} {
		disturbers.Go(func() {
			for !done.Load() {
				if _, err := tryGit(dir, command...); err != nil {
					t.Errorf("a git command of the user failed: %v", err)
				}
			}
		})
	}
	workers.Wait()
	done.Store(true)
	disturbers.Wait()

	stands := map[string]int{}
	log := strings.Split(git(t, dir, "log", "--format=%s", Project()), "\n")
	for _, message := range log {
		stands[message]++
	}
	told.Range(func(message, _ any) bool {
		if n := stands[message.(string)]; n != 1 {
			t.Errorf("%s was acknowledged and stands %d times", message, n)
		}
		delete(stands, message.(string))
		return true
	})
	if len(stands) > 0 {
		t.Errorf("these stand and nobody was told: %v", stands)
	}
	if lines := strings.Count(read(t, dir+"/.git/logs/"+Project()), "\n"); lines != len(log) {
		t.Errorf("%d commits, %d lines in the reflog", len(log), lines)
	}
	git(t, dir, "fsck", "--strict")
	noLeftovers(t, r)
}

// noLeftovers fails where a lock or a temporary file stands.
func noLeftovers(t *testing.T, r *Repo) {
	t.Helper()
	for _, path := range []string{r.refPath(Project()) + ".lock", r.stateFile(Project(), "tmp")} {
		if exists(path) {
			t.Errorf("%s was left behind", path)
		}
	}
}

func TestOnlyOneHolderOfTheExclusiveLockAtATime(t *testing.T) {
	t.Parallel()
	r := found(t, newRepo(t))
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				g, err := r.Exclusive(t.Context(), Project())
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				inside.Add(-1)
				if err := g.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d were inside at once", most.Load())
	}
}
