package wire

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

func TestSettingsThatLeaveHooksOutAreFound(t *testing.T) {
	for _, c := range []struct {
		host agent.Host
		file string // below the home
		text string
		want []bool // of each switch whether it is for all hooks
	}{
		{agent.Claude, ".claude/settings.json", `{"disableAllHooks": true}`, []bool{true}},
		{agent.Claude, ".claude/settings.json", `{"disableAllHooks": false}`, nil},
		{agent.Claude, ".claude/settings.local.json", `{"disableAllHooks": true, /* now */}`, []bool{true}},
		{agent.Claude, "project/.claude/settings.json", `{"disableAllHooks": true}`, []bool{true}},
		{agent.Claude, "project/.claude/settings.local.json", `{"disableAllHooks": true}`, []bool{true}},
		{agent.Claude, ".claude/settings.json", `{"disableAllHooks": `, nil},
		{agent.Gemini, ".gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, []bool{true}},
		{agent.Gemini, "project/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, []bool{true}},
		{agent.Gemini, ".gemini/settings.json", `{"hooksConfig": {"enabled": true, "disabled": ["chatrail"]}}`, []bool{false}},
		{agent.Gemini, ".gemini/settings.json", `{"hooksConfig": {"disabled": ["'/a b/chatrail-hook' gemini"]}}`, []bool{false}},
		{agent.Gemini, ".gemini/settings.json", `{"hooksConfig": {"disabled": ["lint", 1, null]}}`, nil},
		{agent.Gemini, ".gemini/settings.json", `{"hooksConfig": {"disabled": "chatrail"}}`, nil},
		{agent.Gemini, ".gemini/settings.json", `{"disableAllHooks": true}`, nil},
		{agent.Copilot, ".copilot/hooks/chatrail.json", `{"disableAllHooks": true}`, []bool{false}},
		{agent.Copilot, "project/.github/copilot/settings.json", `{"disableAllHooks": true}`, []bool{true}},
		{agent.Copilot, ".copilot/config.json", `{"disableAllHooks": true}`, nil},
		{agent.OpenCode, ".config/opencode/settings.json", `{"disableAllHooks": true}`, nil},
	} {
		env, home := world(t)
		path := filepath.Join(home, filepath.FromSlash(c.file))
		put(t, path, []byte(c.text))
		var all []bool
		for _, s := range SwitchedOff(c.host, env) {
			all = append(all, s.All)
			if s.Path != path {
				t.Errorf("%s: %s is not %s", c.text, s.Path, path)
			}
		}
		if !slices.Equal(all, c.want) {
			t.Errorf("%s: %s: %v, want %v", c.host, strings.TrimSpace(c.text), all, c.want)
		}
	}
}
