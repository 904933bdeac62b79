//go:build agents

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// A project that wires its agents is also worked on by those who have wired their
// own, and on machines that have no ChatRail.
func TestProjectsRegistrationHasOneEffectOrNone(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			afterReviews("answer alpha"),
			does("BRAVO", model.Say("answer bravo")),
		)...)
		r.set(c)
		r.chatrail("install", "--project", string(c.host))
		r.git("add", "-A")
		r.git("commit", "-q", "-m", "hooks for everybody")
		r.settled = r.everythingOfTheUser()
		n := r.revisions()
		a := r.headless(c, "please do ALPHA", options{env: []string{"PATH=" + r.bin + ":" + searchPath()}})
		if n := len(reviewCommands.FindAllString(a.first("the prompt", "ALPHA").Text, -1)); n != 1 {
			t.Errorf("the model was told of a review %d times", n)
		}
		a.reviewed()
		r.recorded(n, 1, "REASON_WORDS")
		a.answers("answer alpha")

		r.chatrail("uninstall", string(c.host))
		b := r.headless(c, "please do BRAVO", options{})
		if len(b.calls) != 0 || strings.Contains(b.first("the prompt", "BRAVO").Raw, "reconcile") {
			t.Errorf("something ran that is not there: %v", b.calls)
		}
		b.answers("answer bravo")
		r.sound(c)
	}, all...)
}

// In a folder that is no repository the road is kept in files.
func TestFolderThatIsNoRepository(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			afterReviews("answer alpha"),
		)...)
		r.set(c)
		here := options{dir: filepath.Join(r.dir, "no repository")}
		must(t, os.Mkdir(here.dir, 0o700))
		_, err := r.commandIn(here.dir, nil, filepath.Join(r.bin, "chatrail"), "init")
		must(t, err)
		a := r.headless(c, "please do ALPHA", here)
		a.reviewed()
		a.answers("answer alpha")
		said, err := r.commandIn(here.dir, nil, filepath.Join(r.bin, "chatrail"), "reorient")
		must(t, err)
		if !strings.Contains(said, "North: "+north) {
			t.Errorf("the folder does not keep the North:\n%s", said)
		}
		r.sound(c)
	}, all...)
}

// A session keeps the project that it began in, wherever it is resumed. Gemini CLI
// finds one only in the folder where it began.
func TestSessionResumedElsewhereStaysWithItsProject(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", model.Review(` --reason 'ELSEWHERE_WORDS moved on' --next '`+changed+`'`)),
			afterReviews("answer alpha", "answer bravo"),
		)...)
		r.set(c)
		n := r.revisions()
		r.headless(c, "please do ALPHA", options{}).reviewed()
		elsewhere := filepath.Join(r.dir, "elsewhere")
		must(t, os.Mkdir(elsewhere, 0o700))
		b := r.headless(c, "now BRAVO", options{resume: r.session(c), dir: elsewhere})
		b.reviewed()
		b.answers("answer bravo")
		r.recorded(n, 2, "ELSEWHERE_WORDS")
		r.sound(c)
	}, claude, codex, copilot)
}
