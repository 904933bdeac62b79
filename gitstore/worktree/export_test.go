package worktree

// For tests that also need the packages that import this one.
var (
	Lines     = lines
	Judged    = judged
	Footprint = footprint
	Needs     = needs
)
