package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// scale is how much a long run does: a small number by default, the one in the
// environment where somebody asked for it.
func scale(t *testing.T, name string, small int) int {
	t.Helper()
	n := small
	if s := os.Getenv(name); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatalf("%s=%q: %v", name, s, err)
		}
	}
	return n
}

// backends are worlds with an orientation on each backend.
func backends(t *testing.T) map[string]*world {
	folder := newWorld(t, false)
	folder.run("chatrail", "init")
	return map[string]*world{"git": newWorld(t, true), "directory": folder}
}

// event is what a test reads of a recorded event.
type event struct {
	ReviewID string `json:"review_id"`
	Reason   string `json:"reason"`
}

// history is every event of the project's bundle, oldest first.
func (w *world) history() []event {
	w.t.Helper()
	var all []event
	for line := range strings.Lines(w.run("chatrail", "events")) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// sound checks a bundle and its repository after a long run.
func (w *world) sound(backend string) {
	w.t.Helper()
	if out := w.run("chatrail", "validate"); !strings.Contains(out, "valid") {
		w.t.Errorf("%s", out)
	}
	if backend != "git" {
		return
	}
	if out, err := w.command(w.project, "git", "fsck", "--strict").CombinedOutput(); err != nil || strings.Contains(string(out), "error") {
		w.t.Errorf("git fsck: %v\n%s", err, out)
	}
	locks, err := filepath.Glob(filepath.Join(w.project, ".git", "refs", "chatrail", "*.lock"))
	if err != nil || len(locks) > 0 {
		w.t.Errorf("locks left: %q, %v", locks, err)
	}
}

func TestKilledReconcileLeavesTheOldStateOrTheNewOne(t *testing.T) {
	t.Parallel()
	kills := scale(t, "CHATRAIL_KILLS", 12)
	for backend, w := range backends(t) {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			longest := 60 * time.Millisecond
			now := "Nothing yet."
			for i := range kills {
				s := w.event("claude", claudeDir+"UserPromptSubmit-plain.json", map[string]any{"session_id": "killed", "prompt_id": fmt.Sprint("p", i)})
				id := s.command()[strings.LastIndexByte(s.command(), ' ')+1:]
				next := fmt.Sprintf("Round %d.", i)
				args := []string{"reconcile", id, "--reason", next, "--now", next}
				cmd := w.command(w.project, "chatrail", args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				timer := time.AfterFunc(rand.N(longest), func() { _ = cmd.Process.Kill() })
				err := cmd.Wait()
				if timer.Stop(); err == nil { // it was faster: kill within its own time
					longest = time.Since(start)
				} else {
					longest += longest / 20
				}
				if i > 0 || err == nil {
					out := w.run("chatrail", "show", "compass")
					if !strings.Contains(out, now) && !strings.Contains(out, next) {
						t.Fatalf("neither the old state nor the new one:\n%s", out)
					}
				}
				if out := w.run("chatrail", args...); !strings.Contains(out, "Recorded") && !strings.Contains(out, "answered before") {
					t.Fatalf("a repeat: %s", out)
				}
				now = next
			}
			times := map[string]int{}
			for _, e := range w.history() {
				times[e.Reason]++
			}
			for i := range kills {
				if n := times[fmt.Sprintf("Round %d.", i)]; n != 1 {
					t.Errorf("round %d was recorded %d times", i, n)
				}
			}
			w.sound(backend)
		})
	}
}

// in is the same world for a subtest.
func (w *world) in(t *testing.T) *world {
	c := *w
	c.t = t
	return &c
}

func TestParallelWritersLoseNothingBesideGitsOwnCommands(t *testing.T) {
	t.Parallel()
	writers, accepted := scale(t, "CHATRAIL_WRITERS", 4), scale(t, "CHATRAIL_APPENDS", 3)
	for backend, w := range backends(t) {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			done := make(chan struct{})
			var beside sync.WaitGroup
			if backend == "git" {
				w.run("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "--allow-empty", "-m", "first")
				w.run("git", "clone", "-q", w.project, filepath.Join(w.root, "other"))
				for _, args := range [][]string{
					{"pack-refs", "--all"}, {"gc", "-q"}, {"fetch", "-q", filepath.Join(w.root, "other"), "+refs/heads/*:refs/remotes/other/*"},
					{"update-ref", "refs/heads/beside", "HEAD"}, {"status", "--porcelain"},
				} {
					beside.Add(1)
					go func() {
						defer beside.Done()
						for {
							select {
							case <-done:
								return
							case <-time.After(60 * time.Millisecond):
							}
							if out, err := w.command(w.project, "git", args...).CombinedOutput(); err != nil {
								t.Errorf("git %s: %v\n%s", args[0], err, out)
							}
						}
					}()
				}
			}
			var all sync.WaitGroup
			for i := range writers {
				all.Add(1)
				go func() {
					defer all.Done()
					for n := range accepted {
						if err := w.accept(fmt.Sprintf("w%d", i), n, []string{"--now", "--drift", "--return", "--open"}[i%4]); err != nil {
							t.Error(err)
							return
						}
					}
				}()
			}
			all.Wait()
			close(done)
			beside.Wait()
			times := map[string]int{}
			for _, e := range w.history() {
				times[e.Reason]++
			}
			for i := range writers {
				for n := range accepted {
					if got := times[fmt.Sprintf("w%d %d", i, n)]; got != 1 {
						t.Errorf("change %d of writer %d is there %d times", n, i, got)
					}
				}
			}
			if len(times) != writers*accepted+1 {
				t.Errorf("%d different events, not %d", len(times), writers*accepted+1)
			}
			w.sound(backend)
		})
	}
}

// accept opens a review and answers it until the answer is accepted.
func (w *world) accept(session string, n int, flag string) error {
	p := payload(w.t, claudeDir+"UserPromptSubmit-plain.json", map[string]any{
		"cwd": w.project, "session_id": session, "prompt_id": fmt.Sprint("p", n)})
	in, err := json.Marshal(p)
	if err != nil {
		return err
	}
	id := ""
	for try := 0; id == ""; try++ { // a hook that had to wait too long is silent
		cmd := w.command(w.project, "chatrail-hook", "claude")
		cmd.Stdin = strings.NewReader(strings.Replace(string(in), `"p`, fmt.Sprintf(`"%d-p`, try), 1))
		out, err := cmd.Output()
		if err != nil {
			return err
		}
		var s said
		if len(out) > 0 {
			if err := json.Unmarshal(out, &s); err != nil {
				return fmt.Errorf("%q: %w", out, err)
			}
		}
		if c := s.command(); c != "" {
			id = c[strings.LastIndexByte(c, ' ')+1:]
		} else if try > 50 {
			return fmt.Errorf("%s: no review in %d prompts", session, try)
		}
	}
	text := fmt.Sprintf("%s %d", session, n)
	for range 10_000 {
		out, err := w.command(w.project, "chatrail", "reconcile", id, "--reason", text, flag, text).CombinedOutput()
		if err == nil {
			return nil
		}
		if strings.Contains(string(out), "busy") {
			continue // an honest answer, with nothing written
		}
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 3 {
			return fmt.Errorf("%s: %w\n%s", text, err, out)
		}
	}
	return fmt.Errorf("%s was never accepted", text)
}
