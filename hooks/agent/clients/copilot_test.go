//go:build agents

package clients

import (
	"os"
	"path/filepath"
	"regexp"

	"chatrail/hooks/agent"
)

// copilot is Copilot CLI, with a provider of one's own in place of an account.
var copilot = &client{
	host: agent.Copilot,
	setup: func(r *run) {
		// It unpacks 240 MB into each new home, and once is enough.
		must(r.t, os.MkdirAll(filepath.Join(r.home, ".cache"), 0o700))
		must(r.t, os.Symlink(pins[agent.Copilot].unpacked(".cache", "copilot"), filepath.Join(r.home, ".cache", "copilot")))
		r.writeJSON(filepath.Join(r.home, ".copilot", "config.json"), object{"trusted_folders": []string{r.work}, "trustedFolders": []string{r.work}, "banner": "never"})
	},
	env: func(r *run) []string {
		return []string{"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=" + r.model.URL() + "/v1", "COPILOT_PROVIDER_API_KEY=" + placeholder,
			"COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_MODEL=gpt-5.2", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false"}
	},
	headless: func(prompt string, o options) []string { return append(copilotArguments(o), "--silent", "-p", prompt) },
	attended: copilotArguments,
	ready:    regexp.MustCompile(`❯|Describeatask|forshortcuts`),
	cleared:  regexp.MustCompile(`Startedafreshsession`),
	quit:     "/exit", compact: "/compact", clear: "/clear",
	start: "sessionStart", prompt: "userPromptSubmitted", stop: "agentStop", childStart: "subagentStart", before: "preCompact",
	complaint: regexp.MustCompile(`(?i)hook.*(\bfail|\berror\b|timed out|invalid|reject)`),
	logs:      func(r *run) []string { return []string{filepath.Join(r.home, ".copilot", "logs", "*.log")} },
}

func copilotArguments(o options) []string {
	args := []string{"--allow-all-tools", "--allow-all-paths", "--no-auto-update", "--log-level", "debug"}
	if o.resume != "" {
		args = append(args, "--resume="+o.resume)
	}
	return append(args, o.flags...)
}
