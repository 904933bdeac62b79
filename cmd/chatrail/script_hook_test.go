package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"chatrail/bundle/dir/dirtest"
	"chatrail/hooks"
	"chatrail/hooks/agent"
)

// passed are the variables that a hook is given.
var passed = []string{"PATH", "HOME", "CHATRAIL_HOME", "CODEX_HOME", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "CHATRAIL", hooks.Patience,
	"CHATRAIL_DEBUG", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "COPILOT_CLI", "GOCOVERDIR"}

var reviewLine = regexp.MustCompile(`(?m)^(.* reconcile (\S+))$`)

// send HOST EVENT [key=value ...] sends a captured payload, with some values
// replaced, to chatrail-hook. A value that is JSON is taken as such, "-" takes
// the key out. What the agent is told is the command's standard output, what
// the person is told its standard error. The command of a review line is kept
// in $COMMAND, its id in $REVIEW.
//
// It fails when the hook's answer is not one that the host accepts.
func send(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: send HOST EVENT [key=value ...]")
	}
	told(ts, deliver(ts, agent.Host(args[0]), captured(ts, args[0], args[1]), args[2:]))
}

// captured is the path of a captured payload of a host, or of several.
func captured(ts *testscript.TestScript, host, name string) string {
	versions, err := filepath.Glob(filepath.Join(ts.Getenv("TESTDATA"), "agents", host+"-*"))
	ts.Check(err)
	if len(versions) != 1 {
		ts.Fatalf("no captured payloads of %s", host)
	}
	return filepath.Join(versions[0], name+".json")
}

// deliver calls chatrail-hook with a captured payload in which some values are
// replaced, and returns its answer, which the host accepts.
func deliver(ts *testscript.TestScript, host agent.Host, file string, replace []string) []byte {
	raw, err := os.ReadFile(file)
	ts.Check(err)
	var payload map[string]any
	ts.Check(json.Unmarshal(raw, &payload))
	payload["cwd"] = ts.MkAbs(".")
	for _, a := range replace {
		key, value, ok := strings.Cut(a, "=")
		if !ok {
			ts.Fatalf("%q is not key=value", a)
		}
		var v any
		switch {
		case value == "-":
			delete(payload, key)
			continue
		case key != "prompt" && json.Unmarshal([]byte(value), &v) == nil:
			payload[key] = v
		default:
			payload[key] = value
		}
	}
	input, err := json.Marshal(payload)
	ts.Check(err)
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "chatrail-hook"); path == "" {
			if _, err := os.Stat(p); err == nil {
				path = p
			}
		}
	}
	event, named := payload["hook_event_name"].(string)
	if !named {
		event, _, _ = strings.Cut(filepath.Base(file), "-")
	}
	cmd := exec.Command(path, host.Arguments(event)...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range passed {
		if v := ts.Getenv(key); v != "" {
			cmd.Env = append(cmd.Env, key+"="+v)
		}
	}
	cmd.Stdin = bytes.NewReader(input)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		ts.Fatalf("the hook failed at %s of %s: %v", event, host, err)
	}
	if errOut.Len() > 0 && ts.Getenv("CHATRAIL_DEBUG") == "" {
		ts.Fatalf("the hook wrote to standard error at %s of %s: %s", event, host, errOut.String())
	}
	ts.Logf("%s", errOut.String())
	if err := agent.Accepts(host, event, out.Bytes()); err != nil {
		ts.Fatalf("%s does not accept %q at %s: %v", host, out.String(), event, err)
	}
	return out.Bytes()
}

// told prints what a hook's answer says.
func told(ts *testscript.TestScript, out []byte) {
	stdout, stderr := ts.Stdout(), ts.Stderr() // asked for, so that silence is heard
	if len(out) == 0 {
		return
	}
	if out[0] != '{' { // to whoever sums the context up
		fmt.Fprint(stdout, string(out))
		return
	}
	var a struct {
		Reason, SystemMessage, AdditionalContext, Block string
		HookSpecificOutput                              struct{ AdditionalContext string }
	}
	ts.Check(json.Unmarshal(out, &a))
	text := a.HookSpecificOutput.AdditionalContext + a.AdditionalContext + a.Reason + a.Block
	if text != "" {
		fmt.Fprintln(stdout, text)
	}
	if a.SystemMessage != "" {
		fmt.Fprintln(stderr, a.SystemMessage)
	}
	if m := reviewLine.FindStringSubmatch(text); m != nil {
		ts.Setenv("COMMAND", m[1])
		ts.Setenv("REVIEW", m[2])
	}
}

// sendAll is sendall HOST PATTERN [key=value ...]: it sends every captured payload
// of the host whose name fits, as send does, and prints each name with "spoke" or
// "silent".
func sendAll(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sendall HOST PATTERN [key=value ...]")
	}
	files, err := filepath.Glob(captured(ts, args[0], args[1]))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no captured payload of %s is like %s", args[0], args[1])
	}
	stdout := ts.Stdout()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if name == "env" {
			continue // the environment in which they were captured
		}
		answer := "silent"
		if len(deliver(ts, agent.Host(args[0]), file, args[2:])) > 0 {
			answer = "spoke"
		}
		fmt.Fprintln(stdout, name, answer)
	}
}

// history FOLDER N writes a bundle of N events into a folder.
func history(ts *testscript.TestScript, neg bool, args []string) {
	var events int
	if neg || len(args) != 2 {
		ts.Fatalf("usage: history FOLDER N")
	}
	_, err := fmt.Sscan(args[1], &events)
	ts.Check(err)
	ts.Check(dirtest.Fill(ts.MkAbs(args[0]), events))
}
