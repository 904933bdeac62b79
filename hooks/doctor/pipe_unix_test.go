//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestANamedPipeForCodexSettingsIsAProblemAndNoWait: it waited for ever for
// somebody to write into it.
func TestANamedPipeForCodexSettingsIsAProblemAndNoWait(t *testing.T) {
	t.Parallel()
	v, wired := codexScene(t, "")
	config := filepath.Join(v.codexHome(), "config.toml")
	if err := os.Remove(config); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(config, 0o600); err != nil {
		t.Fatal(err)
	}
	if lines := v.codexTrust(wired); len(lines) != 1 || lines[0].Level != Problem || !strings.Contains(lines[0].Text, "it is no file") {
		t.Errorf("%+v", lines)
	}
}
