package wire

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/install"
)

func claudeSettings(home string) string { return filepath.Join(home, ".claude", "settings.json") }

var opus = []byte("{\n  \"model\": \"opus\"\n}\n")

// all lists what is below a folder.
func all(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		list = append(list, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(rel string) bool {
		return rel == "state" || strings.HasPrefix(rel, "state"+string(filepath.Separator))
	})
}

func TestUninstallLeavesNoTrace(t *testing.T) {
	for _, h := range Hosts() {
		for _, scope := range []Scope{User, Project} {
			t.Run(string(h)+"/"+string(scope), func(t *testing.T) {
				env, home := world(t)
				if err := os.Mkdir(env.Top, 0o700); err != nil {
					t.Fatal(err)
				}
				before := all(t, home)
				o := Options{Scope: scope}
				if r := one(t, true, h, env, o); r.Outcome != Wired {
					t.Fatal(r.Outcome, r.Why)
				}
				if w := Look(h, scope, env); !w.Wired() || !w.Current || w.Problem != "" {
					t.Fatalf("%+v", w)
				}
				installed := all(t, home)
				if r := one(t, true, h, env, o); r.Outcome != Present || !slices.Equal(all(t, home), installed) {
					t.Fatal(r.Outcome, all(t, home))
				}
				one(t, false, h, env, o)
				if now := all(t, home); !slices.Equal(now, before) {
					t.Fatalf("left: %v", now)
				}
				if w := Look(h, scope, env); w.Wired() || w.Permission {
					t.Fatalf("%+v", w)
				}
			})
		}
	}
}

func TestWhatOthersPutBesideOursStays(t *testing.T) {
	env, home := world(t)
	one(t, true, agent.Copilot, env, Options{})
	beside := filepath.Join(home, ".copilot", "hooks", "mine.json")
	put(t, beside, []byte("{}"))
	one(t, false, agent.Copilot, env, Options{})
	if got := all(t, filepath.Join(home, ".copilot")); !slices.Equal(got, []string{".", "hooks", filepath.Join("hooks", "mine.json")}) {
		t.Fatal(got)
	}
}

func TestACreatedFileThatSomebodyWentOnWithStays(t *testing.T) {
	env, home := world(t)
	one(t, true, agent.Claude, env, Options{})
	path := claudeSettings(home)
	put(t, path, bytes.Replace(get(t, path), []byte("{\n"), []byte("{\n  \"model\": \"opus\",\n"), 1))
	one(t, false, agent.Claude, env, Options{})
	if got := get(t, path); !bytes.Equal(got, opus) {
		t.Fatalf("%q", got)
	}
}

func TestLinksStayLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for name, target := range map[string]string{"absolute": "", "relative": "../dotfiles/claude.json"} {
		t.Run(name, func(t *testing.T) {
			env, home := world(t)
			real := filepath.Join(home, "dotfiles", "claude.json")
			put(t, real, opus)
			path := claudeSettings(home)
			if target == "" {
				target = real
			}
			put(t, filepath.Join(filepath.Dir(path), "other"), nil)
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			for _, in := range []bool{true, false} {
				one(t, in, agent.Claude, env, Options{})
				if now, err := os.Readlink(path); err != nil || now != target {
					t.Fatal(now, err)
				}
				if got := bytes.Contains(get(t, real), []byte("chatrail-hook")); got != in {
					t.Fatal(in, got)
				}
			}
			if got := get(t, real); !bytes.Equal(got, opus) {
				t.Fatalf("%q", got)
			}
		})
	}
}

func TestAFolderThatIsALinkStaysOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	env, home := world(t)
	real := filepath.Join(home, "dotfiles")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles", filepath.Join(home, ".claude")); err != nil {
		t.Fatal(err)
	}
	one(t, true, agent.Claude, env, Options{})
	get(t, filepath.Join(real, "settings.json"))
	one(t, false, agent.Claude, env, Options{})
	if got := all(t, home); !slices.Equal(got, []string{".", ".claude", "dotfiles"}) {
		t.Fatal(got)
	}
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept there")
	}
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	one(t, true, agent.Claude, env, Options{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Fatal(info.Mode(), err)
	}
}

func TestWhatCannotBeEditedIsLeftAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	huge := append(bytes.Repeat([]byte(" "), maxFile), "{}"...)
	for name, c := range map[string]struct {
		make func(path string) error
		why  string
	}{
		"read-only":       {func(path string) error { return os.WriteFile(path, opus, 0o444) }, "it is read-only"},
		"huge":            {func(path string) error { return os.WriteFile(path, huge, 0o600) }, "it is larger than 1024 KiB"},
		"a folder":        {func(path string) error { return os.Mkdir(path, 0o700) }, "it is no file"},
		"a dangling link": {func(path string) error { return os.Symlink("nowhere", path) }, "it is a link that leads nowhere"},
		"a loop":          {func(path string) error { return os.Symlink(path, path) }, "it cannot be reached"},
		"two names": {func(path string) error {
			if err := os.WriteFile(path, opus, 0o600); err != nil {
				return err
			}
			return os.Link(path, path+"2")
		}, "it has other names"},
	} {
		t.Run(name, func(t *testing.T) {
			env, home := world(t)
			path := claudeSettings(home)
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			r := one(t, true, agent.Claude, env, Options{})
			if r.Outcome != LeftAlone || !strings.HasPrefix(r.Why, c.why) || strings.Contains(r.Words(), "\n") {
				t.Fatal(r.Outcome, r.Why)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Fatal("changed")
			}
			if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Untouched {
				t.Fatal(r.Outcome, r.Why)
			}
		})
	}
}

func TestAChangeMeanwhileIsNotLost(t *testing.T) {
	for _, in := range []bool{true, false} {
		env, home := world(t)
		path := claudeSettings(home)
		put(t, path, opus)
		if !in {
			one(t, true, agent.Claude, env, Options{})
		}
		times := 0
		step = func(at string) {
			if at == "synced" && times < 2 {
				times++
				put(t, path, bytes.Replace(get(t, path), []byte("opus"), []byte("opus+"), 1))
			}
		}
		r := one(t, in, agent.Claude, env, Options{})
		step = func(string) {}
		got := get(t, path)
		if r.Outcome == LeftAlone || !bytes.Contains(got, []byte(`"opus++"`)) || bytes.Contains(got, []byte("chatrail-hook")) != in {
			t.Fatalf("%s %s\n%s", r.Outcome, r.Why, got)
		}
	}
}

func TestAProgramThatNeverStopsWritingIsTold(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	step = func(at string) {
		if at == "synced" {
			put(t, path, append(get(t, path), '\n'))
		}
	}
	defer func() { step = func(string) {} }()
	if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != LeftAlone || r.Why != errChanged.Error() {
		t.Fatal(r.Outcome, r.Why)
	}
	if got := all(t, filepath.Dir(path)); len(got) != 2 {
		t.Fatal(got)
	}
}

func TestAPrivateFileIsPrivateWhileItIsWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept there")
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, opus)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	looked := false
	step = func(at string) {
		half, _ := filepath.Glob(filepath.Join(filepath.Dir(path), install.HalfDone+"*"))
		for _, name := range half {
			looked = true
			if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v", at, info.Mode(), err)
			}
		}
	}
	defer func() { step = func(string) {} }()
	if err := f.write([]byte("{}"), false); err != nil || !looked {
		t.Fatal(err, looked)
	}
}

// TestAFileThatWasNotThereGoesWithoutARecord: the state home may have moved, or
// was never writable, and the programs may be elsewhere now.
func TestAFileThatWasNotThereGoesWithoutARecord(t *testing.T) {
	for _, h := range Hosts() {
		for _, scope := range []Scope{User, Project} {
			env, home := world(t)
			env.Hook = "/two dirs/it's/chatrail-hook"
			env.Agent = func(agent.Host) string { return "'/two dirs/chatrail'" }
			one(t, true, h, env, Options{Scope: scope})
			env.Hook, env.Agent, env.State.Dir = "", func(agent.Host) string { return "" }, filepath.Join(home, "state", "other")
			if r := one(t, false, h, env, Options{Scope: scope}); r.Outcome != Removed {
				t.Error(h, scope, r.Outcome, r.Why)
			}
			for _, rel := range all(t, home) {
				if info, err := os.Lstat(filepath.Join(home, rel)); err != nil || !info.IsDir() {
					t.Error(h, scope, "left:", rel)
				}
			}
		}
	}
}

func TestTakingOutMakesNoFolder(t *testing.T) {
	env, home := world(t)
	one(t, false, agent.Claude, env, Options{})
	if _, err := os.Lstat(env.State.Dir); err == nil {
		t.Fatal("a state home was made in", home)
	}
}

// TestWhatCannotBeLookedAtIsNotSaidToBeFree: somebody who takes ChatRail out has
// to know where it may still be.
func TestWhatCannotBeLookedAtIsNotSaidToBeFree(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	one(t, true, agent.Claude, env, Options{})
	put(t, path, append(get(t, path), bytes.Repeat([]byte(" "), maxFile)...))
	if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != LeftAlone {
		t.Error("too large:", r.Outcome)
	}
	put(t, path, opus)
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return
	}
	for _, name := range []string{path, filepath.Dir(path)} {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != LeftAlone {
			t.Error(name, r.Outcome)
		}
		if err := os.Chmod(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARecordIsOfWhatIsThere(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	step = func(at string) {
		if at == "synced" { // somebody else writes, each time
			put(t, path, append(get(t, path), '\n'))
		}
	}
	t.Cleanup(func() { step = func(string) {} })
	if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != LeftAlone {
		t.Fatal(r.Outcome)
	}
	if recall(env.State, path) != nil {
		t.Fatal("something is remembered that was not done")
	}
}
