package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/wire"
	"chatrail/hooks/work"
)

// codexHashes is what Codex 0.171.0 itself says of testdata/codex-hooks.json, by
// the end of its keys.
var codexHashes = map[string]string{
	"pre_compact:0:0":        "sha256:6038eb4825ac09d864999df8c50fc3b468ccb4df2977b2fe035544b72cf1cb79",
	"session_start:0:0":      "sha256:02dc06cff20784719fdbc0398a6add5b642a5b22b21f88eae99a0b18f7ad2b1d",
	"session_end:0:0":        "sha256:0b8e268a8ca9ab5d0b8ca99a08bc9d487888266113c2aab968d6085d9e73636e",
	"session_end:1:0":        "sha256:0b8e268a8ca9ab5d0b8ca99a08bc9d487888266113c2aab968d6085d9e73636e",
	"session_end:2:0":        "sha256:17eace3b951decf683ef8065e30c24556106292437b94ab108c83b67e1f33e4c",
	"user_prompt_submit:0:0": "sha256:3771a7a67898562ac4f24b0a01646b0ee43ce7fda64c6da6f534079ff78f4b8b",
	"subagent_start:0:0":     "sha256:4c3f30a6db1cb80944c88388531366ccbbbf9735c844dc3c71aae4b7533567a5",
	"stop:0:0":               "sha256:289aab097164870043efdbf68bdec69d1f8af7d21942e10cd04d2dfa1216c911",
	"stop:0:1":               "sha256:0f849b1166a0a3f043c27422b4df9f8028c8b3c0cf700d368c8bd516ed593961",
}

func TestAHookIsHashedAsCodexDoes(t *testing.T) {
	hooks, err := codexHooks(filepath.Join("testdata", "codex-hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(hooks) != len(codexHashes) {
		t.Errorf("%d hooks, not %d", len(hooks), len(codexHashes))
	}
	for _, h := range hooks {
		if got, want := h.hash(), codexHashes[h.place()[1:]]; got != want {
			t.Errorf("%s: %s, not %s", h.place(), got, want)
		}
	}
}

// codexScene is a Codex whose hooks.json is the one above, and its config.
func codexScene(t *testing.T, config string) (v Visit, wired []wire.Wiring) {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "codex-hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, "hooks.json")
	for path, data := range map[string]string{hooks: string(text), filepath.Join(dir, "config.toml"): strings.ReplaceAll(config, "HOOKS", hooks)} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v.Desk = &work.Desk{Env: func(name string) string { return map[string]string{"CODEX_HOME": dir}[name] }}
	return v, []wire.Wiring{{Path: hooks, Events: []string{"Stop"}}}
}

func approvals(leaveOut, change, off string) string {
	var b strings.Builder
	b.WriteString("model = \"x\"\n")
	for place, hash := range codexHashes {
		if place == leaveOut {
			continue
		}
		if place == change {
			hash = "sha256:0000"
		}
		fmt.Fprintf(&b, "[hooks.state.\"HOOKS:%s\"]\ntrusted_hash = %q\n", place, hash)
		if place == off {
			b.WriteString("enabled = false\n")
		}
	}
	return b.String()
}

func TestWhatCodexSkipsIsAProblem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		level  Level
		text   string
	}{
		"approved":       {approvals("", "", ""), OK, "approved in Codex"},
		"never approved": {"", Problem, "nobody approved: PreCompact"},
		"one missing":    {approvals("stop:0:0", "", ""), Problem, "nobody approved: Stop"},
		"one changed":    {approvals("", "session_start:0:0", ""), Problem, "changed after they were approved, and Codex skips them: SessionStart"},
		"one off":        {approvals("", "", "stop:0:0"), Problem, "switched off in Codex: Stop"},
		"all off":        {approvals("", "", "") + "[features]\nhooks = false\n", Problem, "switches hooks off"},
		"broken":         {"[hooks", Problem, "cannot be read"},
		"another's file": {strings.ReplaceAll(approvals("", "", ""), "HOOKS", "/elsewhere/hooks.json"), Problem, "nobody approved"},
	} {
		v, wired := codexScene(t, c.config)
		lines := v.codexTrust(wired)
		if len(lines) == 0 || lines[0].Level != c.level || !strings.Contains(lines[0].Text, c.text) {
			t.Errorf("%s: %+v", name, lines)
		}
		if len(lines) > 0 && lines[0].Level != OK && lines[0].Next == "" {
			t.Errorf("%s: no next step", name)
		}
	}
}

// TestAHookOfThePersonsOwnIsNoneOfDoctorsProblems: whatever named chatrail
// anywhere in its line was taken for ours, and a problem until it was approved.
func TestAHookOfThePersonsOwnIsNoneOfDoctorsProblems(t *testing.T) {
	t.Parallel()
	hooks, err := parseCodexHooks([]byte(`{"hooks": {"Stop": [{"hooks": [
		{"type": "command", "command": "/home/you/src/chatrail/lint.sh"},
		{"type": "command", "command": "echo chatrail-hook codex"},
		{"type": "command", "command": "/home/you/go/bin/chatrail-hook codex"}]}]}}`))
	if hooks = ours(hooks); err != nil || len(hooks) != 1 || hooks[0].Index != 2 {
		t.Errorf("%+v, %v", hooks, err)
	}
}

func TestAProjectThatCodexDoesNotTrustIsAProblem(t *testing.T) {
	t.Parallel()
	v, wired := codexScene(t, approvals("", "", ""))
	v.Top = t.TempDir()
	own := filepath.Join(v.Top, ".codex", "hooks.json")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(wired[0].Path, own); err != nil {
		t.Fatal(err)
	}
	wired[0].Path = own
	lines := v.codexTrust(wired)
	if len(lines) != 2 || !strings.Contains(lines[1].Text, "does not trust this project") {
		t.Errorf("%+v", lines)
	}
	config := filepath.Join(v.codexHome(), "config.toml")
	if err := os.WriteFile(config, []byte(fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", v.Top)), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines := v.codexTrust(wired); len(lines) != 1 {
		t.Errorf("%+v", lines)
	}
}

func TestCodexConfigIsReadAsCodexDoes(t *testing.T) {
	// Each was asked of the client: the older name counts where the new one is not
	// there, and a byte order mark is none of the text.
	dir := t.TempDir()
	v := Visit{Desk: &work.Desk{Env: func(name string) string { return map[string]string{"CODEX_HOME": dir}[name] }}}
	for text, want := range map[string]string{
		"[features]\nhooks = false\n":                           "`hooks = false`",
		"\ufeff[features]\nhooks = false\n":                     "`hooks = false`",
		"features = { codex_hooks = false }\n":                  "`codex_hooks = false`",
		"features.hooks = true\nfeatures.codex_hooks = false\n": "",
		"model = \"x\"\n\nfeatures = 7\n":                       "line 3: the value is of another kind",
		"a = 1\nb = [\n":                                        "line ",
	} {
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, l := range v.codexTrust(nil) {
			said += l.Text + " " + l.Next
		}
		if !strings.Contains(said, want) || want == "" && said != "" || strings.Contains(said, "struct") {
			t.Errorf("%q: %s", text, said)
		}
	}
}

func FuzzCodexSettingsOfAnyKindAreReadOrRefused(f *testing.F) {
	f.Add(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"chatrail-hook codex","timeout":"x"}]}]}}`)
	f.Add(`{"hooks":{"":[{"matcher":null,"hooks":[{"type":"command","command":"chatrail","timeout":1e400}]}]}}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		hooks, err := parseCodexHooks([]byte(text))
		if err != nil {
			return
		}
		for _, h := range hooks {
			if h.Timeout < 1 || !strings.HasPrefix(h.hash(), "sha256:") {
				t.Errorf("%+v: %s", h, h.hash())
			}
		}
	})
}
