package share_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chatrail/bundle"
)

// every is how often a loop syncs.
const every = 50 * time.Millisecond

// Machines that sync in a loop while they write come to rest at one revision as
// soon as nobody writes, and make no merge without a cause on the way.
func TestLoopsThatSyncComeToRest(t *testing.T) {
	writes, quiet := number("CHATRAIL_APPENDS", 2), number("CHATRAIL_QUIET", 2)
	for _, n := range []int{2, 3, 4} {
		if n > 2 && os.Getenv("CHATRAIL_APPENDS") == "" {
			continue // in the long run
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := t.TempDir()
			hub := newHub(t, filepath.Join(dir, "hub"))
			clones := looping(t, dir, hub, n)
			done, beside := make(chan struct{}), make(chan []string)
			go func() { beside <- clones[0].writeAlong(t, done) }()
			var all sync.WaitGroup
			for _, c := range clones {
				all.Go(func() { c.loop(t, writes, hub) })
			}
			all.Wait()
			close(done)
			local := <-beside
			for _, c := range clones { // everything goes up, and comes down
				c.mustSync(t, hub)
			}
			last := tip(t, hub)
			for _, c := range clones {
				c.mustSync(t, hub)
			}
			wantAtRest(t, clones, hub)
			if now := tip(t, hub); now != last {
				t.Errorf("after a round the hub went on from %s to %s", last, now)
			}
			made := held(t, clones, hub)
			for range quiet {
				for _, c := range clones {
					c.mustSync(t, hub)
				}
			}
			wantAtRest(t, clones, hub)
			if after := held(t, clones, hub); after != made {
				t.Errorf("at rest the repositories went from %s to %s", made, after)
			}
			c := clones[n-1]
			wantReasons(t, c, append(local, reasons(clones, writes)...))
			wantCauses(t, hub)
			c.wantSound(t)
		})
	}
}

// looping are clones of a hub that all have the bundle.
func looping(t *testing.T, dir, hub string, n int) (clones []*clone) {
	t.Helper()
	for i := range n {
		c := newClone(t, filepath.Join(dir, fmt.Sprint("clone", i)), string(rune('a'+i)), true)
		git(t, c.dir, "remote", "add", "origin", hub)
		if i == 0 {
			first := bundle.Draft{State: bundle.DefaultState(), Meta: bundle.EventMeta{Reason: "begin"}}
			if _, err := c.store.Create(t.Context(), first); err != nil {
				t.Fatal(err)
			}
		}
		c.mustSync(t, hub)
		clones = append(clones, c)
	}
	return clones
}

// loop writes and syncs in turn. Others may be first more often than a sync
// tries: it is done again, as in a loop.
func (c *clone) loop(t *testing.T, writes int, hubs ...string) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := range writes {
		c.record(t, fmt.Sprintf("%s %d", c.who, i))
		<-tick.C
		for {
			_, err := c.sync(t.Context(), hubs[i%len(hubs)])
			if err == nil {
				break
			}
			if !moved(err) {
				t.Errorf("%s: %v", c.who, err)
				return
			}
		}
	}
}

func (c *clone) record(t *testing.T, text string) {
	_, _, err := c.store.Apply(t.Context(), func(now *bundle.Revision) (bundle.Draft, error) {
		state := now.State
		state.Compass.Drift = text
		return bundle.Draft{State: state, Meta: bundle.EventMeta{ReviewID: "review", Reason: text}}, nil
	})
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// writeAlong writes to the clone of a loop and never syncs, as another process
// does. It returns what was accepted.
func (c *clone) writeAlong(t *testing.T, done chan struct{}) (accepted []string) {
	other := *c
	other.restart(t)
	longest := time.Duration(0)
	for i := 0; ; i++ {
		select {
		case <-done:
			t.Logf("%d written beside the loops, the longest wait was %v", len(accepted), longest)
			return accepted
		case <-time.After(every):
		}
		begun := time.Now()
		text := fmt.Sprint("beside ", i)
		other.record(t, text)
		longest = max(longest, time.Since(begun))
		accepted = append(accepted, text)
	}
}

func reasons(clones []*clone, writes int) (all []string) {
	for _, c := range clones {
		for i := range writes {
			all = append(all, fmt.Sprintf("%s %d", c.who, i))
		}
	}
	return all
}

// wantReasons wants each of these recorded once.
func wantReasons(t *testing.T, c *clone, want []string) {
	t.Helper()
	times := map[string]int{}
	err := c.store.Walk(context.Background(), "", func(r *bundle.Revision) (bool, error) {
		times[r.Event.Reason]++
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range want {
		if times[reason] != 1 {
			t.Errorf("%q is recorded %d times", reason, times[reason])
		}
	}
}

// wantAtRest wants one tip everywhere.
func wantAtRest(t *testing.T, clones []*clone, hubs ...string) {
	t.Helper()
	want := tip(t, hubs[0])
	for _, hub := range hubs {
		if got := tip(t, hub); got != want {
			t.Errorf("%s is at %s, %s at %s", filepath.Base(hub), got, filepath.Base(hubs[0]), want)
		}
	}
	for _, c := range clones {
		if got := tip(t, c.dir); got != want {
			t.Errorf("%s is at %s, the hub at %s", c.who, got, want)
		}
	}
}

// held says how much every repository holds and how often its reference
// moved.
func held(t *testing.T, clones []*clone, hubs ...string) string {
	t.Helper()
	var all []string
	for _, c := range clones {
		log, err := os.ReadFile(filepath.Join(c.dir, ".git", "logs", project))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(tip(t, c.dir), strings.Count(string(log), "\n")))
	}
	for _, hub := range hubs {
		all = append(all, git(t, hub, "count-objects", "-v"), tip(t, hub))
	}
	return strings.Join(all, "\n")
}

// wantCauses wants each merge of a history to bring a revision together with
// another: one of its sides has one that the other lacks.
func wantCauses(t *testing.T, dir string) {
	t.Helper()
	merges := 0
	for line := range strings.SplitSeq(git(t, dir, "rev-list", "--merges", "--parents", project), "\n") {
		ids := strings.Fields(line)
		if len(ids) == 0 {
			continue
		}
		merges++
		if len(ids) != 3 || git(t, dir, "rev-list", "--no-merges", "--count", ids[1]+"..."+ids[2]) == "0" {
			t.Errorf("merge %s has no cause", line)
		}
	}
	written, err := strconv.Atoi(git(t, dir, "rev-list", "--no-merges", "--count", project))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d merges of %d revisions", merges, written)
	if merges >= written {
		t.Errorf("%d merges of %d revisions", merges, written)
	}
}

// A machine that syncs with two hubs in turn, and one more at each of them.
func TestLoopsWithTwoRemotesComeToRest(t *testing.T) {
	writes, quiet := number("CHATRAIL_APPENDS", 2), number("CHATRAIL_QUIET", 1)
	dir := t.TempDir()
	one, two := newHub(t, filepath.Join(dir, "one")), newHub(t, filepath.Join(dir, "two"))
	clones := looping(t, dir, one, 3)
	clones[0].mustSync(t, two)
	places := [][]string{{one, two}, {one}, {two}}
	for i, hubs := range places {
		git(t, clones[i].dir, "remote", "remove", "origin")
		for _, hub := range hubs {
			git(t, clones[i].dir, "remote", "add", filepath.Base(hub), hub)
		}
	}
	var all sync.WaitGroup
	for i, c := range clones {
		all.Go(func() { c.loop(t, writes, places[i]...) })
	}
	all.Wait()
	round := func() {
		for i, c := range clones {
			for _, hub := range places[i] {
				c.mustSync(t, hub)
			}
		}
	}
	round()
	round()
	round()
	made := held(t, clones, one, two)
	for range quiet {
		round()
	}
	if after := held(t, clones, one, two); after != made {
		t.Errorf("at rest the repositories went from %s to %s", made, after)
	}
	for _, path := range []string{bundle.CompassFile, bundle.RailFile} {
		if git(t, one, "rev-parse", project+":"+path) != git(t, two, "rev-parse", project+":"+path) {
			t.Errorf("%s differs at rest", path)
		}
	}
	clones[2].record(t, "one more")
	round() // to the second hub,
	round() // by the first machine from there and to the first hub,
	round() // and to the machine that knows only this one
	wantAtRest(t, clones, one, two)
	wantReasons(t, clones[0], append(reasons(clones, writes), "one more"))
	wantCauses(t, one)
	clones[0].wantSound(t)
}
