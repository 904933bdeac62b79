package gitstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/refs"
)

func init() {
	children["append"] = childAppend
	children["create"] = childCreate
	children["once"] = childOnce
}

// childStore is the bundle that a child process was started for.
func childStore() (*Store, error) {
	repo, err := refs.At(os.Getenv("CHATRAIL_TEST_DIR"))
	if err != nil {
		return nil, err
	}
	o := options()
	o.JournalDir = os.Getenv("CHATRAIL_TEST_JOURNAL")
	return Open(repo, o), nil
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// number reads a number from the environment: the long runs set it.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// childAppend appends revisions and prints the id of each that was accepted.
func childAppend() int {
	s, err := childStore()
	if err != nil {
		return fail(err)
	}
	for i := range number("CHATRAIL_TEST_APPENDS", 1) {
		rev, _, err := s.Apply(context.Background(), drift(fmt.Sprint(os.Getenv("CHATRAIL_TEST_NAME"), " ", i)))
		if err != nil {
			return fail(err)
		}
		fmt.Println(rev.ID)
	}
	return 0
}

func TestEveryAcceptedRevisionIsReachableBesideBusyGitCommands(t *testing.T) {
	t.Parallel()
	writers, appends := number("CHATRAIL_WRITERS", 4), number("CHATRAIL_APPENDS", 8)
	dir := newRepo(t)
	s := started(t, dir)
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, ".", "clone", "-q", dir, clone)

	stop := make(chan struct{})
	var noise, work sync.WaitGroup
	loop := func(in string, args ...string) {
		noise.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				args := strings.Split(strings.ReplaceAll(strings.Join(args, "\x00"), "%n", strconv.Itoa(n%7)), "\x00")
				if out, err := gitTry(in, args...); err != nil {
					t.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
		})
	}
	loop(dir, "pack-refs", "--all")
	loop(dir, "gc", "-q")
	loop(dir, "update-ref", "refs/heads/other-%n", "HEAD")
	loop(clone, "fetch", "-q", "origin", "+refs/*:refs/origin/*")

	accepted := make([][]string, writers)
	for w := range writers {
		work.Go(func() {
			cmd := child("append", "CHATRAIL_TEST_DIR="+dir, "CHATRAIL_TEST_NAME="+fmt.Sprint("writer ", w),
				"CHATRAIL_TEST_APPENDS="+strconv.Itoa(appends))
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("writer %d: %v", w, err)
			}
			accepted[w] = strings.Fields(string(out))
		})
	}
	work.Wait()
	close(stop)
	noise.Wait()

	times := map[string]int{}
	for _, r := range walked(t, s, "") {
		times[r.ID]++
		times[r.Event.Reason]++
	}
	for w, ids := range accepted {
		if len(ids) != appends {
			t.Errorf("writer %d had %d revisions accepted, of %d", w, len(ids), appends)
		}
		for i, id := range ids {
			if reason := fmt.Sprint("writer ", w, " ", i); times[id] != 1 || times[reason] != 1 {
				t.Errorf("%s is reachable %d times, %q %d times", id, times[id], reason, times[reason])
			}
		}
	}
	wantValid(t, openAt(t, dir), dir, writers*appends+1)
}

// childCreate creates the bundle and prints the root that there is then.
func childCreate() int {
	s, err := childStore()
	if err != nil {
		return fail(err)
	}
	rev, err := s.Create(context.Background(), genesisDraft())
	if err != nil && !errors.Is(err, ErrExists) {
		return fail(err)
	}
	fmt.Println(rev.ID, err == nil)
	return 0
}

func TestManyProcessesCreateExactlyOneGenesis(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	var all sync.WaitGroup
	answers := make([]string, 8)
	for i := range answers {
		all.Go(func() {
			out, err := child("create", "CHATRAIL_TEST_DIR="+dir).Output()
			if err != nil {
				t.Error(err)
			}
			answers[i] = strings.TrimSpace(string(out))
		})
	}
	all.Wait()
	root := git(t, dir, "rev-parse", testRef)
	made := 0
	for _, answer := range answers {
		id, created, _ := strings.Cut(answer, " ")
		if id != root {
			t.Errorf("a process saw the root %s, it is %s", id, root)
		}
		if created == "true" {
			made++
		}
	}
	if made != 1 {
		t.Errorf("%d processes created", made)
	}
	wantValid(t, openAt(t, dir), dir, 1)
}

// childOnce records one review, once: it looks for it among the revisions
// before it writes, as a caller does that may have died after writing.
func childOnce() int {
	s, err := childStore()
	if err != nil {
		return fail(err)
	}
	review := os.Getenv("CHATRAIL_TEST_NAME")
	fmt.Println("ready")
	_, _, err = s.Apply(context.Background(), recordOnce(s, review))
	if err != nil {
		return fail(err)
	}
	return 0
}

func recordOnce(s *Store, review string) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		there := false
		err := s.Walk(context.Background(), present.ID, func(r *bundle.Revision) (bool, error) {
			there = r.Event.ReviewID == review
			return !there, nil
		})
		if there || err != nil {
			return bundle.Draft{State: present.State}, err
		}
		d, err := drift(review)(present)
		d.Meta.ReviewID = review
		return d, err
	}
}

func TestKilledWriterLeavesTheOldOrTheNewTip(t *testing.T) {
	t.Parallel()
	kills := number("CHATRAIL_KILLS", 30)
	dir := newRepo(t)
	s := started(t, dir)
	journal := filepath.Join(t.TempDir(), "journal")
	killed, moved := 0, 0
	// The moments of the kills are drawn up to a time that follows how long a
	// write takes here, so that they fall into it on any machine.
	span := 40 * time.Millisecond
	for i := range kills {
		review := fmt.Sprint("review-", i)
		old, err := s.repo.Read(testRef)
		if err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		cmd := child("once", "CHATRAIL_TEST_DIR="+dir, "CHATRAIL_TEST_JOURNAL="+journal, "CHATRAIL_TEST_NAME="+review)
		if killAfter(t, cmd, rand.N(span)) {
			killed++
			span += span / 8
		} else {
			span -= span / 3
		}
		tip, err := s.Tip(t.Context())
		if err != nil {
			t.Fatalf("kill %d: tip: %v", i, err)
		}
		if tip.ID != old && (tip.Event.ReviewID != review || tip.Parents[0] != old) {
			t.Fatalf("kill %d: the tip is %s, neither the old nor the new one", i, tip.ID)
		}
		if tip.ID != old {
			moved++
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if _, _, err := s.Apply(ctx, recordOnce(s, review)); err != nil {
			t.Fatalf("kill %d: the next write: %v", i, err)
		}
		cancel()
	}
	t.Logf("%d of %d processes were killed, %d had moved the reference", killed, kills, moved)
	if killed == 0 || moved == 0 {
		t.Error("the kills all came too late, or all too early")
	}
	times := map[string]int{}
	for _, r := range walked(t, s, "") {
		times[r.Event.ReviewID]++
	}
	for i := range kills {
		if review := fmt.Sprint("review-", i); times[review] != 1 {
			t.Errorf("%s is recorded %d times", review, times[review])
		}
	}
	if locks, _ := filepath.Glob(filepath.Join(dir, ".git/refs/chatrail/*.lock")); len(locks) != 0 {
		t.Errorf("locks are left: %q", locks)
	}
	git(t, dir, "update-ref", testRef, testRef)
	wantValid(t, s, dir, kills+1)
}

// killAfter starts a process, waits until it is ready and then a moment, and
// kills it. It says whether the process was still there to be killed.
func killAfter(t *testing.T, cmd *exec.Cmd, moment time.Duration) bool {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(moment)
	cmd.Process.Kill()
	return cmd.Wait() != nil
}
