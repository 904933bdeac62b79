//go:build agents

package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The test binary is also the recorder that stands in for the hook program.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == hookName {
		os.Exit(becomeRecorder())
	}
	if args, ok := os.LookupEnv(recordVariable); ok {
		os.Exit(record(args))
	}
	code := m.Run()
	if err := cleanUp(code == 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
