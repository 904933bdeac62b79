//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"slices"

	"chatrail/hooks/agent"
)

// gemini is Gemini CLI. What it does not understand of a hook it shows to the
// person as words of the hook.
var gemini = &client{
	host: agent.Gemini,
	setup: func(r *run) {
		r.writeJSON(filepath.Join(r.home, ".gemini", "settings.json"), object{
			"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
			// A session that is resumed in another minute gets a second file, with which the
			// client's clearing of old sessions may take the first one away.
			"general": object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true,
				"sessionRetention": object{"enabled": false}},
			"privacy":   object{"usageStatisticsEnabled": false},
			"telemetry": object{"enabled": false},
			"ui":        object{"hideTips": true, "hideBanner": true},
			// In its terminal of its own the output of a short command can be lost.
			"tools": object{"shell": object{"enableInteractiveShell": false}},
		})
	},
	env: func(r *run) []string {
		return []string{"GEMINI_API_KEY=" + placeholder, "GOOGLE_GEMINI_BASE_URL=" + r.model.URL(), "GEMINI_CLI_TRUST_WORKSPACE=true",
			"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true"}
	},
	headless: func(prompt string, o options) []string { return append(geminiArguments(o), "-p", prompt) },
	attended: geminiArguments,
	ready:    regexp.MustCompile(`Typeyourmessage`),
	quit:     "/quit", compact: "/compress", clear: "/clear",
	start: "SessionStart", prompt: "BeforeAgent", stop: "AfterAgent", before: "PreCompress",
	complaint: regexp.MustCompile(`(?i)hook.*(\bfailed|\berror\b|timed out|invalid)|Hook system message: $`),
}

func geminiArguments(o options) []string {
	args := []string{"-m", "gemini-2.5-flash"}
	if i := slices.Index(o.flags, ask); i >= 0 {
		o.flags = slices.Delete(slices.Clone(o.flags), i, i+1)
	} else {
		args = append(args, "--yolo")
	}
	if o.resume != "" {
		args = append(args, "--resume", o.resume)
	}
	return append(args, o.flags...)
}
