package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// crowd is how many bundles and events stand around a task. Rows 49 and 50 of what
// went wrong for others name 5,000 bundles and 100,000 events.
func crowd(t *testing.T) (bundles, events int) {
	bundles, events = 200, 300
	if os.Getenv("CHATRAIL_LONG") != "" {
		bundles, events = 5_000, 10_000
	}
	if s := os.Getenv("CHATRAIL_EVENTS"); s != "" {
		if _, err := fmt.Sscan(s, &events); err != nil {
			t.Fatal(err)
		}
	}
	return bundles, events
}

// A hook on the path of every prompt may not grow with what was recorded, nor may
// the first one without any cache open what was. Time says little on a busy
// machine; what a process read, the kernel counts. (For time, as a multiple of
// git's: BenchmarkWholeProcess.)
func TestWhatAPromptReadsDoesNotGrowWithHistoryOrBundles(t *testing.T) {
	t.Parallel()
	bundles, events := crowd(t)
	few, many := lived(t, 3), lived(t, events)
	surround(t, many, bundles)
	for _, packed := range []bool{false, true} {
		if packed {
			few.run("git", "pack-refs", "--all")
			many.run("git", "pack-refs", "--all")
		}
		for _, cold := range []bool{false, true} {
			for _, file := range []string{"UserPromptSubmit-plain.json", "SessionStart-startup.json"} {
				a, b := few.reads(file, cold), many.reads(file, cold)
				t.Logf("packed %v, cold %v, %s: %d and %d bytes, %d and %d reads", packed, cold, file, a.bytes, b.bytes, a.calls, b.calls)
				more := reading{128 << 10, 40} // the way to one name among many packed ones
				if cold {
					more = reading{400 << 10, 1500} // git lists the ids of a history
				}
				if b.bytes > a.bytes+more.bytes || b.calls > a.calls+more.calls {
					t.Errorf("packed %v, cold %v, %s: %d bytes in %d reads beside %d bundles and %d events, %d in %d without",
						packed, cold, file, b.bytes, b.calls, bundles, events, a.bytes, a.calls)
				}
			}
		}
	}
}

// lived is a world whose project bundle has that many events.
func lived(t *testing.T, events int) *world {
	w := newWorld(t, false)
	w.run("git", "init", "-q", "-b", "main", ".")
	w.run("git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty", "-m", "first")
	fillFolder(t, filepath.Join(w.project, ".chatrail"), events)
	w.run("chatrail", "init")
	return w
}

// reading is what a process and those that it waited for read.
type reading struct{ bytes, calls int64 }

var asked int

// reads sends an event, in a session of its own and without a cache where it is to
// be cold, and returns what it took to answer it.
func (w *world) reads(file string, cold bool) reading {
	w.t.Helper()
	session := "warm"
	if cold {
		session = "cold"
		if err := os.RemoveAll(filepath.Join(w.state, "cache")); err != nil {
			w.t.Fatal(err)
		}
	} else {
		w.event("claude", claudeDir+"UserPromptSubmit-plain.json", map[string]any{"session_id": session, "prompt_id": fmt.Sprint("warm ", asked)})
	}
	asked++
	p := payload(w.t, claudeDir+file, map[string]any{"cwd": w.project, "session_id": session, "prompt_id": fmt.Sprint("p ", asked)})
	if file == "SessionStart-startup.json" {
		p["session_id"] = fmt.Sprint("start ", asked)
	}
	in, err := json.Marshal(p)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.command(w.project, "chatrail-hook", "claude")
	cmd.Stdin = strings.NewReader(string(in))
	var out strings.Builder
	cmd.Stdout = &out
	r := counted(w.t, cmd)
	if !strings.Contains(out.String(), "Move the importer") && !strings.Contains(out.String(), " reconcile ") {
		why, _ := os.ReadFile(filepath.Join(w.state, "trouble.json"))
		w.t.Errorf("said %q; failures: %s", out.String(), why)
	}
	return r
}

// counted runs a command and asks the kernel what it read, while it is over and
// not reaped yet.
func counted(t testing.TB, cmd *exec.Cmd) reading {
	t.Helper()
	out := cmd.Stdout
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := io.Copy(out, pipe); err != nil {
		t.Fatal(err)
	}
	const exited, keep, thisOne = 4, 0x01000000, 1 // WEXITED, WNOWAIT, P_PID
	var info [128]byte
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, thisOne, uintptr(cmd.Process.Pid), uintptr(unsafe.Pointer(&info)), exited|keep, 0, 0)
		if e != syscall.EINTR {
			break
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", cmd.Process.Pid))
	if err != nil {
		t.Skip("this kernel does not count what processes read: ", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	var r reading
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "rchar: %d", &r.bytes)
		fmt.Sscanf(line, "syscr: %d", &r.calls)
	}
	return r
}
