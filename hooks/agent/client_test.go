package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// process is an entry of a made-up process table.
type process struct {
	pid, parent int
	args        []string
	in, out     string
}

// table writes processes as Linux shows them.
func table(t *testing.T, processes ...process) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	root := t.TempDir()
	for _, p := range processes {
		dir := filepath.Join(root, fmt.Sprint(p.pid))
		if err := os.MkdirAll(filepath.Join(dir, "fd"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string]string{
			"cmdline": strings.Join(p.args, "\x00") + "\x00",
			"stat":    fmt.Sprintf("%d (a ) (b) S %d 1 1", p.pid, p.parent),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for fd, to := range map[string]string{"0": p.in, "1": p.out} {
			if to == "" {
				continue
			}
			if err := os.Symlink(to, filepath.Join(dir, "fd", fd)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestClientOnATerminalIsWatchedUnlessItRunsOnePrompt(t *testing.T) {
	const tty, pipe = "/dev/pts/3", "pipe:[1]"
	node := func(args ...string) []string {
		return append([]string{"node", "/usr/lib/node_modules/.bin/gemini"}, args...)
	}
	for name, c := range map[string]struct {
		args    []string
		in, out string
		watched bool
	}{
		"terminal":                 {node("-m", "gemini-2.5-flash", "--yolo"), tty, tty, true},
		"console":                  {node(), "/dev/tty1", "/dev/tty1", true},
		"first prompt, then go on": {node("-i", "hello"), tty, tty, true},
		"bundle":                   {[]string{"/usr/bin/node", "--max-old-space-size=4096", "/x/@google/gemini-cli/bundle/main.js"}, tty, tty, true},
		"one prompt":               {node("-p", "hello"), tty, tty, false},
		"one prompt, long":         {node("--prompt", "hello"), tty, tty, false},
		"one prompt, joined":       {node("--prompt=hello"), tty, tty, false},
		"one prompt among flags":   {node("-yp", "hello"), tty, tty, false},
		"piped in":                 {node(), pipe, tty, false},
		"piped out":                {node(), tty, pipe, false},
		"to a file":                {node(), tty, "/home/u/out.txt", false},
		"nothing open":             {node(), "", "", false},
		"another program":          {[]string{"node", "/x/other.js", "gemini"}, tty, tty, false},
		"its name in a folder":     {[]string{"sh", "-c", "/home/me/gemini/bin/chatrail-hook gemini"}, tty, tty, false},
		"its name as an argument":  {[]string{"sh", "-c", "/usr/bin/chatrail-hook gemini"}, tty, tty, false},
	} {
		t.Run(name, func(t *testing.T) {
			proc := table(t, process{pid: 50, parent: 1, args: c.args, in: c.in, out: c.out})
			if got := watched(proc, 50, "gemini", "p", "prompt"); got != c.watched {
				t.Errorf("watched is %t", got)
			}
		})
	}
}

func TestClientIsFoundBehindTheShellThatRunsTheHook(t *testing.T) {
	client := process{pid: 10, parent: 9, args: []string{"/opt/copilot-linux-x64/copilot", "--banner"}, in: "/dev/pts/0", out: "/dev/pts/0"}
	shell := func(pid, parent int) process {
		return process{pid: pid, parent: parent, args: []string{"/bin/sh", "-c", "/opt/copilot/bin/chatrail-hook copilot agentStop; true"}, in: "pipe:[1]", out: "pipe:[2]"}
	}
	proc := table(t, client, shell(11, 10), shell(12, 11), shell(13, 12), shell(14, 13))
	for pid, want := range map[int]bool{10: true, 11: true, 13: true, 14: false, 99: false, 1: false, 0: false} {
		if got := watched(proc, pid, "copilot", "p", "prompt"); got != want {
			t.Errorf("from %d: watched is %t", pid, got)
		}
	}
}

// The parent of a test is no client, so nobody can be seen to watch it.
func TestWhatCannotBeToldCountsAsUnattended(t *testing.T) {
	for h, event := range map[Host]string{Gemini: "AfterAgent", Copilot: "agentStop", OpenCode: "Stop"} {
		payload := `{"session_id":"s","hook_event_name":"` + event + `","stop_hook_active":false}`
		if p := parse(t, h, payload); !p.Event.Unattended {
			t.Errorf("%s: %+v", h, p)
		}
	}
	for value, unattended := range map[string]bool{"false": false, "true": true, "null": true, `"no"`: true, "0": true} {
		p := parse(t, OpenCode, `{"session_id":"s","hook_event_name":"Stop","unattended":`+value+`}`)
		if p.Event.Unattended != unattended {
			t.Errorf("%s: %+v", value, p)
		}
	}
}

func FuzzProcessTableOfAnyKindIsRead(f *testing.F) {
	f.Add([]byte("node\x00/x/gemini\x00-p\x00"), []byte("50 (node) S 1 1"))
	f.Add([]byte("\x00"), []byte(")"))
	f.Add([]byte(nil), []byte("50 (a) S -1"))
	f.Fuzz(func(t *testing.T, cmdline, stat []byte) {
		proc := t.TempDir()
		dir := filepath.Join(proc, "50")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"cmdline": cmdline, "stat": stat} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if watched(proc, 50, "gemini", "p", "prompt") {
			t.Error("seen on a terminal that it does not have")
		}
	})
}
