package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is the far end of a new pseudo-terminal.
func terminal(t *testing.T) *os.File {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { near.Close() })
	if err := unix.IoctlSetPointerInt(int(near.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(near.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	far, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { far.Close() })
	return far
}

// A shell that calls itself the client runs the test binary as its hook.
func TestHookSeesTheTerminalOfItsClient(t *testing.T) {
	if out := os.Getenv("AGENT_TEST_OUT"); out != "" {
		p, err := Parse(Gemini, os.Stdin, noEnv)
		if err := os.WriteFile(out, fmt.Appendf(nil, "%t %v", p.Event.Unattended, err), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	tty := terminal(t)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	const hook = `echo '{"session_id":"s","hook_event_name":"AfterAgent"}' | "$SELF" -test.run TestHookSeesTheTerminal >/dev/null 2>&1; true`
	for name, c := range map[string]struct {
		title      string
		in         *os.File
		more       []string
		unattended bool
	}{
		"on a terminal":         {"gemini", tty, nil, false},
		"with one prompt":       {"gemini", tty, []string{"x", "-p", "hello"}, true},
		"without a terminal":    {"gemini", null, nil, true},
		"under another program": {"editor", tty, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command(sh)
			cmd.Args = append([]string{c.title, "-c", hook}, c.more...)
			cmd.Env = []string{"SELF=" + self, "AGENT_TEST_OUT=" + out, "PATH=" + os.Getenv("PATH")}
			cmd.Stdin, cmd.Stdout = c.in, tty
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(out)
			if want := fmt.Sprintf("%t <nil>", c.unattended); err != nil || strings.TrimSpace(string(got)) != want {
				t.Errorf("%q, want %q, %v", got, want, err)
			}
		})
	}
}
