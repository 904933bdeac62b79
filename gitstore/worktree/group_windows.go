package worktree

import "os/exec"

// inGroup leaves a command as it is: it is killed alone, and its output is let go
// of a moment later.
func inGroup(*exec.Cmd) {}
