package wire

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"chatrail/hooks/agent"
	"chatrail/hooks/packages"
)

// copilotFile is the file of hooks that is all ours.
const copilotFile = "chatrail.json"

// Switch is a setting by which a client calls no hooks.
type Switch struct {
	Path string
	// All says that it calls none at all, where it else leaves out those that call
	// ChatRail.
	All bool
}

// SwitchedOff lists the settings by which a client leaves ChatRail's hooks out,
// wherever they are registered. Codex's are in its own file; see package doctor.
func SwitchedOff(h agent.Host, env Env) (list []Switch) {
	for _, path := range env.switches(h) {
		text, ok := read(path)
		if !ok || blank(text) {
			continue
		}
		d, err := parse(body(text))
		if err != nil {
			continue // the look at the file says so, where it is one of ours
		}
		switch {
		case d.allOff(h):
			// Copilot CLI's switch in a file of hooks is for that file.
			list = append(list, Switch{path, filepath.Base(path) != copilotFile})
		case h == agent.Gemini && d.namesOff():
			list = append(list, Switch{path, false})
		}
	}
	return list
}

// switches are the files in which a client looks for such a setting.
func (e Env) switches(h agent.Host) (list []string) {
	names := map[agent.Host][]string{
		agent.Claude: {"settings.json", "settings.local.json"},
		agent.Gemini: {"settings.json"},
		// That of a person's own settings had no effect in the version that was measured.
		agent.Copilot: {"hooks/" + copilotFile, "copilot/settings.json"},
	}[h]
	for _, scope := range []Scope{User, Project} {
		dir, err := e.folder(h, scope)
		if err != nil {
			continue
		}
		for _, name := range names {
			if path := filepath.Join(dir, filepath.FromSlash(name)); !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list
}

func (d *document) allOff(h agent.Host) bool {
	switch h {
	case agent.Claude, agent.Copilot:
		return d.literal("true", "disableAllHooks")
	case agent.Gemini:
		return d.literal("false", "hooksConfig", "enabled")
	}
	return false
}

// namesOff says that Gemini CLI's list of hooks that a person switched off holds
// one that calls ChatRail: it has the name of a hook, or else its command.
func (d *document) namesOff() bool {
	return slices.ContainsFunc(d.elements(d.memberOf(d.memberOf(&d.root, "hooksConfig"), "disabled")), func(v *hujson.Value) bool {
		name := stringOf(v)
		return name == packages.Name || Called(agent.Gemini, name) != ""
	})
}

// literal tells whether the value below some keys is written so.
func (d *document) literal(want string, keys ...string) bool {
	v := &d.root
	for _, key := range keys {
		v = d.memberOf(v, key)
	}
	return v != nil && strings.TrimSpace(v.String()) == want
}
