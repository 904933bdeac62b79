//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// A task that is begun in one client goes on in the next, in the same project.
func TestEachClientGoesOnWhereTheOneBeforeLeft(t *testing.T) {
	r := scene(t, script(
		does("ALPHA", model.Review(named)),
		does("BRAVO", model.Review(` --reason 'lexer written' --done --next 'PARSER_WORDS write the parser' --now 'LEXER_WORDS the lexer stands'`)),
		does("CHARLIE", model.Review(` --reason 'parser written' --done --now 'DONE_WORDS the parser stands'`)),
		does("DELTA", model.Review("")),
		afterReviews("answer alpha", "answer bravo", "answer charlie", "answer delta"),
	)...)
	for _, c := range all {
		r.set(c)
	}
	n := r.revisions()
	for i, leg := range []struct {
		client *client
		prompt string
		by     string // the client before
		told   []string
	}{
		{client: claude, prompt: "ALPHA"},
		{codex, "BRAVO", "(claude)", []string{"North: " + north, next}},
		{gemini, "CHARLIE", "(codex)", []string{"North: " + north, "PARSER_WORDS", "LEXER_WORDS"}},
		{copilot, "DELTA", "(gemini)", []string{"North: " + north, "DONE_WORDS"}},
	} {
		tu := r.headless(leg.client, "please do "+leg.prompt, options{})
		q := tu.first("the prompt", leg.prompt+`\b`)
		for _, want := range append(leg.told, leg.by) {
			if !strings.Contains(q.Text, want) {
				t.Errorf("%s was not told %q:\n%s", leg.client.host, want, tail(q.Text, 2000))
			}
		}
		tu.reviewed()
		tu.answers("answer " + strings.ToLower(leg.prompt))
		if revisions := r.revisions(); revisions != n+min(i+1, 3) {
			t.Errorf("%d revisions after %s, %d before the first", revisions, leg.client.host, n)
		}
	}
	for _, c := range all {
		r.sound(c)
	}
}

// Copilot also runs the hooks of a project's file for Claude Code.
func TestHooksForClaudeInTheProjectHaveNoEffectInCopilot(t *testing.T) {
	r := scene(t, script(
		does("ALPHA", model.Review(named)),
		does("BRAVO", model.Review("")),
		afterReviews("answer alpha", "answer bravo"),
	)...)
	r.set(copilot)
	r.chatrail("install", "claude", "--project")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "hooks for everybody")
	r.settled = r.everythingOfTheUser()
	n := r.revisions()
	found := options{env: []string{"PATH=" + r.bin + ":" + searchPath()}}
	a := r.headless(copilot, "please do ALPHA", found)
	a.reviewed()
	a.answers("answer alpha")
	r.recorded(n, 1, "REASON_WORDS")
	b := r.headless(copilot, "please do BRAVO", found)
	if q := b.first("the prompt", "BRAVO"); len(regexp.MustCompile(`chatrail'? reconcile [0-9a-f]+\.`).FindAllString(q.Text, -1)) != 1 || strings.Count(q.Text, "North: ") != 1 {
		t.Errorf("the model was told things twice:\n%s", tail(q.Text, 4000))
	}
	b.reviewed()
	foreign := 0
	for _, call := range r.calls() {
		if call.Args[0] == "claude" {
			foreign++
			if call.Stdout != "" {
				t.Errorf("the hook for Claude Code speaks to Copilot: %s", call)
			}
		}
	}
	if foreign == 0 {
		t.Errorf("Copilot does not run %s any more", filepath.Join(".claude", "settings.json"))
	}
	r.recorded(n, 1, "REASON_WORDS")
	r.sound(copilot)
}
