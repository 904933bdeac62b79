package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/packages"
)

func TestALineThatMentionsTheHookIsNoCall(t *testing.T) {
	for line, want := range map[string]call{
		"chatrail-hook claude":                                    onlyCall,
		"/go/bin/chatrail-hook claude":                            onlyCall,
		`"/two dirs/chatrail-hook" claude`:                        onlyCall,
		`'/it'\''s/chatrail-hook' claude`:                         onlyCall,
		"'/new\nline/chatrail-hook' claude":                       onlyCall,
		`/two\ dirs/chatrail-hook claude`:                         onlyCall,
		`C:\go\bin\chatrail-hook.exe claude`:                      onlyCall,
		`"C:\go bin\chatrail-hook.exe" claude`:                    onlyCall,
		"& 'C:/go/chatrail-hook.exe' claude":                      onlyCall,
		"/go/bin/chatrail hook claude":                            onlyCall,
		packages.Command(agent.Claude, "Stop"):                    onlyCall,
		"CHATRAIL_HOME=/x exec chatrail-hook claude":              onlyCall,
		"chatrail-hook claude 2>/dev/null || true":                onlyCall,
		"chatrail-hook claude </dev/stdin &>/dev/null; exit 0":    onlyCall,
		"[ -x /b/chatrail-hook ] && /b/chatrail-hook claude":      onlyCall,
		"sh -c 'chatrail-hook claude || true'":                    onlyCall,
		"if test -x /b; then chatrail-hook claude; fi":            onlyCall,
		"notify-send hi; chatrail-hook claude":                    withMore,
		"tee /tmp/log | chatrail-hook claude":                     withMore,
		"chatrail-hook claude && cat notes":                       withMore,
		"sh -c 'say done; chatrail-hook claude'":                  withMore,
		"cd /x && chatrail-hook claude":                           withMore,
		"mychatrail-hook claude":                                  noCall,
		"/opt/mychatrail-hook claude":                             noCall,
		"echo chatrail-hook claude":                               noCall,
		`echo "chatrail-hook claude"`:                             noCall,
		`echo '; chatrail-hook claude'`:                           noCall,
		"grep -q chatrail-hook claude.log":                        noCall,
		"tail /var/log/chatrail-hook claude":                      noCall,
		"chatrail-hook claudette":                                 noCall,
		"chatrail-hook codex":                                     noCall,
		"command -v chatrail-hook claude":                         noCall,
		"chatrail-hook":                                           noCall,
		"":                                                        noCall,
		"'":                                                       noCall,
		"cat > chatrail-hook claude":                              noCall,
		strings.Repeat("sh -c '", 40) + "chatrail-hook claude":    noCall,
		"if (Get-Command chatrail-hook) { chatrail-hook claude }": onlyCall,
	} {
		if got := calls(agent.Claude, line); got != want {
			t.Errorf("%q: %d, not %d", line, got, want)
		}
	}
	env, _ := world(t)
	for _, h := range Hosts() {
		for _, r := range h.Wired() {
			for _, path := range []string{"/b/chatrail-hook", "/two dirs/chatrail-hook", "/it's/chatrail-hook", "/a$b/chatrail-hook", "/a\\b/chatrail-hook", "/new\nline/chatrail-hook", "/a`b\"/chatrail-hook", "/a;b&c|d(e)/chatrail-hook"} {
				env.Hook = path
				for _, scope := range []Scope{User, Project} {
					line := env.command(place{host: h, scope: scope}, r.Event)
					if calls(h, line) != onlyCall {
						t.Errorf("ours is not known: %q", line)
					}
					if want := map[Scope]string{User: path, Project: "chatrail-hook"}[scope]; Called(h, line) != want {
						t.Errorf("%q calls %q", line, Called(h, line))
					}
				}
			}
		}
	}
}

// TestALineOfOnesOwnIsNeverTakenOut: neither one that mentions the hook nor one
// that does more than calling it.
func TestALineOfOnesOwnIsNeverTakenOut(t *testing.T) {
	for _, line := range []string{"echo chatrail-hook claude", "say done; chatrail-hook claude"} {
		env, home := world(t)
		path := filepath.Join(home, ".claude", "settings.json")
		text := []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + line + `"}]}]}}` + "\n")
		put(t, path, text)
		if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Untouched {
			t.Error(r.Outcome, r.Why)
		}
		if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != Wired {
			t.Error(r.Outcome, r.Why)
		}
		if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != Present {
			t.Error(r.Outcome, r.Why)
		}
		env.State.Dir += "-other" // nothing is remembered
		if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Removed {
			t.Error(r.Outcome, r.Why)
		}
		if got, err := os.ReadFile(path); err != nil || !strings.Contains(string(got), line) {
			t.Errorf("%s %v", got, err)
		}
	}
}

func FuzzCalls(f *testing.F) {
	for _, seed := range []string{"chatrail-hook claude", "sh -c 'chatrail-hook claude'", "a > b 2>&1 | c & \"d\\\"", "'\\'", "\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		// Quoted whole, a line is a word and no command.
		if quoted := "echo '" + strings.ReplaceAll(line, "'", `'\''`) + "'"; calls(agent.Claude, quoted) != noCall {
			t.Fatalf("%q", quoted)
		}
		if calls(agent.Claude, "/b/chatrail-hook claude || true") != onlyCall {
			t.Fatal("it has a memory")
		}
		calls(agent.Claude, line)
	})
}
