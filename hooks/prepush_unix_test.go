//go:build unix

package hooks

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/temptest"
)

func TestMain(m *testing.M) {
	if os.Getenv("END_APART") != "" { // what the test of EndApart starts
		exec.Command("sleep", "600").Start()
		os.Stderr.WriteString(said + "last words\n")
		EndApart()
		os.Exit(7)
	}
	temptest.InMemory()
	os.Exit(m.Run())
}

// shell is a stand-in for the full program, and the end of a pipe that is closed
// when nothing of it is left.
func shell(t *testing.T, ctx context.Context, script string) (*exec.Cmd, *os.File) {
	t.Helper()
	mine, its, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mine.Close(); its.Close() })
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.ExtraFiles = []*os.File{its}
	t.Cleanup(func() {
		if cmd.Process != nil {
			cmd.Cancel() // whatever a failed test left
		}
	})
	return cmd, mine
}

// gone waits until nothing holds the pipe any more.
func gone(t *testing.T, cmd *exec.Cmd, mine *os.File) {
	t.Helper()
	cmd.ExtraFiles[0].Close()
	mine.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := mine.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("something was left: %v", err)
	}
}

func TestAPushIsToldALineOrNothing(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"exit 0", ""},
		{"echo a line of another >&2; echo out", ""},
		{"echo noise >&2; echo 'chatrail: said' >&2; echo noise >&2", "chatrail: said"},
		{"echo 'chatrail: said' >&2; exit 2", "chatrail: said"},
		{"for i in 1 2 3 4; do echo chatrail: $i >&2; done", "chatrail: 1\nchatrail: 2"},
		{"echo 'panic: a bug' >&2; echo trace >&2; exit 2", "chatrail: the orientation did not go along: chatrail broke off (exit status 2); CHATRAIL_DEBUG=1 shows why"},
		{"kill -9 $$", ""},
		{"yes | head -n 100000 >&2; head -c 300000 /dev/zero >&2", ""},
	} {
		cmd, _ := shell(t, t.Context(), c.script)
		if got := strings.Join(carry(t.Context(), cmd, false), "\n"); got != c.want {
			t.Errorf("%s: %q, not %q", c.script, got, c.want)
		}
	}
	if got := carry(t.Context(), exec.CommandContext(t.Context(), "/no/such/program"), false); got != nil {
		t.Errorf("without a program: %q", got)
	}
}

// A program that does not end is ended with everything that it started.
func TestWhatHoldsUpAPushIsEndedWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	cmd, mine := shell(t, ctx, "trap '' TERM INT HUP; sleep 600 & (sleep 600 & wait) & wait; sleep 600")
	got := carry(ctx, cmd, false)
	if len(got) != 1 || !strings.Contains(got[0], "no end to it in time") {
		t.Errorf("%q", got)
	}
	gone(t, cmd, mine)
}

// Whoever interrupts the push is told nothing more.
func TestAnInterruptedPushIsSilentAndLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	cmd, mine := shell(t, ctx, "sleep 600 & wait")
	if got := carry(ctx, cmd, false); got != nil {
		t.Errorf("%q", got)
	}
	gone(t, cmd, mine)
}

func TestTheFullProgramEndsWithWhatItStarted(t *testing.T) {
	cmd, mine := shell(t, t.Context(), "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = self, []string{self}
	cmd.Env = append(os.Environ(), "END_APART=1", Carrying+"=1")
	if got := strings.Join(carry(t.Context(), cmd, false), "\n"); got != said+"last words" {
		t.Errorf("%q", got)
	}
	gone(t, cmd, mine)
	// A process that nobody started apart goes on.
	alone := exec.Command(self)
	alone.Env = append(os.Environ(), "END_APART=1", Carrying+"=1", "PATH=")
	var exit *exec.ExitError
	if err := alone.Run(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("%v", err)
	}
}
