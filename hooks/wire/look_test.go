package wire

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

func TestPlacesAreThoseOfTheTable(t *testing.T) {
	env, home := world(t)
	for _, h := range Hosts() {
		user, project := h.Registered()
		for scope, want := range map[Scope]string{
			User: strings.Replace(user, "~", filepath.ToSlash(home), 1), Project: filepath.ToSlash(env.Top) + "/" + project,
		} {
			places, err := env.places(h, scope)
			if err != nil {
				t.Fatal(err)
			}
			got := filepath.ToSlash(places[0].path)
			if strings.HasSuffix(want, "/") {
				want += "*"
			}
			if ok, err := filepath.Match(want, got); !ok || err != nil {
				t.Errorf("%s is not %s", got, want)
			}
		}
	}
}

func TestPlacesMoveWithTheClientsVariables(t *testing.T) {
	for h, c := range map[agent.Host]struct{ variable, below string }{
		agent.Claude:   {"CLAUDE_CONFIG_DIR", "settings.json"},
		agent.Codex:    {"CODEX_HOME", "hooks.json"},
		agent.Gemini:   {"GEMINI_CLI_HOME", ".gemini/settings.json"},
		agent.Copilot:  {"COPILOT_HOME", "hooks/chatrail.json"},
		agent.OpenCode: {"XDG_CONFIG_HOME", "opencode/plugins/chatrail.js"},
	} {
		env, home := world(t)
		moved := filepath.Join(home, "moved")
		getenv := env.Getenv
		env.Getenv = func(name string) string {
			if name == c.variable {
				return moved
			}
			return getenv(name)
		}
		if r := one(t, true, h, env, Options{}); r.Path != filepath.Join(moved, filepath.FromSlash(c.below)) {
			t.Errorf("%s: %s", h, r.Path)
		}
	}
}

func TestFoundByProgramOrFolder(t *testing.T) {
	env, home := world(t)
	found := func() (list []agent.Host) {
		for _, h := range Hosts() {
			if Found(h, env) {
				list = append(list, h)
			}
		}
		return list
	}
	// ChatRail's own state is no sign of Codex.
	put(t, filepath.Join(home, ".codex", "chatrail", "trust.json"), nil)
	if got := found(); got != nil {
		t.Fatal(got)
	}
	put(t, filepath.Join(home, ".codex", "config.toml"), nil)
	put(t, filepath.Join(home, ".gemini", "settings.json"), nil)
	env.LookPath = func(name string) (string, error) {
		if name == "claude" {
			return name, nil
		}
		return "", os.ErrNotExist
	}
	if got := found(); !slices.Equal(got, []agent.Host{agent.Claude, agent.Codex, agent.Gemini}) {
		t.Fatal(got)
	}
}

func TestDoubledNamesEveryPlace(t *testing.T) {
	env, home := world(t)
	if err := os.Mkdir(env.Top, 0o700); err != nil {
		t.Fatal(err)
	}
	one(t, true, agent.Claude, env, Options{})
	if got := Doubled(agent.Claude, env); got != nil {
		t.Fatal(got)
	}
	one(t, true, agent.Claude, env, Options{Scope: Project})
	project := filepath.Join(env.Top, ".claude")
	put(t, filepath.Join(project, "settings.local.json"), []byte(`{"enabledPlugins": {"chatrail@chatrail": true, "other@x": true}}`))
	want := []string{claudeSettings(home), filepath.Join(project, "settings.json"), "the plugin in " + filepath.Join(project, "settings.local.json")}
	if got := Doubled(agent.Claude, env); !slices.Equal(got, want) {
		t.Fatal(got)
	}
	// Claude Code notes its plugins in the file that calls the hook.
	put(t, claudeSettings(home), append([]byte(`{"enabledPlugins": {"chatrail@chatrail": true}, `), get(t, claudeSettings(home))[1:]...))
	if got, want := Doubled(agent.Claude, env), slices.Insert(want, 2, "the plugin in "+want[0]); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Fatal(got)
	}
	if got := Doubled(agent.Copilot, env); got != nil {
		t.Fatal(got)
	}
	one(t, true, agent.Copilot, env, Options{})
	if got := Doubled(agent.Copilot, env); len(got) != 2 || got[1] != want[1] {
		t.Fatal(got)
	}
	mine := filepath.Join(home, ".copilot", "hooks", "mine.json")
	put(t, mine, []byte(`{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "chatrail-hook copilot agentStop"}]}}`))
	if got := Doubled(agent.Copilot, env); len(got) != 3 || got[1] != mine {
		t.Fatal(got)
	}
	one(t, true, agent.Codex, env, Options{})
	put(t, filepath.Join(home, ".codex", "config.toml"), []byte("[plugins.\"chatrail@chatrail\"]\nenabled = true\n"))
	one(t, true, agent.Gemini, env, Options{})
	put(t, filepath.Join(home, ".gemini", "extensions", "chatrail", "x"), nil)
	for _, h := range []agent.Host{agent.Codex, agent.Gemini} {
		if got := Doubled(h, env); len(got) != 2 {
			t.Fatal(h, got)
		}
	}
}

func TestLookTellsWhatIsWrong(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	ours := `{"hooks": [{"type": "command", "command": "/old/chatrail-hook claude"}]}`
	for text, ok := range map[string]func(w Wiring) bool{
		`{`:                                   func(w Wiring) bool { return w.Problem != "" },
		`{}`:                                  func(w Wiring) bool { return !w.Wired() && w.Problem == "" && w.Missing == nil },
		`[1]`:                                 func(w Wiring) bool { return w.Problem != "" },
		`{"hooks": {"Stop": [` + ours + `]}}`: func(w Wiring) bool { return len(w.Missing) == 6 && !w.Current },
		`{"hooks": {"Stop": [` + ours + `,` + ours + `]}}`:                       func(w Wiring) bool { return slices.Equal(w.Doubled, []string{"Stop"}) && len(w.Commands) == 1 },
		`{"permissions": {"allow": ["Bash('/a b/chatrail' reconcile:*)"]}}`:      func(w Wiring) bool { return w.Permission },
		`{"permissions": {"allow": ["Bash(notchatrail reconcile:*)", 1, null]}}`: func(w Wiring) bool { return !w.Permission },
	} {
		put(t, path, []byte(text))
		if w := Look(agent.Claude, User, env); !ok(w) {
			t.Errorf("%s: %+v", text, w)
		}
	}
}

func TestCodexFilesThatCodexRefusesAreLeftAlone(t *testing.T) {
	for text, why := range map[string]string{
		"\xef\xbb\xbf{}":              "byte order mark",
		`{"hooks": {}, "x": 1}`:       "anything but",
		`{"description": "x"} // end`: "no comments",
		`{"hooks": {"Stop": [],}}`:    "no trailing commas",
		`[]`:                          "no JSON object",
		`{"hooks"`:                    "cannot be parsed",
	} {
		env, home := world(t)
		path := filepath.Join(home, ".codex", "hooks.json")
		put(t, path, []byte(text))
		if r := one(t, true, agent.Codex, env, Options{}); r.Outcome != LeftAlone || !strings.Contains(r.Why, why) {
			t.Errorf("%s: %s %s", text, r.Outcome, r.Why)
		}
		if exists(filepath.Join(home, ".codex", "rules")) {
			t.Error("a rule without hooks")
		}
	}
}

func TestAFileOfOursThatWasEditedIsLeftAlone(t *testing.T) {
	env, home := world(t)
	one(t, true, agent.OpenCode, env, Options{})
	path := filepath.Join(home, ".config", "opencode", "plugins", "chatrail.js")
	put(t, path, append(get(t, path), "// mine\n"...))
	for _, in := range []bool{true, false} {
		if r := one(t, in, agent.OpenCode, env, Options{}); r.Outcome != LeftAlone {
			t.Error(in, r.Outcome)
		}
	}
	put(t, path, []byte("export default {}\n"))
	if r := one(t, true, agent.OpenCode, env, Options{}); r.Outcome != LeftAlone {
		t.Error(r.Outcome)
	}
	if r := one(t, false, agent.OpenCode, env, Options{}); r.Outcome != Untouched {
		t.Error(r.Outcome)
	}
	// One that an older version wrote is brought up to date.
	put(t, path, sign("//", "export default {}\n"))
	if r := one(t, true, agent.OpenCode, env, Options{}); r.Outcome != Renewed {
		t.Error(r.Outcome)
	}
}

// TestCodexConfigIsReadAsTOML: whatever way a table is written, and nothing that
// only looks like one.
func TestCodexConfigIsReadAsTOML(t *testing.T) {
	const hook, plugin = "hook", "plugin"
	for text, want := range map[string]string{
		"[plugins.\"chatrail@chatrail\"]\nenabled = true\n":                                   plugin,
		"plugins.\"chatrail@chatrail\".enabled = true\n":                                      plugin,
		"plugins = { \"chatrail@here\" = { enabled = true } }\n":                              plugin,
		"[ plugins . 'chatrail@chatrail' ] # on\r\n":                                          plugin,
		"[plugins.\"chatrail@chatrail\"]\nenabled = false\n":                                  "",
		"x = \"\"\"\n[plugins.\"chatrail@chatrail\"]\n\"\"\"\n":                               "",
		"# [plugins.\"chatrail@chatrail\"]\n":                                                 "",
		"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"\"\"\nchatrail-hook codex\"\"\"\n": hook,
		"hooks = { Stop = [ { hooks = [ { command = '/x/chatrail-hook codex' } ] } ] }\n":     hook,
		"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"echo chatrail-hook codex\"\n":      "",
		"[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = \"chatrail-hook codex\"\n":              "",
		"plugins = []\nhooks = 7\n":                                                           "",
		"[plugins":                                                                            "",
	} {
		env, home := world(t)
		path := filepath.Join(home, ".codex", "config.toml")
		put(t, path, []byte(text))
		var list []string
		switch want {
		case hook:
			list = []string{path}
		case plugin:
			list = []string{pluginIn(path)}
		}
		if got := Elsewhere(agent.Codex, User, env); !slices.Equal(got, list) {
			t.Errorf("%q: %q", text, got)
		}
		report, err := Uninstall(t.Context(), []agent.Host{agent.Codex}, env, Options{Scope: User})
		if err != nil || (len(report.Notes) > 0) != (want != "") || string(get(t, path)) != text {
			t.Errorf("%q: %+v %v", text, report, err)
		}
	}
}
