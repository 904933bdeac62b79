package refs

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestAKilledSwapLeavesAValueAndNoObstacle(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := found(t, dir)
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: id(0)}))
	kills := 50
	if n, err := strconv.Atoi(os.Getenv("CHATRAIL_KILLS")); err == nil {
		kills = n
	}
	orphans := 0
	for range kills {
		told := killSoon(t, dir)
		old, err := r.Read(Project())
		must(t, err)
		n := number(old)
		if n < told || n > told+1 {
			t.Fatalf("the reference is at %s, the child was told %d", old, told)
		}
		if exists(r.stateFile(Project(), "tmp")) {
			orphans++
		}
		must(t, r.Swap(t.Context(), Swap{Name: Project(), Old: old, New: id(n + 1)}))
		noLeftovers(t, r)
	}
	t.Logf("%d of %d kills left something behind", orphans, kills)
}

// killSoon starts a counting child, lets it count a little and kills it. It
// returns the last number that the child said.
func killSoon(t *testing.T, dir string) int {
	t.Helper()
	cmd := child(t, "count", dir)
	out := &lastNumber{after: rand.IntN(3), enough: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	must(t, cmd.Start())
	<-out.enough
	pauseBriefly()
	must(t, cmd.Process.Kill())
	cmd.Wait()
	return out.last
}

// lastNumber is a child's output: it keeps the last whole line and says when
// there were enough of them.
type lastNumber struct {
	after  int
	enough chan struct{}
	last   int
	rest   []byte
}

func (l *lastNumber) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		n, err := strconv.Atoi(string(line))
		if err != nil {
			return 0, err
		}
		l.last, l.rest = n, rest
		if l.after--; l.after == -1 {
			close(l.enough)
		}
	}
}

// pauseBriefly waits for less than a swap takes, so that kills fall anywhere
// inside one.
func pauseBriefly() { time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond) }
