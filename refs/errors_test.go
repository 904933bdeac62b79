package refs

import (
	"strings"
	"testing"
)

// A lock of ours is held by the system, not by the file: removing the file lets
// two processes in at once.
func TestNobodyIsToldToRemoveALockOfOurs(t *testing.T) {
	for _, path := range []string{"/r/.git/chatrail/refs=2Fchatrail=2Fproject.flock", "/r/.git/refs/chatrail/project.lock"} {
		if text := (&LockedError{Path: path}).Error(); strings.Contains(text, "remove") || strings.Contains(text, "rm ") || !strings.Contains(text, "try again") {
			t.Errorf("%s", text)
		}
	}
}
