//go:build unix

package packages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// played is what the plugin did in a session that testdata/opencode.mjs plays.
type played struct {
	Exported, Hooks []string
	Sent            []struct {
		Path struct{ ID string }
		Body struct{ Parts []map[string]any }
	}
	Added   [][]map[string]any
	Context []string
	Env     map[string]string
	calls   []map[string]any
}

// play runs the plugin in node, with a program that is a shell script.
func play(t *testing.T, scenario, script string) played {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on the search path: .ci/run brings it")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, `the "program"`)
	if script != "" {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	plugin := filepath.Join(dir, "chatrail.mjs")
	if err := os.WriteFile(plugin, OpenCodePlugin(program), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := exec.Command(node, "testdata/opencode.mjs", plugin, scenario)
	c.Env = append(os.Environ(), "CALLS="+filepath.Join(dir, "calls"), "OPENCODE_CLIENT=cli",
		"CHATRAIL_HOOK_TIMEOUT=60000") // a busy machine is not what this is about
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var p played
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
	for line := range strings.Lines(string(calls)) {
		var call map[string]any
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatal(err)
		}
		p.calls = append(p.calls, call)
	}
	return p
}

// answering notes its payload and answers with the event's name, a stop with a
// block.
const answering = `read -r line
printf '%s\n' "$line" >>"$CALLS"
case $line in
*'"hook_event_name":"Stop"'*) echo '{"block":"Run this line once."}' ;;
*) echo "$line" | sed 's/.*"hook_event_name":"\([A-Za-z]*\)".*/{"additionalContext":"of \1"}/' ;;
esac
`

// moments are the calls, as event, session and what tells them apart.
func (p played) moments() []string {
	var list []string
	for _, c := range p.calls {
		s := fmt.Sprint(c["hook_event_name"], " ", c["session_id"])
		for _, key := range []string{"agent_id", "source", "stop_hook_active", "permission_mode", "unattended"} {
			if v, there := c[key]; there {
				s += fmt.Sprintf(" %s=%v", key, v)
			}
		}
		if v, there := c["last_assistant_message"]; there && v == nil {
			s += " no answer"
		}
		list = append(list, s)
	}
	return list
}

// TestOpenCodeHearsOfEveryMoment plays a headless run: nothing is sent to the
// session, whatever the hook says.
func TestOpenCodeHearsOfEveryMoment(t *testing.T) {
	p := play(t, "headless", answering)
	want := []string{
		"SessionStart ses_root source=startup",
		"Prompt ses_root unattended=true",
		"ChildStart ses_root agent_id=ses_child",
		"PreCompact ses_root",
		"PostCompact ses_root",
		"Stop ses_root stop_hook_active=false unattended=true",
		"SessionStart ses_older source=resume",
		"Prompt ses_older permission_mode=plan unattended=true",
		"Stop ses_older stop_hook_active=false permission_mode=plan unattended=true no answer",
		"SessionStart ses_copy source=fork",
		"Prompt ses_copy unattended=true",
		"SessionEnd ses_copy",
	}
	got := p.moments()
	if len(got) != len(want)+2 || !reflect.DeepEqual(got[:len(want)], want) {
		t.Errorf("the hook heard\n%s\nin place of\n%s\nand the two ends", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(p.Sent) != 0 {
		t.Errorf("a headless run was sent %v", p.Sent)
	}
	if len(p.Exported) != 1 {
		t.Errorf("opencode takes every export for a plugin, and there are %q", p.Exported)
	}
	if fmt.Sprint(p.Context) != "[of PreCompact]" {
		t.Errorf("a compaction was told %q", p.Context)
	}
	if p.Env["CHATRAIL_OPENCODE_SESSION"] != "ses_root" || p.Env["CHATRAIL_OPENCODE_CHILD"] != "ses_child" {
		t.Errorf("a command of the child has %v", p.Env)
	}
	first := p.calls[1]
	if first["cwd"] != "/of/the/session" || first["prompt"] != "first" || first["turn_id"] != "msg_1" {
		t.Errorf("the first prompt was %v", first)
	}
	part := map[string]any{"id": "prt_1chatrail", "sessionID": "ses_root", "messageID": "msg_1", "type": "text",
		"text": "of SessionStart\n\nof Prompt", "synthetic": true}
	if len(p.Added[0]) != 1 || !reflect.DeepEqual(p.Added[0][0], part) {
		t.Errorf("the first prompt was given %v", p.Added[0])
	}
	if len(p.Added[1]) != 1 || p.Added[1][0]["text"] != "of ChildStart" || len(p.Added[2]) != 0 {
		t.Errorf("the child was given %v, then %v", p.Added[1], p.Added[2])
	}
}

// TestOpenCodeAsksForASkippedReviewOnce plays a session in the terminal: the
// block is sent once, and what stops after it is not held up again.
func TestOpenCodeAsksForASkippedReviewOnce(t *testing.T) {
	p := play(t, "terminal", answering)
	if len(p.Sent) != 1 || p.Sent[0].Path.ID != "ses_root" || p.Sent[0].Body.Parts[0]["text"] != "Run this line once." {
		t.Fatalf("sent: %v", p.Sent)
	}
	var stops []string
	for i, m := range p.moments() {
		if strings.HasPrefix(m, "Stop ses_root") {
			stops = append(stops, fmt.Sprint(m, " ", p.calls[i]["turn_id"]))
		}
	}
	want := []string{"Stop ses_root stop_hook_active=false unattended=false msg_1", "Stop ses_root stop_hook_active=true unattended=false msg_1"}
	if !reflect.DeepEqual(stops, want) {
		t.Errorf("stops: %q", stops)
	}
}

// TestOpenCodePluginIsSilentWhateverGoesWrong wants no word added, nothing
// thrown and nothing on standard error.
func TestOpenCodePluginIsSilentWhateverGoesWrong(t *testing.T) {
	for name, c := range map[string]struct{ scenario, script string }{
		"missing":            {"terminal", ""},
		"fails":              {"terminal", "exit 3\n"},
		"prints no object":   {"terminal", "echo 17\n"},
		"prints half of one": {"terminal", `echo '{"additionalContext":"x'` + "\n"},
		"prints blanks":      {"terminal", `echo '{"additionalContext":" ","block":"\n"}'` + "\n"},
		"prints other types": {"terminal", `echo '{"additionalContext":["x"],"block":{"a":1}}'` + "\n"},
		"prints too much":    {"terminal", "{ printf '{\"additionalContext\":\"'; head -c 200000 /dev/zero | tr '\\0' x; echo '\"}'; } 2>/dev/null\n"},
		"reads nothing":      {"terminal", "exec 0<&-\n"},
		"no API":             {"api-fails", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, c.scenario, c.script)
			for _, parts := range p.Added {
				if len(parts) > 0 {
					t.Errorf("added %.200v", parts)
				}
			}
			if len(p.Context) != 0 || len(p.Sent) != 0 {
				t.Errorf("said %.200v, sent %v", p.Context, p.Sent)
			}
		})
	}
}

// TestOpenCodePluginWithoutAPathAsksTheSearchPath keeps the file loadable as it
// lies in the repository.
func TestOpenCodePluginWithoutAPathAsksTheSearchPath(t *testing.T) {
	if bytes.Count(OpenCodePlugin(""), []byte(bareProgram)) != 1 {
		t.Error("the line that names the program is not there once")
	}
	if bytes.Contains(OpenCodePlugin("/a/b"), []byte(bareProgram)) {
		t.Error("the path is not put in")
	}
}
