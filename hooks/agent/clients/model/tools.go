//go:build agents

package model

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// call is a tool and its arguments, fit for what a request offers.
type call struct {
	name, namespace string
	args            map[string]any
}

func toolNames(body map[string]any) []string {
	var names []string
	tools, _ := body["tools"].([]any)
	for _, item := range tools {
		tool, _ := item.(map[string]any)
		name, _ := tool["name"].(string)
		if f, ok := tool["function"].(map[string]any); ok {
			name, _ = f["name"].(string)
		}
		// Gemini lists functions below a tool, Codex below a namespace.
		inner, ok := tool["functionDeclarations"].([]any)
		if !ok {
			inner, ok = tool["tools"].([]any)
		}
		if !ok {
			if name == "" {
				name, _ = tool["type"].(string)
			}
			names = append(names, name)
			continue
		}
		for _, f := range inner {
			function, _ := f.(map[string]any)
			short, _ := function["name"].(string)
			names = append(names, name+short)
		}
	}
	return names
}

var startedAgent = regexp.MustCompile(`"agent_id":"([^"]+)"`)

// toolCall turns a reply into the call of a tool, nil for words.
func toolCall(r *Request) *call {
	has := func(name string) bool { return slices.Contains(r.Tools, name) }
	// below finds a tool by the end of its name; what comes before is its namespace.
	below := func(name string, args map[string]any) *call {
		for _, full := range r.Tools {
			if space, ok := strings.CutSuffix(full, name); ok {
				return &call{name: name, namespace: space, args: args}
			}
		}
		return nil
	}
	switch reply := r.Reply; {
	case reply.Shell != "":
		for _, name := range []string{"Bash", "bash", "run_shell_command"} {
			if has(name) {
				return &call{name: name, args: map[string]any{"command": reply.Shell, "description": "scripted"}}
			}
		}
		switch {
		case has("exec_command"):
			return &call{name: "exec_command", args: map[string]any{"cmd": reply.Shell}}
		case has("shell_command"):
			return &call{name: "shell_command", args: map[string]any{"command": reply.Shell}}
		}
		return &call{name: "shell", args: map[string]any{"command": []string{"bash", "-lc", reply.Shell}}}
	case reply.Agent != "":
		args := map[string]any{}
		start := func(name string, own map[string]any) *call {
			maps.Copy(args, own)
			maps.Copy(args, reply.Args)
			return &call{name: name, args: args}
		}
		for _, name := range []string{"Agent", "Task"} {
			if has(name) {
				return start(name, map[string]any{"description": "scripted agent", "prompt": reply.Agent, "subagent_type": "general-purpose"})
			}
		}
		if has("task") {
			return start("task", map[string]any{"description": "scripted agent", "name": "scripted-agent", "prompt": reply.Agent, "agent_type": "general-purpose"})
		}
		if has("invoke_agent") {
			return start("invoke_agent", map[string]any{"agent_name": "generalist", "prompt": reply.Agent})
		}
		maps.Copy(args, map[string]any{"message": reply.Agent, "task_name": "scripted_agent"})
		return below("spawn_agent", args)
	case reply.WaitAgent:
		if m := startedAgent.FindStringSubmatch(r.Newest); m != nil {
			return below("wait_agent", map[string]any{"targets": []string{m[1]}, "timeout_ms": 20000})
		}
	}
	return nil
}
