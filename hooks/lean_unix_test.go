//go:build unix

package hooks

import (
	"os/exec"
	"testing"
)

func TestAnAnswerCountsThoughSomethingHoldsTheOutputOpen(t *testing.T) {
	t.Parallel()
	out, err := answerOf(exec.CommandContext(t.Context(), "sh", "-c", "sleep 2 & echo '{}'"))
	if string(out) != "{}\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if out, err := answerOf(exec.CommandContext(t.Context(), "sh", "-c", "sleep 2 & printf '{'")); err == nil {
		t.Errorf("half a line was taken: %q", out)
	}
	if _, err := answerOf(exec.CommandContext(t.Context(), "sh", "-c", "echo '{}'; exit 1")); err == nil {
		t.Error("a failure was not one")
	}
}
