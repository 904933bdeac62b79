//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/agent/clients/model"
)

// opencode is opencode, whose hooks are those of the plugin that ChatRail installs.
var opencode = &client{
	host: agent.OpenCode,
	setup: func(r *run) {
		r.writeJSON(filepath.Join(r.home, ".config", "opencode", "opencode.json"), object{
			"autoupdate": false, "snapshot": false, "share": "disabled", "model": "scripted/words", "small_model": "scripted/words",
			"provider": object{"scripted": object{
				"npm": "@ai-sdk/anthropic", "name": "scripted",
				"options": object{"baseURL": r.model.URL() + "/v1", "apiKey": placeholder},
				"models":  object{"words": object{"name": "words", "tool_call": true, "limit": object{"context": 100000, "output": 8000}}},
			}},
		})
	},
	env: func(r *run) []string {
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			// Its plugin waits two seconds for a hook, too short for a machine that is busy with other scenarios.
			"CHATRAIL_HOOK_TIMEOUT=20000"}
	},
	headless: func(prompt string, o options) []string {
		args := []string{"run"}
		if o.resume != "" {
			args = append(args, "--session", o.resume)
		}
		if o.fork {
			args = append(args, "--fork")
		}
		return append(append(args, o.flags...), prompt)
	},
	attended: func(o options) []string {
		var args []string
		if o.resume != "" {
			args = append(args, "--session", o.resume)
		}
		return append(args, o.flags...)
	},
	forks: true, tellsChild: true,
	ready: regexp.MustCompile(`Askanything`),
	quit:  "/exit", compact: "/compact", clear: "/new",
	start: "SessionStart", prompt: "Prompt", stop: "Stop", childStart: "ChildStart", before: "PreCompact", after: "PostCompact",
	complaint: regexp.MustCompile(`(?i)plugin.*(\bfailed|\berror\b)`),
	logs: func(r *run) []string {
		return []string{filepath.Join(r.home, ".local", "share", "opencode", "log", "*.log")}
	},
}

// opencode goes on by itself after a compaction, and the next prompt makes up for it.
func TestOpenCodeCompactionKeepsTheRoad(t *testing.T) {
	r := scene(t)
	var seen []string
	r.model.Add(script(
		r.summarise(&seen),
		does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
		model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
			return model.Reply{Shell: "echo SECOND_COMMAND", Tokens: 195000}
		}},
		does("BRAVO", model.Review("")),
		model.Rule{Newest: model.Answer.String(), Reply: model.Say("answer bravo")},
		model.Rule{Anywhere: summary, Reply: model.Say("answer alpha")},
	)...)
	r.set(opencode)
	n := r.revisions()
	a := r.headless(opencode, "please do ALPHA", options{})
	a.reviewed()
	a.ends("answer alpha")
	r.checkpointed(seen, n+1)
	b := r.headless(opencode, "now BRAVO", options{resume: r.session(opencode)})
	b.oriented(b.first("the first prompt after it", "BRAVO"))
	b.reviewed()
	b.answers("answer bravo")
	r.sound(opencode)
}
