package worktree_test

import (
	"fmt"
	"runtime"
	"testing"

	"chatrail/gitstore/worktree"
	"chatrail/gitstore/worktree/fallback"
)

func TestRandomWorkTreesAreListedWithoutGitAsGitListsThem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("file systems that take two names for one are known to git alone")
	}
	for seed := range worktree.Cases(t, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir, log := worktree.Grow(t, seed)
			want, _ := worktree.Judged(t, dir, nil)
			before := worktree.Footprint(t, dir)
			t.Setenv("PATH", "")
			got, err := worktree.Changed(t.Context(), dir, worktree.Options{Fallback: fallback.Status})
			must(t, err)
			if worktree.Footprint(t, dir) != before {
				t.Error("asking changed something")
			}
			if worktree.Lines(got.Changed) != want || got.Refused != "" || !got.Approximate {
				t.Errorf("refused with %q, got\n%swant\n%s\nafter %q", got.Refused, worktree.Lines(got.Changed), want, log)
			}
		})
	}
}
