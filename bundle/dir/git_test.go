package dir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"chatrail/bundle"
)

// TestCheckoutOfAnOlderBundleBesideAWriter switches between two commits of a
// bundle while somebody writes. What comes of it may be frozen, a mixture of the
// two; but whole events are never damaged, and a clean checkout is healthy again.
func TestCheckoutOfAnOlderBundleBesideAWriter(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	repo := t.TempDir()
	git := func(args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "HOME="+repo, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %q: %w: %s", args, err, out)
		}
		return nil
	}
	must := func(args ...string) {
		t.Helper()
		if err := git(args...); err != nil {
			t.Fatal(err)
		}
	}
	must("init", "--quiet", "-b", "main")
	s := open(filepath.Join(repo, ".chatrail"), Options{})
	if err := s.create(t.Context(), genesis()); err != nil {
		t.Fatal(err)
	}
	mustApply(t, s, say("old", note("tasks/a.md", "old")))
	must("add", "-A")
	must("commit", "--quiet", "-m", "old")
	must("branch", "old")
	mustApply(t, s, say("newer", note("tasks/a.md", "newer")))
	mustApply(t, s, say("newest", note("tasks/b.md", "newest")))
	must("add", "-A")
	must("commit", "--quiet", "-m", "new")

	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 2 {
		store := open(s.path, Options{})
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, _, err := store.Apply(ctx, say(fmt.Sprintf("writer %d change %d", w, i), note("tasks/a.md", fmt.Sprint(w, i))))
				var frozen *bundle.FrozenError
				if err != nil && !errors.As(err, &frozen) && ctx.Err() == nil && !errors.Is(err, bundle.ErrNotFound) && !missing(err) {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	for i := range 12 {
		// A switch that a writer gets in the way of is git's to refuse.
		_ = git("checkout", "--quiet", "--force", []string{"old", "main"}[i%2])
		if v, err := s.look(t.Context(), true); err == nil && v.history != nil && v.fault != "" {
			t.Errorf("the history is damaged: %s", v.fault)
		}
	}
	stop()
	wg.Wait()
	for branch, want := range map[string]string{"old": "old", "main": "newest"} {
		must("checkout", "--quiet", "--force", branch)
		if tip := mustTip(t, s); tip.State.Compass.Drift != want {
			t.Errorf("after a checkout of %s the tip says %q", branch, tip.State.Compass.Drift)
		}
		mustApply(t, s, say("continued"))
		if report := mustVerify(t, s); !report.Valid {
			t.Errorf("report %+v", *report)
		}
	}
}

func TestReaderWaitsForSomebodyWhoReplacesTheFilesOneByOne(t *testing.T) {
	s := newBundle(t, say("one"), say("two"), say("three"))
	old := copyBundle(t, "healthy")
	s.patience = 0
	looks := 0
	s.opts.Cache = hook(func() {
		// Between the looks of one read, one file after the other arrives.
		if looks < len(files) {
			writeFile(t, s.file(files[looks]), readText(t, old.file(files[looks])))
		}
		looks++
	})
	s.forget()
	if tip := mustTip(t, s); tip.Event.Reason != "Flaky CI is being fixed first" {
		t.Errorf("tip is %q", tip.Event.Reason)
	}
	if looks < len(files) {
		t.Errorf("%d looks: this test shows nothing", looks)
	}
}

// hook is a Cache that is empty and calls a function at each look.
type hook func()

func (h hook) Load() []byte { h(); return nil }
func (h hook) Save([]byte)  {}
