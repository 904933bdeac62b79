//go:build agents

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// In Codex's own sandbox neither .git nor the home can be written, so what is
// to be recorded waits in the temporary folder for the next hook.
func TestSandboxedReviewAndCheckpointAreRecordedAtTheStop(t *testing.T) {
	for _, place := range []string{"own", "shared"} {
		t.Run(place+" temporary folder", func(t *testing.T) {
			r := scene(t, script(
				does("ALPHA", reviewThen(named, "git rev-list --count refs/chatrail/project | sed s/^/REVISIONS=/",
					`d=${TMPDIR:-/tmp}/chatrail-$(id -u); stat -c MODE=%a "$d"`, "touch .git/made-by-task 2>/dev/null || echo GIT_IS_READ_ONLY",
					`touch "$HOME/made-by-task" 2>/dev/null || echo HOME_IS_READ_ONLY`)),
				does("BRAVO", reviewThen("", "echo prose of the sandbox | TOOL checkpoint --file -; echo CHECKPOINT_RC=$?")),
				afterReviews("answer alpha", "answer bravo"),
			)...)
			if place == "shared" {
				r.tmp = ""
			}
			r.set(codex, "--no-permission") // with it the commands leave the sandbox
			n := r.revisions()
			sandboxed := options{flags: []string{"-s", "workspace-write"}}

			a := r.headless(codex, "please do ALPHA", sandboxed)
			said := a.reviewed()
			for _, want := range []string{fmt.Sprintf("REVISIONS=%d", n), "MODE=700", "GIT_IS_READ_ONLY", "HOME_IS_READ_ONLY"} {
				if !strings.Contains(said, want) {
					t.Errorf("the command in the sandbox does not say %s:\n%s", want, said)
				}
			}
			r.recorded(n, 1, "REASON_WORDS")
			if a.blocks() != 0 {
				t.Error("the stop was held up")
			}
			a.answers("answer alpha")

			sandboxed.resume = r.session(codex)
			b := r.headless(codex, "please do BRAVO", sandboxed)
			if said := b.reviewed(); !regexp.MustCompile(`CHECKPOINT_RC=0`).MatchString(said) {
				t.Errorf("the checkpoint in the sandbox failed:\n%s", said)
			}
			if patch := r.git("log", "-p", "-1", "refs/chatrail/project"); r.revisions() != n+2 || !strings.Contains(patch, "prose of the sandbox") {
				t.Errorf("%d revisions became %d; the last:\n%s", n, r.revisions(), patch)
			}
			b.answers("answer bravo")
			box := r.tmp
			if box == "" {
				box = os.TempDir()
			}
			left, err := filepath.Glob(filepath.Join(box, fmt.Sprintf("chatrail-%d", os.Getuid()), "*"))
			must(t, err)
			if place == "own" && len(left) != 0 {
				t.Errorf("left in the drop box: %v", left)
			}
			r.sound(codex)
		})
	}
}

func TestHooksThatAPersonTrustsInTheTerminalRun(t *testing.T) {
	r := scene(t, script(
		does("ALPHA", reviewThen(named)),
		does("BRAVO", reviewThen("")),
		afterReviews("answer alpha", "answer bravo"),
	)...)
	r.set(codex)
	asking := options{flags: []string{ask}}
	before := r.headless(codex, "nobody was asked yet", asking)
	if len(before.calls) != 0 {
		t.Errorf("hooks ran that nobody trusts: %v", before.calls)
	}

	te := r.open(codex, asking)
	te.sees(regexp.MustCompile(`(?i)hooksneedreview`))
	chosen := regexp.MustCompile(`›2\.Trustall`)
	te.answer("2", func() bool { return chosen.MatchString(te.since(0)) })
	te.answer("\r", func() bool {
		settings, err := os.ReadFile(filepath.Join(r.home, ".codex", "config.toml"))
		return err == nil && strings.Contains(string(settings), "trusted_hash")
	})
	te.ask("please do ALPHA").reviewed()
	te.leave()
	after := r.headless(codex, "please do BRAVO", asking)
	after.reviewed()
	after.answers("answer bravo")
	r.sound(codex)
}
