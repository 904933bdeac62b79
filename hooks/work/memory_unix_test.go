//go:build unix

package work

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/memory"
)

func TestUnwritableHomeSettlesNothingAndSaysSo(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("file modes do not bind root")
	}
	w := newProject(t, "directory")
	remembering(t, w)
	w.settled(memory.Resolved, "brand")
	chmod := func(mode fs.FileMode) {
		for _, dir := range []string{".", "memory", "locks"} {
			if err := os.Chmod(filepath.Join(w.desk.Home.Dir, dir), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0o500)
	t.Cleanup(func() { chmod(0o700) })
	_, err := w.desk.MemorySettle(t.Context(), "", []string{"ship-in-march"}, false, memory.Resolved)
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "nothing was settled") {
		t.Error(err)
	}
	if got := w.unresolved(w.scope().Place); got != "ship-in-march" { // reading still works
		t.Errorf("owed: %s", got)
	}
}
