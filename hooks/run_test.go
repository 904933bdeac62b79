package hooks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// brokenStore is a bug.
type brokenStore struct{ Store }

// call is a call of the hook in an environment of its own.
func call(t *testing.T, in string, env map[string]string) (Call, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	out := new(bytes.Buffer)
	return Call{
		Host: "claude", In: strings.NewReader(in), Out: out, Program: "chatrail",
		Env: func(name string) string {
			if v, ok := env[name]; ok {
				return v
			}
			return map[string]string{"HOME": root, "CHATRAIL_HOME": filepath.Join(root, "state")}[name]
		},
		Store: func(task.Home) Store { return brokenStore{} },
	}, out
}

const promptPayload = `{"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": "go on"}`

func TestABugIsSilenceForTheHost(t *testing.T) {
	c, out := call(t, promptPayload, nil)
	Run(c)
	if out.Len() > 0 {
		t.Errorf("printed %q", out)
	}
}

func TestAProcessThatIsPausedTouchesNothing(t *testing.T) {
	c, out := call(t, promptPayload, map[string]string{"CHATRAIL": "off"})
	c.Store = func(task.Home) Store { t.Error("a bundle was opened"); return brokenStore{} }
	Run(c)
	if _, err := os.Stat(c.Env("CHATRAIL_HOME")); err == nil || out.Len() > 0 {
		t.Errorf("printed %q, state home: %v", out, err)
	}
}

func TestAnEventThatNeedsTheFullProgramIsHandedOnWithoutItsText(t *testing.T) {
	c, out := call(t, promptPayload, nil)
	c.Store = func(h task.Home) Store { return Cached{h, os.Getenv} }
	c.Away = func(_ context.Context, host string, reduced []byte) ([]byte, error) {
		p, err := agent.ParseReduced(reduced)
		if err != nil || host != "claude" || p.SessionID != "s" || p.Event.Kind != turn.Prompt || bytes.Contains(reduced, []byte("go on")) {
			t.Errorf("handed on %s: %v", reduced, err)
		}
		return []byte("as the full program said it\n"), nil
	}
	Run(c)
	if out.String() != "as the full program said it\n" {
		t.Errorf("printed %q", out)
	}
}

func TestACallWithoutAHomeIsSilent(t *testing.T) {
	c, out := call(t, promptPayload, map[string]string{"HOME": "", "CHATRAIL_HOME": ""})
	Run(c)
	if out.Len() > 0 {
		t.Errorf("printed %q", out)
	}
}

func TestTheCommandForAnAgentIsItsNameOrItsQuotedPath(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's here")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(folder, "chatrail")
	if err := os.WriteFile(full, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	quoted := "'" + strings.ReplaceAll(filepath.ToSlash(full), "'", `'\''`) + "'"
	t.Setenv("PATH", t.TempDir())
	if got := AgentCommand(full, "claude"); got != quoted {
		t.Errorf("not on the search path: %s", got)
	}
	t.Setenv("PATH", folder)
	if got := AgentCommand(full, "codex"); got != quoted {
		t.Errorf("codex: %s", got)
	}
	if got := AgentCommand(full, "claude"); got != "chatrail" && runtime.GOOS != "windows" {
		t.Errorf("on the search path: %s", got)
	}
	if got := AgentCommand("", "claude"); got != "" {
		t.Errorf("no program: %s", got)
	}
}
