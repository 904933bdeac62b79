package wire

import (
	"bytes"
	"path/filepath"
	"testing"

	"chatrail/hooks/agent"
)

// TestALineIsOursOnlyWhereItRunsTheHook holds lines against what a shell would
// make of them.
func TestALineIsOursOnlyWhereItRunsTheHook(t *testing.T) {
	for _, line := range []string{
		"chatrail-hook claude",
		"chatrail hook claude",
		"/home/you/go/bin/chatrail-hook claude",
		`"/home/a b/chatrail-hook" claude`,
		`/home/a\ b/chatrail-hook claude`,
		`'/home/all '\''"$ echo/chatrail-hook' claude`,
		`"$HOME/go/bin/chatrail-hook" claude`,
		`"C:/Program Files/chatrail-hook.exe" claude`,
		`C:\go\bin\chatrail-hook.exe claude`,
		`& 'C:/it''s/chatrail-hook.exe' claude`,
		"command -v chatrail-hook >/dev/null 2>&1 && chatrail-hook claude || cat >/dev/null",
		"if (Get-Command chatrail-hook -ErrorAction SilentlyContinue) { chatrail-hook claude }",
		"[ -x /bin/chatrail-hook ] && exec /bin/chatrail-hook claude",
		"if true; then chatrail-hook claude; fi",
		"CHATRAIL_HOOK_TIMEOUT=9000 A='b c' chatrail-hook claude 2>/dev/null",
		"env -i A=b nice -n 5 timeout 10s chatrail-hook claude;",
		"cat | chatrail-hook claude",
		"# mine\nchatrail-hook claude # yours",
		`bash -lc "exec '/a b/chatrail-hook' claude"`,
		"cmd /c chatrail-hook claude",
	} {
		if Called(agent.Claude, line) == "" {
			t.Errorf("not ours: %s", line)
		}
	}
	for _, line := range []string{
		"", "'", "chatrail-hook", "chatrail-hook codex", "chatrail-hook claudette", "mychatrail-hook claude",
		"echo chatrail-hook claude",
		`echo "chatrail-hook claude"`,
		`logger -t x "the hook is chatrail-hook claude"`,
		"pgrep -f 'chatrail-hook claude' >/dev/null || notify-send 'no hook'",
		"true # chatrail-hook claude",
		`git commit -m "wip; chatrail-hook claude" -a`,
		"chatrail-hook-log claude",
		"/opt/chatrail-hook/run claude",
		"chatrail hook codex claude",
	} {
		if Called(agent.Claude, line) != "" {
			t.Errorf("taken for ours: %s", line)
		}
	}
}

// TestACommandThatOnlySpeaksOfTheHookIsLeft: it was taken for ours, and gone
// after an install.
func TestACommandThatOnlySpeaksOfTheHookIsLeft(t *testing.T) {
	start := []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo chatrail-hook claude >> ~/log"}]}]}}`)
	env, home := world(t)
	path := filepath.Join(home, ".claude", "settings.json")
	put(t, path, start)
	if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != Wired || !bytes.Contains(get(t, path), []byte("echo chatrail-hook claude")) {
		t.Fatal(r.Outcome, string(get(t, path)))
	}
	if one(t, false, agent.Claude, env, Options{}); !bytes.Equal(get(t, path), start) {
		t.Fatal(string(get(t, path)))
	}
	if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Untouched || !bytes.Equal(get(t, path), start) {
		t.Fatal(r.Outcome, string(get(t, path)))
	}
}

// FuzzCalled: no line brings the reader down, and what is ours stays so behind
// another command.
func FuzzCalled(f *testing.F) {
	f.Add(`a "b\" c' d`)
	f.Add("sh -c 'sh -c \"sh -c x\"'")
	f.Fuzz(func(t *testing.T, line string) {
		Called(agent.Codex, line)
		if path := quotePath("/" + line + "/chatrail-hook"); filepath.Separator == '/' && Called(agent.Codex, path+" codex") == "" {
			t.Fatalf("not ours: %s", path)
		}
	})
}
