package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const bareStop = `{"session_id":"s","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"x"}`

func TestCapturedHeadlessSessionIsUnattended(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(captured, "claude-2.1.332", "env.json"))
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]struct{ Example string }
	if err := json.Unmarshal(data, &seen); err != nil {
		t.Fatal(err)
	}
	p, err := Parse(Claude, strings.NewReader(bareStop), func(key string) string { return seen[key].Example })
	if err != nil || !p.Event.Unattended {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestClaudeSaysInItsEnvironmentWhetherSomebodyWatches(t *testing.T) {
	for _, c := range []struct {
		attended, entrypoint string
		unattended           bool
	}{
		{"0", "cli", true}, {"0", "", true}, {"1", "sdk-ts", false}, {"", "sdk-cli", true}, {"", "cli", false}, {"", "", false},
	} {
		env := func(key string) string {
			return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": c.attended, "CLAUDE_CODE_ENTRYPOINT": c.entrypoint}[key]
		}
		if p, err := Parse(Claude, strings.NewReader(bareStop), env); err != nil || p.Event.Unattended != c.unattended {
			t.Errorf("%+v: %+v, %v", c, p, err)
		}
		// A Codex that a Claude started inherits these variables.
		if p, err := Parse(Codex, strings.NewReader(bareStop), env); err != nil || p.Event.Unattended {
			t.Errorf("codex under %+v: %+v, %v", c, p, err)
		}
	}
}

// stopWith is a stop whose transcript is at a path.
func stopWith(transcript string) string {
	path, _ := json.Marshal(transcript) // a string always encodes
	return `{"session_id":"s","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"x","transcript_path":` + string(path) + `}`
}

func TestCodexSaysInItsTranscriptWhetherSomebodyWatches(t *testing.T) {
	long := strings.Repeat("x", transcriptHead/2)
	for name, c := range map[string]struct {
		transcript string
		unattended bool
	}{
		"exec":             {`{"timestamp":"t","type":"session_meta","payload":{"id":"s","source":"exec"}}` + "\n{}\n", true},
		"only one line":    {`{"type":"session_meta","payload":{"source":"exec"}}`, true},
		"by originator":    {`{"type":"session_meta","payload":{"originator":"codex_exec","source":"cli"}}` + "\n", true},
		"long":             {`{"type":"session_meta","payload":{"instructions":"` + long + `","source":"exec"}}` + "\n" + long + long, true},
		"terminal":         {`{"type":"session_meta","payload":{"originator":"codex_cli_rs","source":"cli"}}` + "\n", false},
		"sub-agent":        {`{"type":"session_meta","payload":{"source":{"subagent":"exec"}}}` + "\n", false},
		"second line":      {"{}\n" + `{"type":"session_meta","payload":{"source":"exec"}}`, false},
		"another record":   {`{"type":"message","payload":{"source":"exec"}}` + "\n", false},
		"broken":           {`{"type":"session_meta","payload":{"source":"exec"`, false},
		"not JSON":         {"exec\n", false},
		"empty":            {"", false},
		"longer than read": {`{"type":"session_meta","payload":{"x":"` + long + long + `","source":"exec"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rollout.jsonl")
			if err := os.WriteFile(path, []byte(c.transcript), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := parse(t, Codex, stopWith(path)).Event.Unattended; got != c.unattended {
				t.Errorf("unattended is %t", got)
			}
			// Only a stop that may be held up asks.
			for _, other := range []string{
				strings.Replace(stopWith(path), `"Stop"`, `"SessionEnd"`, 1),
				strings.Replace(stopWith(path), `false`, `true`, 1),
				strings.Replace(stopWith(path), `{`, `{"agent_id":"a",`, 1),
			} {
				if parse(t, Codex, other).Event.Unattended {
					t.Errorf("%s asks", other)
				}
			}
		})
	}
}

func TestTranscriptThatCannotBeReadSaysNothing(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", dir, filepath.Join(dir, "missing"), "relative/missing", "nul\x00byte", strings.Repeat("x", 2*keepPath)} {
		if parse(t, Codex, stopWith(path)).Event.Unattended {
			t.Errorf("%.60q: unattended", path)
		}
	}
}

// codexEvent is a prompt or a stop of a turn whose transcript is at a path.
func codexEvent(event, transcript, mode string) string {
	path, _ := json.Marshal(transcript) // a string always encodes
	return `{"session_id":"s","turn_id":"t2","hook_event_name":"` + event + `","prompt":"x","stop_hook_active":false,"last_assistant_message":"x","permission_mode":"` +
		mode + `","transcript_path":` + string(path) + `}`
}

func TestCodexTranscriptSaysForEachTurnWhatTriggeredIt(t *testing.T) {
	meta := func(source string) string {
		return `{"type":"session_meta","payload":{"source":"` + source + `"}}` + "\n"
	}
	started := func(turn, trigger string) string {
		return `{"timestamp":"t","type":"event_msg","payload":{"type":"task_started","turn_attribution":{"turn_id":"` + turn + `","turn_trigger":"` + trigger + `"}}}` + "\n"
	}
	far := `{"type":"message","payload":{"text":"` + strings.Repeat("x", 2*transcriptTail) + `"}}` + "\n"
	for name, c := range map[string]struct {
		transcript, mode string
		unattended       bool
	}{
		"exec":                           {meta("exec") + started("t2", "exec"), "bypassPermissions", true},
		"terminal":                       {meta("cli") + started("t1", "user") + started("t2", "user"), "bypassPermissions", false},
		"a terminal session in exec":     {meta("cli") + started("t1", "user") + started("t2", "exec"), "bypassPermissions", true},
		"an exec session in a terminal":  {meta("exec") + started("t1", "exec") + started("t2", "user"), "bypassPermissions", false},
		"far back: how it was created":   {meta("exec") + started("t2", "exec") + far, "bypassPermissions", true},
		"only another turn is there":     {meta("cli") + started("t1", "exec"), "bypassPermissions", false},
		"it asks, so somebody watches":   {meta("exec") + started("t2", "exec"), "default", false},
		"it plans, so somebody watches":  {meta("exec") + started("t2", "exec"), "plan", false},
		"words of the task in a message": {meta("cli") + `{"type":"message","payload":{"text":"\"task_started\" t2 exec"}}` + "\n", "bypassPermissions", false},
	} {
		path := filepath.Join(t.TempDir(), "rollout.jsonl")
		if err := os.WriteFile(path, []byte(c.transcript), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, event := range []string{"UserPromptSubmit", "Stop"} {
			if got := parse(t, Codex, codexEvent(event, path, c.mode)).Event.Unattended; got != c.unattended {
				t.Errorf("%s, %s: unattended is %t", name, event, got)
			}
		}
	}
	ephemeral := strings.Replace(codexEvent("Stop", "", "bypassPermissions"), `"transcript_path":""`, `"transcript_path":null`, 1)
	if !parse(t, Codex, ephemeral).Event.Unattended {
		t.Error("a run without a transcript is headless")
	}
}
