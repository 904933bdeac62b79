package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
)

// TestFiguresOfAHistory measures what a history costs that many revisions long, in
// a repository after git gc, and what a merge costs of sides that are further and
// further apart. It prints two Markdown tables:
//
//	CHATRAIL_FIGURES=1000,10000,100000 go test -run TestFiguresOfAHistory -timeout 2h -v ./gitstore
func TestFiguresOfAHistory(t *testing.T) {
	lengths := os.Getenv("CHATRAIL_FIGURES")
	if lengths == "" {
		t.Skip("set CHATRAIL_FIGURES to the lengths that are to be measured")
	}
	took := func(do func()) time.Duration {
		start := time.Now()
		do()
		return time.Since(start)
	}
	fmt.Println("| revisions | packed, KiB for 1,000 | push into an empty repository | fetch into an empty one | check of all that was fetched | git gc |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: | ---: |")
	for word := range strings.SplitSeq(lengths, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		dir := newRepo(t)
		s := openAt(t, dir)
		tip := create(t, s, genesisDraft()).ID
		for left := n - 1; left > 0; left -= 500 {
			tip = line(t, s, tip, min(left, 500), months(fmt.Sprint("long", left)))
		}
		git(t, dir, "update-ref", testRef, tip)
		gc := took(func() { git(t, dir, "gc", "-q", "--prune=now") })
		size := packed(t, filepath.Join(dir, ".git"))
		hub, here := filepath.Join(t.TempDir(), "hub.git"), newRepo(t)
		git(t, dir, "init", "-q", "--bare", hub)
		push := took(func() { git(t, dir, "push", "-q", hub, testRef) })
		fetch := took(func() { git(t, here, "fetch", "-q", "file://"+hub, testRef+":refs/chatrail-remote/origin/project") })
		there := openAt(t, here)
		check := took(func() {
			if _, err := there.Inspect(t.Context(), Inspection{Tip: tip, Merge: there.Remake}); err != nil {
				t.Fatal(err)
			}
		})
		fmt.Printf("| %d | %d | %s | %s | %s | %s |\n", n, size/1024*1000/int64(n), seconds(push), seconds(fetch), seconds(check), seconds(gc))
	}

	fmt.Println("\n| apart, revisions on each side | merge, ms | relation alone, ms |\n| ---: | ---: | ---: |")
	for _, n := range []int{1, 10, 100, 1_000, 5_000} {
		dir := newRepo(t)
		s := openAt(t, dir)
		base := create(t, s, genesisDraft()).ID
		one, two := line(t, s, base, n, months("one")), line(t, s, base, n, months("two"))
		git(t, dir, "update-ref", "refs/packed/one", one)
		git(t, dir, "update-ref", "refs/packed/two", two)
		git(t, dir, "repack", "-q", "-a", "-d")
		var merges, relations []time.Duration
		for range 5 {
			merges = append(merges, took(func() {
				if _, err := s.Merge(t.Context(), one, two); err != nil {
					t.Fatal(err)
				}
			}))
			relations = append(relations, took(func() {
				if _, err := s.Relate(t.Context(), one, two); err != nil {
					t.Fatal(err)
				}
			}))
		}
		slices.Sort(merges)
		slices.Sort(relations)
		fmt.Printf("| %d | %d | %d |\n", n, merges[2].Milliseconds(), relations[2].Milliseconds())
	}
}

// months are many days, at whose end the questions are answered.
func months(who string) func(int) bundle.Change {
	return func(i int) bundle.Change {
		day := aDay(fmt.Sprint(who, i/100))(i % 100)
		return func(present *bundle.Revision) (bundle.Draft, error) {
			d, err := day(present)
			if i%100 == 99 {
				d.State.Rail.Open = nil
			}
			return d, err
		}
	}
}

// packed is how many bytes the packs of a repository have, their indexes too.
func packed(t *testing.T, gitDir string) int64 {
	files, err := filepath.Glob(filepath.Join(gitDir, "objects", "pack", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
