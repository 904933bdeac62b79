package wire

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"chatrail/hooks/agent"
)

// Codex takes hooks from config.toml too, and says there which plugins are on.
// The file is read and never written here.

// codexPlaces lists what in a folder's config.toml calls the hook: hooks that
// somebody wrote there, and our plugin.
func codexPlaces(dir string) (list []string) {
	path := filepath.Join(dir, "config.toml")
	text, ok := read(path)
	var config map[string]any
	if !ok || toml.Unmarshal(body(text), &config) != nil {
		return nil // doctor says so
	}
	hooks, _ := config["hooks"].(map[string]any)
	for _, event := range hooks {
		groups, _ := event.([]any)
		if slices.ContainsFunc(groups, codexCalls) {
			list = append(list, path)
			break
		}
	}
	plugins, _ := config["plugins"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		plugin, _ := plugins[name].(map[string]any)
		if on, said := plugin["enabled"].(bool); pluginName().MatchString(name) && (on || !said) {
			list = append(list, pluginIn(path))
			break
		}
	}
	return list
}

// codexCalls tells whether a group of hooks calls ours.
func codexCalls(group any) bool {
	g, _ := group.(map[string]any)
	handlers, _ := g["hooks"].([]any)
	return slices.ContainsFunc(handlers, func(handler any) bool {
		h, _ := handler.(map[string]any)
		line, _ := h["command"].(string)
		return calls(agent.Codex, line) != noCall
	})
}
