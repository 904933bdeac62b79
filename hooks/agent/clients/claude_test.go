//go:build agents

package clients

import (
	"path/filepath"
	"regexp"

	"chatrail/hooks/agent"
)

// claude is Claude Code. As root it refuses to skip permissions, so rules allow
// its tools.
var claude = &client{
	host: agent.Claude,
	setup: func(r *run) {
		if !r.careful {
			r.writeJSON(filepath.Join(r.home, ".claude", "settings.json"), object{
				"permissions": object{"allow": []string{"Bash", "Agent", "Task", "Read"}},
			})
		}
		r.writeJSON(filepath.Join(r.home, ".claude.json"), object{
			"hasCompletedOnboarding": true, "lastOnboardingVersion": "9.9.9", "theme": "dark", "numStartups": 5,
			"customApiKeyResponses": object{"approved": []string{placeholder}, "rejected": []string{}},
			"projects":              object{r.work: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
		})
	},
	env: func(r *run) []string {
		return []string{"ANTHROPIC_BASE_URL=" + r.model.URL(), "ANTHROPIC_API_KEY=" + placeholder,
			"DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1"}
	},
	headless: func(prompt string, o options) []string {
		return append([]string{"-p", prompt, "--debug", "hooks"}, claudeArguments(o)...)
	},
	attended: func(o options) []string { return append([]string{"--debug", "hooks"}, claudeArguments(o)...) },
	forks:    true,
	limit:    []string{"--autocompact", "100000"},
	ready:    regexp.MustCompile(`❯`),
	quit:     "/exit", compact: "/compact", clear: "/clear",
	start: "SessionStart", prompt: "UserPromptSubmit", stop: "Stop", childStart: "SubagentStart", before: "PreCompact", after: "PostCompact",
	complaint: regexp.MustCompile(`(?i)hook.*(\bfailed|\berror\b|timed out|cancelled|invalid|not valid|not a JSON object|schema)`),
	logs:      func(r *run) []string { return []string{filepath.Join(r.home, ".claude", "debug", "*.txt")} },
}

func claudeArguments(o options) []string {
	args := []string{"--model", "claude-sonnet-4-5"}
	if o.resume != "" {
		args = append(args, "--resume", o.resume)
	}
	if o.fork {
		args = append(args, "--fork-session")
	}
	return append(args, o.flags...)
}
