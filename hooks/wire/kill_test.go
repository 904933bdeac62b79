package wire

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
)

// killAt and killHome tell the test binary to be a program that is killed.
const killAt, killHome = "WIRE_KILLED_AT", "WIRE_KILLED_HOME"

// TestKilled is no test: it is the program that others kill.
func TestKilled(t *testing.T) {
	home := os.Getenv(killHome)
	if home == "" {
		t.Skip("started by others only")
	}
	env, _ := world(t)
	env.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	env.State = task.Home{Dir: filepath.Join(home, "state")}
	at, in := os.Getenv(killAt), true
	if at[0] == '-' {
		at, in = at[1:], false
	}
	step = func(name string) {
		if name == at {
			os.Exit(9) // no deferred function is run
		}
	}
	_, _ = run(context.Background(), []agent.Host{agent.Claude}, env, Options{Scope: User}, in)
}

func TestKilledBetweenStepsLeavesOldOrNew(t *testing.T) {
	for _, start := range [][]byte{opus, nil} {
		for _, at := range []string{"begin", "created", "written", "synced", "renamed", "-begin", "-created", "-written", "-synced", "-renamed", "-removed"} {
			if start == nil && at[0] == '-' && at != "-removed" || start != nil && at == "-removed" {
				continue // a step that is not taken there
			}
			t.Run(at, func(t *testing.T) {
				t.Parallel()
				env, home := world(t)
				path := claudeSettings(home)
				if start != nil {
					put(t, path, start)
				}
				one(t, true, agent.Claude, env, Options{})
				wired := get(t, path)
				if at[0] != '-' {
					one(t, false, agent.Claude, env, Options{})
				}
				cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
				cmd.Env = append(os.Environ(), killAt+"="+at, killHome+"="+home)
				var exit *exec.ExitError
				if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 9 {
					t.Fatal("not killed:", err)
				}
				now, err := os.ReadFile(path)
				if err == nil && !bytes.Equal(now, wired) && !bytes.Equal(now, start) || err != nil && start != nil {
					t.Fatalf("neither the old nor the new: %q %v", now, err)
				}
				if at[0] != '-' {
					killedAndOut(t, env, home, start)
				}
				// And then all goes on as if nothing had been.
				one(t, true, agent.Claude, env, Options{})
				if now := get(t, path); !bytes.Equal(now, wired) {
					t.Fatalf("installed once more: %q", now)
				}
				one(t, false, agent.Claude, env, Options{})
				if now, err := os.ReadFile(path); !bytes.Equal(now, start) || (err != nil) != (start == nil) {
					t.Fatalf("taken out: %q %v", now, err)
				}
			})
		}
	}
}

// killedAndOut takes out what a killed installation left, down to the folders.
func killedAndOut(t *testing.T, env Env, home string, start []byte) {
	t.Helper()
	one(t, false, agent.Claude, env, Options{})
	var left []string
	_ = filepath.WalkDir(filepath.Join(home, ".claude"), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			left = append(left, filepath.Base(path))
		}
		return nil
	})
	want := []string{".claude", "settings.json"}
	if start == nil {
		want = nil
	}
	if !slices.Equal(left, want) {
		t.Fatalf("left behind: %q", left)
	}
}
