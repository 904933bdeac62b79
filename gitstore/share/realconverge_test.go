package share_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/merge/mergetest"

	"pgregory.net/rapid"
)

// The promise of TestMachinesConverge, with real repositories: what is written
// to disc, fetched and pushed by git, and read back.
func TestRealRepositoriesConverge(t *testing.T) {
	checks(t, number("CHATRAIL_CASES", 2))
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		dir, err := os.MkdirTemp("", "chatrail-converge-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		hub := newHub(t, filepath.Join(dir, "hub"))
		var clones []*clone
		for i := range rapid.IntRange(2, 4).Draw(t, "clones") {
			c := newClone(t, filepath.Join(dir, fmt.Sprint("clone", i)), string(rune('a'+i)), rapid.Bool().Draw(t, "journal"))
			clones = append(clones, c)
		}
		s := mergetest.Start(t)
		if _, err := clones[0].store.Create(ctx, s.First()); err != nil {
			t.Fatal(err)
		}
		for _, c := range clones {
			c.mustSync(t, hub)
		}
		written := []string{tip(t, hub)}
		some := rapid.SampledFrom(clones)
		for range rapid.IntRange(2, 14).Draw(t, "steps") {
			c := some.Draw(t, "clone")
			switch n := rapid.IntRange(0, 9).Draw(t, "what"); {
			case n < 5:
				rev, changed, err := c.store.Apply(ctx, c.draft(t, s))
				if err != nil {
					t.Fatal(err)
				}
				if changed {
					written = append(written, rev.ID)
				}
			case n < 7: // in pairs
				if other := some.Draw(t, "other"); other != c {
					c.mustSync(t, other.dir)
				}
			case n == 7:
				c.restart(t)
			default:
				c.mustSync(t, hub)
			}
		}
		for range 2 {
			for _, c := range clones {
				c.mustSync(t, hub)
			}
		}
		want := tip(t, hub)
		for _, c := range clones {
			if got := tip(t, c.dir); got != want {
				t.Fatalf("%s is at %s, the hub at %s", c.who, got, want)
			}
			c.restart(t)
			c.wantSound(t)
		}
		last := clones[len(clones)-1]
		for _, id := range written {
			git(t, last.dir, "merge-base", "--is-ancestor", id, want)
		}
		rev, err := last.store.Tip(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Stands(rev.State, last.notes(t, want)); err != nil {
			t.Fatal(err)
		}
	})
}

// draft is an edit of a story, the same whenever the store asks again.
func (c *clone) draft(t *rapid.T, s *mergetest.Story) bundle.Change {
	rev, err := c.store.Tip(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := s.Draft(rev.State, c.notes(t, rev.ID))
	return func(*bundle.Revision) (bundle.Draft, error) { return d, nil }
}
