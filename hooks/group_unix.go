//go:build unix

package hooks

import (
	"os"
	"os/exec"
	"syscall"
)

// apart starts a command in a session of its own: it has no terminal that a
// program below it could ask on, and it ends with all that it started.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		// It is not waited for yet, so its number still names its group.
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// EndApart ends this process with all that it started and that is still there,
// where it was started apart; otherwise it does nothing.
func EndApart() {
	if syscall.Getpgrp() == os.Getpid() && os.Getenv(Carrying) != "" {
		syscall.Kill(-os.Getpid(), syscall.SIGKILL)
	}
}

// endedApart tells whether a process ended as EndApart ends it. It had said what
// there was to say.
func endedApart(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
