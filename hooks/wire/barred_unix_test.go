//go:build unix

package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"chatrail/hooks/agent"
)

// TestWhatCannotBeReplacedIsSaidBefore: a dry run promises nothing that the run
// itself would then refuse.
func TestWhatCannotBeReplacedIsSaidBefore(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	same := func(dir, why string) {
		t.Helper()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		for _, dry := range []bool{true, false} {
			if r := one(t, true, agent.Claude, env, Options{DryRun: dry}); r.Outcome != LeftAlone || r.Why != why {
				t.Error(dry, r.Outcome, r.Why)
			}
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	same(filepath.Dir(path), "its folder cannot be written: permission denied")
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(env.State.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	same(home, "its folder cannot be made: permission denied")
}

// TestOneFileIsNotTwo: in the home directory, and where a link leads there, the
// settings of the project are the user's own.
func TestOneFileIsNotTwo(t *testing.T) {
	env, home := world(t)
	linked := env.Top
	for name, top := range map[string]string{"home": home, "link": linked} {
		env.Top = top
		if top == linked {
			if err := os.MkdirAll(top, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(home, ".claude"), filepath.Join(top, ".claude")); err != nil {
				t.Skip(err)
			}
		}
		one(t, true, agent.Claude, env, Options{})
		if list := Doubled(agent.Claude, env); list != nil {
			t.Errorf("%s: said to be doubled: %q", name, list)
		}
		if list := Both(agent.Claude, env); len(list) != 1 {
			t.Errorf("%s: %+v", name, list)
		}
		if _, err := Install(t.Context(), []agent.Host{agent.Claude}, env, Options{Scope: Project}); err != ErrHome {
			t.Errorf("%s: as a project: %v", name, err)
		}
		one(t, false, agent.Claude, env, Options{})
	}
}

// TestNothingIsPutInThatCouldNotBeTakenOut: a file that would grow beyond the
// bound could not be read again.
func TestNothingIsPutInThatCouldNotBeTakenOut(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	text := []byte(`{"x": "` + string(bytes.Repeat([]byte("x"), maxFile-20)) + `"}`)
	put(t, path, text)
	if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != LeftAlone || !bytes.Equal(get(t, path), text) {
		t.Error(r.Outcome, r.Why)
	}
}
