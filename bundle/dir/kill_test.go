package dir

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/temptest"
)

// The test binary starts itself as a child that writes, so that it can die like
// a process dies.
const (
	childEnv = "CHATRAIL_DIR_CHILD" // what the child does: write, create
	pathEnv  = "CHATRAIL_DIR_PATH"
	countEnv = "CHATRAIL_DIR_COUNT" // appends of a writing child
)

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		temptest.InMemory()
		os.Exit(m.Run())
	case "write":
		childWrites()
	case "create":
		childCreates()
	}
}

// childWrites adds to the number in the drift, and says each event's id once it
// is recorded.
func childWrites() {
	count, _ := strconv.Atoi(os.Getenv(countEnv))
	s := childStore()
	for i := range count {
		rev, changed, err := s.Apply(context.Background(), func(present *bundle.Revision) (bundle.Draft, error) {
			n, _ := strconv.Atoi(present.State.Compass.Drift)
			d, err := say(strconv.Itoa(n+1), note("tasks/count.md", strconv.Itoa(n+1)))(present)
			d.Meta.Reason = "count"
			return d, err
		})
		if err != nil || !changed {
			fmt.Printf("failed %d: %v, %v\n", i, changed, err)
			os.Exit(1)
		}
		fmt.Println(rev.ID)
	}
}

func childCreates() {
	s := childStore()
	fmt.Println("ready")
	switch err := s.create(context.Background(), genesis()); {
	case err == nil:
		fmt.Println("created")
	case errors.Is(err, ErrExists):
		fmt.Println("exists")
	default:
		fmt.Println("failed", err)
		os.Exit(1)
	}
}

// childStore syncs in the long runs only: a killed process takes nothing of what
// it wrote with it.
func childStore() *Store {
	if os.Getenv("CHATRAIL_KILLS")+os.Getenv("CHATRAIL_WRITERS") != "" {
		return Open(os.Getenv(pathEnv), Options{})
	}
	return open(os.Getenv(pathEnv), Options{})
}

// child starts the test binary as a child.
func child(t *testing.T, does, path string, count int) (*exec.Cmd, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+does, pathEnv+"="+path, countEnv+"="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// fromEnv reads how much a long run should do.
func fromEnv(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

func TestKilledWritersLeaveTheOldOrTheNewState(t *testing.T) {
	t.Parallel()
	// On a busy machine fewer kills have to do, but for a long run.
	const usual, least, budget = 100, 20, 3 * time.Second
	kills, begun := int64(fromEnv("CHATRAIL_KILLS", usual)), time.Now()
	enough := func(n int64) bool {
		return n > kills || kills == usual && n > least && time.Since(begun) > budget
	}
	s := newBundle(t)
	var killed atomic.Int64
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !enough(killed.Add(1)) {
				cmd, out := child(t, "write", s.path, 1<<30)
				lines := bufio.NewScanner(out)
				// The first event is a sign of life, some more may follow.
				for n := 0; lines.Scan(); n++ {
					mu.Lock()
					acknowledged[lines.Text()] = true
					mu.Unlock()
					if n == 0 {
						time.AfterFunc(rand.N(4*time.Millisecond), func() { _ = cmd.Process.Kill() })
					}
				}
				_ = cmd.Wait()
				if _, err := s.Tip(context.Background()); err != nil {
					t.Errorf("after a kill: %v", err)
				}
			}
		})
	}
	wg.Wait()
	mustCount(t, s, acknowledged)
	mustApply(t, s, say("the end"))
	mustHaveNoTemps(t, s)
}

func TestProcessesThatWriteAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	writers, appends := fromEnv("CHATRAIL_WRITERS", 4), fromEnv("CHATRAIL_APPENDS", 10)
	s := newBundle(t)
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	var wg sync.WaitGroup
	for range writers {
		cmd, out := child(t, "write", s.path, appends)
		wg.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				mu.Lock()
				acknowledged[lines.Text()] = true
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := mustCount(t, s, acknowledged); n != writers*appends || len(acknowledged) != n {
		t.Errorf("%d events and %d acknowledged, want %d", n, len(acknowledged), writers*appends)
	}
	mustBeClean(t, s)
}

// mustCount checks that each acknowledged event is there once and that the state
// counts every event; it returns how many there are.
func mustCount(t *testing.T, s *Store, acknowledged map[string]bool) int {
	t.Helper()
	if report := mustVerify(t, s); !report.Valid {
		t.Fatalf("report %+v", *report)
	}
	seen := map[string]int{}
	events := 0
	err := s.Walk(t.Context(), "", func(rev *bundle.Revision) (bool, error) {
		seen[rev.ID]++
		if rev.Event.Reason == "count" {
			events++
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range acknowledged {
		if seen[id] != 1 {
			t.Errorf("acknowledged event %q is there %d times", id, seen[id])
		}
	}
	tip := mustTip(t, s)
	if got := tip.State.Compass.Drift; got != strconv.Itoa(events) || tip.State.Rail.Open[0].Summary != got {
		t.Errorf("the state counts %s events, there are %d", got, events)
	}
	return events
}

func mustHaveNoTemps(t *testing.T, s *Store) {
	t.Helper()
	if temps, err := s.filesWith(tempPrefix); err != nil || len(temps) > 0 {
		t.Errorf("temporary files %q, %v", temps, err)
	}
}

func TestParallelCreatesMakeOneGenesisAlsoWhenSomeAreKilled(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		parent := t.TempDir()
		path := filepath.Join(parent, ".chatrail")
		var created, failed atomic.Int64
		var wg sync.WaitGroup
		for i := range 10 {
			cmd, out := child(t, "create", path, 0)
			wg.Go(func() {
				for lines := bufio.NewScanner(out); lines.Scan(); {
					switch word, _, _ := strings.Cut(lines.Text(), " "); {
					case word == "ready" && i%2 == 0:
						time.AfterFunc(rand.N(2*time.Millisecond), func() { _ = cmd.Process.Kill() })
					case word == "created":
						created.Add(1)
					case word == "failed":
						failed.Add(1)
						t.Error(lines.Text())
					}
				}
				_ = cmd.Wait()
			})
		}
		wg.Wait()
		if created.Load() > 1 || failed.Load() > 0 {
			t.Fatalf("round %d: %d created, %d failed", round, created.Load(), failed.Load())
		}
		// The one that created it may have been killed before it could say so.
		s := open(path, Options{})
		if err := s.create(t.Context(), genesis()); !errors.Is(err, ErrExists) {
			t.Fatalf("round %d: a rerun gives %v", round, err)
		}
		if report := mustVerify(t, s); !report.Valid || report.Events != 1 {
			t.Fatalf("round %d: report %+v", round, *report)
		}
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) != 1 {
			t.Fatalf("round %d: beside the bundle lie %v, %v", round, entries, err)
		}
	}
}
