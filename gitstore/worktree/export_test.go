package worktree

import "testing"

// For tests that also need the packages that import this one.
var (
	Lines     = lines
	Judged    = judged
	Footprint = footprint
	Needs     = needs
	Cases     = cases
)

// Grow makes the random work tree of a seed and tells what was done to it.
func Grow(t *testing.T, seed int) (dir string, log []string) {
	g := grow(t, seed)
	return g.dir, g.log
}
