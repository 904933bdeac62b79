//go:build agents

package clients

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

const hookName = "chatrail-hook"

// programs is a folder with the real chatrail and chatrail-hook, and with the
// recorder under its own name. It lies where the scenarios do, so that they can
// link to it.
var programs = sync.OnceValues(func() (string, error) {
	base, err := scenes()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "programs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "chatrail/cmd/chatrail", "chatrail/cmd/chatrail-hook")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return dir, copyProgram(self, filepath.Join(dir, "recorder"))
})

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// scenes is a new folder for the scenarios of this run.
var scenes = sync.OnceValues(func() (string, error) {
	dir, err := cache()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, "run-")
})

// keepVariable, when set, leaves the scenarios' folders where they are.
const keepVariable = "CHATRAIL_CLIENTS_KEEP"

// cleanUp removes what the run made, and says where it is when it is kept.
func cleanUp(passed bool) error {
	dir, err := scenes()
	if err != nil {
		return nil // no scenario ran
	}
	if os.Getenv(keepVariable) != "" {
		if !passed {
			fmt.Fprintln(os.Stderr, "the scenarios are in", dir)
		}
		return nil
	}
	return os.RemoveAll(dir)
}

// lay puts the programs into a scenario: the recorder where the hook program is
// looked for, and the real one beside it under another name.
func lay(t *testing.T, bin string) {
	t.Helper()
	from, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	must(t, os.MkdirAll(bin, 0o700))
	for to, name := range map[string]string{"chatrail": "chatrail", hookName: "recorder", realHook: hookName} {
		must(t, os.Link(filepath.Join(from, name), filepath.Join(bin, to)))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
