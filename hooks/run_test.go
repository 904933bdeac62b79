package hooks

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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

func TestABugIsOneNoteToThePersonOnceAndKeptForStatus(t *testing.T) {
	c, out := call(t, promptPayload, nil)
	Run(c)
	if n := strings.Count(out.String(), "ChatRail failed in a hook"); n != 1 || strings.Contains(out.String(), "additionalContext") {
		t.Errorf("printed %q", out)
	}
	if err := agent.Accepts("claude", "UserPromptSubmit", out.Bytes()); err != nil {
		t.Error(err)
	}
	for range 3 {
		out.Reset()
		c.In = strings.NewReader(promptPayload)
		Run(c)
		if out.Len() > 0 {
			t.Errorf("printed %q again", out)
		}
	}
	home := task.Home{Dir: c.Env("CHATRAIL_HOME")}
	if all, err := home.Troubles(time.Now()); err != nil || len(all) != 1 || all[0].Count != 4 || all[0].Event != "UserPromptSubmit" {
		t.Errorf("kept %+v, %v", all, err)
	}
}

func TestABugWhereNothingCanBeSaidIsToldAtTheNextPrompt(t *testing.T) {
	c, out := call(t, "", nil)
	send := func(payload string, store Store) string {
		t.Helper()
		out.Reset()
		c.In, c.Store = strings.NewReader(payload), func(task.Home) Store { return store }
		Run(c)
		return out.String()
	}
	well := &fakeStore{home: task.Home{Dir: c.Env("CHATRAIL_HOME")}, view: task.View{Tip: "tip", Root: "root"}}
	send(promptPayload, well)
	if said := send(strings.Replace(promptPayload, "UserPromptSubmit", "PreCompact", 1), brokenStore{}); said != "" {
		t.Errorf("printed %q", said)
	}
	for i, want := range []int{1, 0} {
		said := send(strings.Replace(promptPayload, "go on", fmt.Sprint("more ", i), 1), well)
		if n := strings.Count(said, "ChatRail failed in a hook (PreCompact)"); n != want || !strings.Contains(said, " reconcile ") {
			t.Errorf("prompt %d: %q", i, said)
		}
	}
}

// lateStore answers when the time is up.
type lateStore struct{ Store }

func (lateStore) Private(ctx context.Context, _ string) (task.Place, error) {
	<-ctx.Done()
	return task.Place{}, ctx.Err()
}

func TestAFailureAtTheLimitCountsOnce(t *testing.T) {
	c, _ := call(t, "", nil)
	c.Store, c.Limit = func(task.Home) Store { return lateStore{} }, 20*time.Millisecond
	for i := range 10 {
		c.In = strings.NewReader(strings.Replace(promptPayload, "go on", fmt.Sprint("more ", i), 1))
		Run(c)
	}
	// What the limit broke off may still be on its way to say so as well.
	all, err := task.Home{Dir: c.Env("CHATRAIL_HOME")}.Troubles(time.Now())
	n := 0
	for _, one := range all {
		n += one.Count
	}
	if err != nil || n == 0 || n > 10 {
		t.Errorf("kept %+v, %v", all, err)
	}
}

func TestATroubleThatIsBeingWrittenCostsNoWords(t *testing.T) {
	c, out := call(t, promptPayload, nil)
	home := task.Home{Dir: c.Env("CHATRAIL_HOME")}
	home.NoteTrouble(task.Trouble{Cause: "broken", Event: "PreCompact", Last: time.Now()}, false)
	unlock, err := home.Lock(t.Context(), "trouble")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	c.Store = func(task.Home) Store { return &fakeStore{home: home, view: task.View{Tip: "tip", Root: "root"}} }
	c.Limit = 500 * time.Millisecond
	Run(c)
	if !strings.Contains(out.String(), " reconcile ") {
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
	for _, h := range agent.Hosts() {
		if got := AgentCommand(full, string(h)); got != "chatrail" && h != agent.Codex && runtime.GOOS != "windows" {
			t.Errorf("%s, on the search path: %s", h, got)
		}
	}
	if got := AgentCommand("", "claude"); got != "" {
		t.Errorf("no program: %s", got)
	}
}
