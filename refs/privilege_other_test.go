//go:build unix && !linux

package refs

import (
	"os"
	"testing"
)

// withoutPrivilege runs fn so that permissions bind it, which they do not for
// root.
func withoutPrivilege(t *testing.T, _ string, fn func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	fn()
}
