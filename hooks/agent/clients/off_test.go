//go:build agents

package clients

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// off are the settings by which a person switches a client's hooks off.
var off = map[*client]func(r *run){
	claude: func(r *run) {
		r.settings(filepath.Join(r.home, ".claude", "settings.json"), "disableAllHooks", true)
	},
	codex: func(r *run) {
		file := filepath.Join(r.home, ".codex", "config.toml")
		r.writeFile(file, strings.Replace(r.read(file), "[features]\n", "[features]\nhooks = false\n", 1))
	},
	gemini: func(r *run) {
		r.settings(filepath.Join(r.home, ".gemini", "settings.json"), "hooksConfig", object{"enabled": false})
	},
	copilot: func(r *run) {
		// That of the person's own settings has no effect in this version.
		r.settings(filepath.Join(r.work, ".github", "copilot", "settings.json"), "disableAllHooks", true)
	},
}

// settings changes one setting in a file of JSON.
func (r *run) settings(file, key string, value any) {
	r.t.Helper()
	v := object{}
	if text, err := readIfThere(file); err == nil && text != "" {
		must(r.t, json.Unmarshal([]byte(text), &v))
	}
	v[key] = value
	r.writeJSON(file, v)
}

// A hook that its client does not call is no fault that anything of ours would
// see, beside the one that is asked what is wrong.
func TestDoctorSaysThatTheClientSwitchesHooksOff(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, does("ALPHA", model.Say("answer alpha")))
		r.set(c)
		off[c](r)
		a := r.headless(c, "please do ALPHA", options{})
		if len(a.calls) != 0 {
			t.Errorf("hooks ran that are switched off: %v", a.calls)
		}
		a.answers("answer alpha")
		said, err := r.command(filepath.Join(r.bin, "chatrail"), "doctor")
		if err == nil || !strings.Contains(said, "off") {
			t.Errorf("doctor does not say that hooks are off (%v):\n%s", err, said)
		}
	}, claude, codex, gemini, copilot)
}
