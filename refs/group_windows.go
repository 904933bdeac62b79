package refs

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup starts a command with a console that nobody sees: no window asks.
// It is ended with everything that it started.
func ownGroup(cmd *exec.Cmd) {
	const noWindow = 0x08000000 // CREATE_NO_WINDOW
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: noWindow}
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
}

// killGroup has nothing left to do: the whole tree ended with the command.
func killGroup(*exec.Cmd) {}
