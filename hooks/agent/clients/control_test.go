//go:build agents

package clients

import (
	"path/filepath"
	"testing"
)

// The checks of every other scenario are worth something only if this holds:
// where a client says anything of a hook that it does not understand, or that
// fails, the suite sees it. What a client passes over in silence is held by
// agent.Accepts alone.
func TestRejectedOutputIsSeen(t *testing.T) {
	for name, control := range map[string]struct {
		outcome call
		clients []*client
	}{
		"broken":  {call{Stdout: `{"hookSpecificOutput": {"hookEventName"` + "\n"}, []*client{claude, codex, gemini}},
		"unknown": {call{Stdout: `{"hookSpecificOutput": {"hookEventName": "Nonesuch", "additionalContext": 7}}` + "\n"}, []*client{claude, codex}},
		"failed":  {call{Stderr: "no such bundle\n", Exit: 1}, all},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, c *client) {
				r := scene(t)
				r.set(c)
				r.writeJSON(filepath.Join(r.dir, spoilFile), object{"Stdout": control.outcome.Stdout, "Stderr": control.outcome.Stderr, "Exit": control.outcome.Exit})
				r.headless(c, "hello", options{})
				if len(r.complaints(c)) == 0 {
					t.Errorf("%s says nothing of a hook that ends so: %+v", c.host, control.outcome)
					for where, text := range r.spoken(c) {
						t.Logf("%s: %s", where, tail(text, 4000))
					}
				}
			}, control.clients...)
		})
	}
}
