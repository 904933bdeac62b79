package task

import (
	"path/filepath"
	"testing"

	"chatrail/hooks/agent"
)

func TestOnlyTheClientsOwnWordTellsWhereItsProjectIs(t *testing.T) {
	t.Parallel()
	here, elsewhere := t.TempDir(), t.TempDir()
	env := func(name string) string { return map[string]string{"CLAUDE_PROJECT_DIR": elsewhere}[name] }
	if a := ApartIn(env, here, agent.Claude); filepath.Base(a.Said) != filepath.Base(elsewhere) || filepath.Base(a.Works) != filepath.Base(here) {
		t.Errorf("said %+v", a)
	}
	// Whatever a client starts has its variables, another client too.
	if a := ApartIn(env, here, agent.Codex, agent.Gemini, agent.Copilot); a != (Apart{}) {
		t.Errorf("another client's: %+v", a)
	}
	if a := ApartIn(env, elsewhere, agent.Claude); a != (Apart{}) {
		t.Errorf("in its place: %+v", a)
	}
	if a := ApartIn(env, "", agent.Claude); a != (Apart{}) {
		t.Errorf("nowhere: %+v", a)
	}
}
