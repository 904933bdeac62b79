package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
)

var update = flag.Bool("update", false, "write what is expected anew")

// world is a machine of its own.
func world(t testing.TB) (Env, string) {
	home := t.TempDir()
	return Env{
		Getenv:   func(name string) string { return map[string]string{"HOME": home}[name] },
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
		Top:      filepath.Join(home, "project"),
		State:    task.Home{Dir: filepath.Join(home, "state")},
		Hook:     "/home/you/go/bin/chatrail-hook",
		Agent: func(h agent.Host) string {
			if h == agent.Codex {
				return "/home/you/go/bin/chatrail"
			}
			return "chatrail"
		},
	}, home
}

func put(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// one runs for one client and returns what became of its settings.
func one(t testing.TB, in bool, h agent.Host, env Env, o Options) Result {
	t.Helper()
	if o.Scope == "" {
		o.Scope = User
	}
	report, err := run(context.Background(), []agent.Host{h}, env, o, in)
	if err != nil {
		t.Fatal(err)
	}
	return report.Files[0]
}

// TestSettingsComeOutAsStated holds hand-made settings against what they are to
// become, and takes all of it out again: by what is remembered, by looking, and
// after the person has edited something else.
func TestSettingsComeOutAsStated(t *testing.T) {
	files, err := filepath.Glob("testdata/settings/*.json")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			t.Parallel()
			start := get(t, name)
			env, home := world(t)
			path := filepath.Join(home, ".claude", "settings.json")
			put(t, path, start)
			r := one(t, true, agent.Claude, env, Options{})
			wanted := strings.TrimSuffix(name, ".json") + ".want"
			got := get(t, path)
			if r.Outcome == LeftAlone {
				got = []byte(r.Why + "\n")
			}
			if *update {
				if err := os.WriteFile(wanted, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := get(t, wanted); !bytes.Equal(got, want) {
				t.Fatalf("%s:\n%s\nnot\n%s", r.Outcome, got, want)
			}
			if alone := strings.HasPrefix(filepath.Base(name), "alone_"); alone != (r.Outcome == LeftAlone) {
				t.Fatal(r.Outcome, r.Why)
			} else if alone {
				if now := get(t, path); !bytes.Equal(now, start) {
					t.Fatalf("changed to %q", now)
				}
				return
			}
			if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != Present || !bytes.Equal(get(t, path), got) {
				t.Fatalf("the second time: %s\n%s", r.Outcome, get(t, path))
			}
			if w := Look(agent.Claude, User, env); !w.Current || !w.Permission || len(w.Missing)+len(w.Doubled) > 0 {
				t.Fatalf("%+v", w)
			}

			if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Removed {
				t.Fatal(r.Outcome, r.Why)
			}
			if now := get(t, path); !bytes.Equal(now, start) {
				t.Fatalf("not as it was:\n%q\nnot\n%q", now, start)
			}
			if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Untouched {
				t.Fatal(r.Outcome)
			}

			// Something else was edited meanwhile.
			for old, changed := range map[string]string{`"model": "opus"`: `"model": "haiku"`, `"Bash(ls:*)"`: `"Bash(ls:*)", "Bash(cat:*)"`, "say done": "say it", "{": "/* mine */ {"} {
				if strings.Count(string(start), old) == 0 {
					continue
				}
				one(t, true, agent.Claude, env, Options{})
				put(t, path, bytes.Replace(get(t, path), []byte(old), []byte(changed), 1))
				if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Removed {
					t.Fatal(r.Outcome, r.Why)
				}
				if now, want := get(t, path), bytes.Replace(start, []byte(old), []byte(changed), 1); !bytes.Equal(now, want) {
					t.Fatalf("with an edit:\n%q\nnot\n%q", now, want)
				}
				put(t, path, start)
			}

			// Nothing is remembered.
			put(t, path, got)
			env.State = task.Home{Dir: filepath.Join(home, "other")}
			if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Removed {
				t.Fatal(r.Outcome, r.Why)
			}
			if now, err := os.ReadFile(path); err == nil && bytes.Contains(now, []byte("chatrail-hook")) {
				t.Fatalf("left:\n%s", now)
			}
		})
	}
}

// TestAClientThatWritesItsSettingsAnewIsNoHindrance: Claude Code writes the file
// anew when a setting is changed in its terminal.
func TestAClientThatWritesItsSettingsAnewIsNoHindrance(t *testing.T) {
	anew := func(text []byte) []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, text, "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, name := range []string{"hooks_first", "hooks_last", "empty_arrays", "one_line", "unicode_escapes", "no_final_newline", "odd_indentation", "numbers_as_written"} {
		start := get(t, filepath.Join("testdata", "settings", name+".json"))
		env, home := world(t)
		path := filepath.Join(home, ".claude", "settings.json")
		put(t, path, start)
		one(t, true, agent.Claude, env, Options{})
		put(t, path, anew(get(t, path)))
		if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != Present {
			t.Errorf("%s: %s", name, r.Outcome)
		}
		one(t, false, agent.Claude, env, Options{})
		if got, want := get(t, path), anew(start); !bytes.Equal(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestWhatWasAddedToOursStays(t *testing.T) {
	env, home := world(t)
	path := filepath.Join(home, ".claude", "settings.json")
	put(t, path, opus)
	one(t, true, agent.Claude, env, Options{})
	text := get(t, path)
	for old, changed := range map[string]string{
		`"SessionStart": [{"hooks": [`:  `"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}, `,
		`"Bash(chatrail checkpoint:*)"`: `"Bash(chatrail checkpoint:*)", "Bash(ls:*)"`,
		`"hooks": {`:                    `"hooks": { // mine`,
	} {
		text = bytes.Replace(text, []byte(old), []byte(changed), 1)
	}
	put(t, path, text)
	if r := one(t, false, agent.Claude, env, Options{}); r.Outcome != Removed {
		t.Fatal(r.Outcome, r.Why)
	}
	want := `{
  "model": "opus",
  "hooks": { // mine
    "SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]
  },
  "permissions": {
    "allow": ["Bash(ls:*)"]
  }
}
`
	if got := string(get(t, path)); got != want {
		t.Fatal(got)
	}
}

func TestNothingOfTheFileIsInAComplaint(t *testing.T) {
	env, home := world(t)
	for _, text := range []string{`{"env": {"TOKEN": "hunter2\q"}}`, "{\"a\": hunter2}", "hunter2"} {
		put(t, filepath.Join(home, ".claude", "settings.json"), []byte(text))
		if r := one(t, true, agent.Claude, env, Options{}); r.Outcome != LeftAlone || strings.Contains(r.Why, "hunter") {
			t.Error(r.Outcome, r.Why)
		}
	}
}

func TestManyAtOnceAreAsOne(t *testing.T) {
	env, home := world(t)
	path := filepath.Join(home, ".claude", "settings.json")
	put(t, path, opus)
	done := make(chan Outcome)
	for range 6 {
		go func() {
			r, err := Install(context.Background(), []agent.Host{agent.Claude}, env, Options{Scope: User})
			if err != nil {
				t.Error(err)
			}
			done <- r.Files[0].Outcome
		}()
	}
	put := 0
	for range 6 {
		if o := <-done; o == Wired {
			put++
		} else if o != Present {
			t.Error(o)
		}
	}
	if w := Look(agent.Claude, User, env); put != 1 || !w.Current {
		t.Fatal(put, w)
	}
	one(t, false, agent.Claude, env, Options{})
	if got := get(t, path); !bytes.Equal(got, opus) {
		t.Fatalf("%s", got)
	}
}
