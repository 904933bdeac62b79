//go:build unix

package worktree

import (
	"syscall"
	"testing"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	must(t, syscall.Mkfifo(root+"/pipe", 0o600))
	if got := content(t, root, "pipe"); got != Other {
		t.Errorf("got %s", got)
	}
	// As if it took the place of a file between the two looks.
	r := reader{ctx: t.Context(), root: root}
	if got, err := r.file(root + "/pipe"); got != Other || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
