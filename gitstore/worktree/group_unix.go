//go:build unix

package worktree

import (
	"os/exec"
	"syscall"
)

// inGroup makes a command end with all that it started: a filter that hangs
// would outlive git otherwise, and hold its output open.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		// Git is not waited for yet, so its number still names its group.
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return nil
	}
}
