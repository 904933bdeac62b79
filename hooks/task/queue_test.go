package task

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	road   = Place{Kind: KindGit, Path: "/p/.git", Ref: "refs/chatrail/project"}
	origin = Remote{Name: "origin"}
)

func queued(t *testing.T, h Home, p Place, to Remote, reason string) bool {
	t.Helper()
	first, err := h.Queue(ctx, p, to, reason)
	must(t, err)
	return first
}

func settled(t *testing.T, h Home, p Place, to Remote) bool {
	t.Helper()
	was, err := h.Settle(ctx, p, to)
	must(t, err)
	return was
}

func owed(t *testing.T, h Home, p Place) []Owed {
	t.Helper()
	all, err := h.Owed(p)
	must(t, err)
	return all
}

func TestAReasonIsNewsOnceUntilItChanges(t *testing.T) {
	h := newHome(t)
	for i, c := range []struct {
		reason string
		first  bool
	}{
		{"could not resolve host", true},
		{"could not resolve host", false},
		{"refused by a hook", true},
		{"could not resolve host", true},
		{"no answer on port 443 after 2049 ms", true},
		{"no answer on port 443 after 11 ms", false},
		{"cannot lock ref: is at 0a1b2c but expected 9f8e7d", true},
		{"cannot lock ref: is at 77aa00 but expected 0a1b2c", false},
	} {
		if got := queued(t, h, road, origin, c.reason); got != c.first {
			t.Errorf("%d, %q: %v", i, c.reason, got)
		}
	}
	all := owed(t, h, road)
	if len(all) != 1 || all[0].Tried != 8 || all[0].Reason != "cannot lock ref: is at 77aa00 but expected 0a1b2c" {
		t.Errorf("%+v", all)
	}
	if all[0].Since.IsZero() || all[0].Last.Before(all[0].Since) {
		t.Errorf("since %v, last %v", all[0].Since, all[0].Last)
	}
}

func TestWhatGotThroughIsOwedNoMore(t *testing.T) {
	h := newHome(t)
	other := Place{Kind: KindGit, Path: road.Path, Ref: "refs/chatrail/task/x"}
	if settled(t, h, road, origin) || exists(h.Dir) {
		t.Error("there was nothing, and something was written")
	}
	queued(t, h, road, origin, "gone")
	queued(t, h, road, Remote{Name: "backup"}, "gone")
	queued(t, h, other, origin, "gone")
	if !settled(t, h, road, origin) || settled(t, h, road, origin) {
		t.Error("not settled once")
	}
	if all := owed(t, h, road); len(all) != 1 || all[0].Name != "backup" {
		t.Errorf("%+v", all)
	}
	if all := owed(t, h, other); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	if !queued(t, h, road, origin, "gone") {
		t.Error("owed anew, and no news")
	}
}

// A remote may have several URLs: what got through to one is still owed to the
// others, and whoever names the remote alone means all of them.
func TestEachURLOfARemoteIsOwedForItself(t *testing.T) {
	h := newHome(t)
	a, b := Remote{"origin", "https://a.example/x"}, Remote{"origin", "https://b.example/x"}
	queued(t, h, road, origin, "gone") // by name
	if queued(t, h, road, a, "gone") {
		t.Error("the same debt is news again")
	}
	if !queued(t, h, road, b, "gone") {
		t.Error("the second URL is no news")
	}
	settled(t, h, road, a)
	if all := owed(t, h, road); len(all) != 1 || all[0].Remote != b || all[0].Tried != 1 {
		t.Errorf("%+v", all)
	}
	queued(t, h, road, a, "gone")
	settled(t, h, road, origin)
	if all := owed(t, h, road); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

func TestPushesSideBySideSayAReasonOnce(t *testing.T) {
	h := newHome(t)
	var said atomic.Int32
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			first, err := h.Queue(ctx, road, origin, "gone")
			if err != nil {
				t.Error(err)
			}
			if first {
				said.Add(1)
			}
		})
	}
	wg.Wait()
	if all := owed(t, h, road); said.Load() != 1 || len(all) != 1 || all[0].Tried != 12 {
		t.Errorf("said %d times; %+v", said.Load(), all)
	}
}

func TestADamagedQueueIsKeptAsideAndBegunAnew(t *testing.T) {
	for _, damage := range []string{"", "{", `{"version":2,"owed":[]}`, `[]`, "\x00"} {
		h := newHome(t)
		queued(t, h, road, origin, "gone")
		file := filepath.Join(h.Dir, queueDir, road.ID()+".json")
		write(t, file, damage)
		if _, err := h.Owed(road); err == nil {
			t.Errorf("%q was read", damage)
		}
		if !queued(t, h, road, origin, "gone") {
			t.Errorf("%q: no news", damage)
		}
		aside, _ := filepath.Glob(file + ".damaged-*")
		if len(aside) != 1 {
			t.Fatalf("%q: kept aside: %q", damage, aside)
		}
		if data, err := os.ReadFile(aside[0]); err != nil || string(data) != damage {
			t.Errorf("%q became %q, %v", damage, data, err)
		}
		if all := owed(t, h, road); len(all) != 1 {
			t.Errorf("%q: %+v", damage, all)
		}
	}
}

func TestTheQueueIsReadableByItsUserAlone(t *testing.T) {
	h := newHome(t)
	queued(t, h, road, origin, "gone")
	for path, want := range map[string]os.FileMode{queueDir: 0o700, filepath.Join(queueDir, road.ID()+".json"): 0o600} {
		info, err := os.Lstat(filepath.Join(h.Dir, path))
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestALinkInTheQueueIsNotFollowed(t *testing.T) {
	h := newHome(t)
	queued(t, h, road, origin, "gone")
	file := filepath.Join(h.Dir, queueDir, road.ID()+".json")
	elsewhere := filepath.Join(filepath.Dir(h.Dir), "elsewhere")
	must(t, os.Rename(file, elsewhere))
	must(t, os.Symlink(elsewhere, file))
	before, err := os.ReadFile(elsewhere)
	must(t, err)
	if _, err := h.Queue(ctx, road, origin, "other"); err == nil {
		t.Error("written through a link")
	}
	if _, err := h.Owed(road); err == nil {
		t.Error("read through a link")
	}
	if after, err := os.ReadFile(elsewhere); err != nil || string(after) != string(before) {
		t.Errorf("%s, %v", after, err)
	}
}

func TestTheQueueOfABundleIsBounded(t *testing.T) {
	h := newHome(t)
	for i := range maxOwed + 5 {
		queued(t, h, road, Remote{Name: fmt.Sprint("https://host.example/", i)}, "gone")
	}
	all := owed(t, h, road)
	if len(all) != maxOwed || all[maxOwed-1].Name != fmt.Sprint("https://host.example/", maxOwed+4) {
		t.Errorf("%d, the last one %+v", len(all), all[len(all)-1])
	}
}

func TestWhatIsOwedNeedsARemoteAndAReason(t *testing.T) {
	h := newHome(t)
	for _, c := range [][2]string{{"", "gone"}, {"origin", ""}} {
		if _, err := h.Queue(ctx, road, Remote{Name: c[0]}, c[1]); err == nil || exists(h.Dir) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte(`{"version":1,"path":"/p/.git","owed":[{"remote":"origin","url":"u","reason":"r","since":"2026-11-30T10:00:00Z","last":"2026-11-30T10:00:00Z","tried":3}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":2,"owed":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := decodeQueue(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(queue{Version: queueVersion, Owed: all})
		if err != nil {
			t.Fatal(err) // what was read can be written
		}
		back, err := decodeQueue(again)
		if err != nil || len(back) != len(all) {
			t.Errorf("%s became %s: %v", data, again, err)
		}
	})
}
