//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"chatrail/hooks/agent"
)

// codex is Codex. Its sandbox is off unless a scenario is about it, and its
// hooks are trusted unless a scenario answers the question itself.
var codex = &client{
	host: agent.Codex,
	setup: func(r *run) {
		r.writeFile(filepath.Join(r.home, ".codex", "config.toml"), `model = "gpt-5.2"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = `+strconv.Quote(r.model.URL()+"/v1")+`
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[otel]
exporter = "none"
[features]
plugins = false
[projects.`+strconv.Quote(r.work)+`]
trust_level = "trusted"
`)
	},
	env: func(r *run) []string {
		return []string{"SCRIPTED_KEY=" + placeholder, "CODEX_HOME=" + filepath.Join(r.home, ".codex"), "RUST_LOG=warn"}
	},
	headless: func(prompt string, o options) []string {
		args := append([]string{"exec", "--skip-git-repo-check"}, codexFlags(o)...)
		switch {
		case o.fork:
			args = append(args, "fork", o.resume)
		case o.resume != "":
			args = append(args, "resume", o.resume)
		}
		return append(args, prompt)
	},
	attended: func(o options) []string {
		args := codexFlags(o)
		if o.resume != "" {
			args = append(args, "resume", o.resume)
		}
		return args
	},
	forks: true, tellsChild: true, cleared: regexp.MustCompile(`OpenAICodex`),
	limit: []string{"-c", "model_auto_compact_token_limit=50000", "-c", "model_context_window=100000"},
	ready: regexp.MustCompile(`OpenAICodex[\s\S]*›`),
	quit:  "/quit", compact: "/compact", clear: "/clear",
	start: "SessionStart", prompt: "UserPromptSubmit", stop: "Stop", childStart: "SubagentStart", before: "PreCompact", after: "PostCompact",
	complaint: regexp.MustCompile(`(?i)hook\b.*(\bfailed|\berror\b|timed out|stopped with)`),
}

// ask leaves to the scenario what is else allowed beforehand: Codex's hooks, Gemini
// CLI's tools.
const ask = "ask"

func codexFlags(o options) []string {
	if i := slices.Index(o.flags, ask); i >= 0 {
		return slices.Delete(slices.Clone(o.flags), i, i+1)
	}
	return append([]string{"--dangerously-bypass-hook-trust"}, o.flags...)
}
