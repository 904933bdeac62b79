//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"strings"
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
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
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

// opencode takes long to start, so two runs show all of it: the command as printed,
// a sub-agent, a compaction, what the next prompt is told, and an answer that stands.
// It goes on by itself after a compaction, and the next prompt makes up for it.
func TestOpenCodeKeepsTheRoad(t *testing.T) {
	r := scene(t)
	var seen []string
	r.model.Add(script(
		r.summarise(&seen),
		does("SUBTASK please", func(*model.Request) model.Reply { return model.Reply{Shell: r.writesAsChild()} }),
		does("CHILD_RAN", model.Say("child result")),
		does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
		model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
			return model.Reply{Agent: "SUBTASK please", Args: map[string]any{"subagent_type": "general"}}
		}},
		does("child result", func(*model.Request) model.Reply {
			return model.Reply{Shell: "echo SECOND_COMMAND", Tokens: 195000}
		}),
		does("BRAVO", model.Say(odd)),
		model.Rule{Anywhere: summary, Reply: model.Say("answer alpha")},
	)...)
	r.set(opencode)
	n := r.revisions()
	a := r.headless(opencode, "please do ALPHA", options{})
	a.reviewed()
	child := a.first("what the sub-agent's command said", "CHILD_RAN")
	if !refused.MatchString(child.Newest) || !strings.Contains(child.Text, north) || model.ReviewCommand(child.Text) != "" {
		t.Errorf("a sub-agent reads and never writes: %s", tail(child.Text, 2000))
	}
	a.ends("answer alpha")
	r.checkpointed(seen, n+1)
	b := r.headless(opencode, "now BRAVO", options{resume: r.session(opencode)})
	b.oriented(b.first("the first prompt after it", "BRAVO"))
	if b.blocks() != 0 {
		t.Error("a headless run was held up")
	}
	b.answers(odd)
	for _, event := range opencode.host.Wired() {
		if !r.began(mark{}, event.Event) {
			t.Errorf("no hook was called for %s", event.Event)
		}
	}
	r.sound(opencode)
}
