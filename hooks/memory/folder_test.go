package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The names are those that Claude Code 2.1.332 told its model for sessions in
// these folders.
func TestFoldersAreNamedAsClaudeCodeNamesThem(t *testing.T) {
	for top, want := range map[string]string{
		"/srv/vector/It's_a.Test ü😀":                 "-srv-vector-It-s-a-Test----",
		"/srv/vector/" + strings.Repeat("long-", 45): "-srv-vector-" + strings.Repeat("long-", 37) + "lon-t2tgno",
		"/srv/vector/ü/" + strings.Repeat("größe 😀 ", 12) + "/" + strings.Repeat("x", 120): "-srv-vector-" +
			"--" + strings.Repeat("gr--e----", 12) + "-" + strings.Repeat("x", 77) + "-knj33d",
	} {
		if got := Name(top); got != want {
			t.Errorf("%s:\n got %s\nwant %s", top, got, want)
		}
	}
	if got := Name("/" + strings.Repeat("a", maxName-1)); got != "-"+strings.Repeat("a", maxName-1) {
		t.Errorf("a path of %d characters was cut: %s", maxName, got)
	}
	if got := Name("/" + strings.Repeat("a", maxName)); len(got) <= maxName+1 || got[:maxName+1] != "-"+strings.Repeat("a", maxName-1)+"-" {
		t.Errorf("a path of %d characters was not cut: %s", maxName+1, got)
	}
}

func vars(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestTheFolderMovesWithTheConfiguration(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, "elsewhere")
	const top = "/srv/app"
	for _, c := range []struct {
		why  string
		env  func(string) string
		home string
		want string
	}{
		{"as it is", vars(), home, home + "/.claude/projects/-srv-app/memory"},
		{"moved", vars("CLAUDE_CONFIG_DIR", config), home, config + "/projects/-srv-app/memory"},
		{"moved, no home", vars("CLAUDE_CONFIG_DIR", config), "", config + "/projects/-srv-app/memory"},
		{"moved and named", vars("CLAUDE_CONFIG_DIR", config, "CLAUDE_CODE_PROJECT_DIR_NAME", "mine"), home, config + "/projects/mine/memory"},
		{"a name alone is not heard", vars("CLAUDE_CODE_PROJECT_DIR_NAME", "mine"), home, home + "/.claude/projects/-srv-app/memory"},
		{"a name that is a path", vars("CLAUDE_CONFIG_DIR", config, "CLAUDE_CODE_PROJECT_DIR_NAME", "../mine"), home, config + "/projects/-srv-app/memory"},
		{"a name that is a device", vars("CLAUDE_CONFIG_DIR", config, "CLAUDE_CODE_PROJECT_DIR_NAME", "CoM1"), home, config + "/projects/-srv-app/memory"},
		{"no home", vars(), "", ""},
		{"relative", vars("CLAUDE_CONFIG_DIR", "x"), home, ""},
	} {
		got, err := Folder(c.env, c.home, top)
		if got != filepath.FromSlash(c.want) || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s, %v", c.why, got, err)
		}
	}
}

func TestTheUsersSettingsMayNameTheFolder(t *testing.T) {
	home := t.TempDir()
	usual := filepath.Join(home, ".claude", "projects", "-srv-app", "memory")
	for setting, want := range map[string]string{
		`{"autoMemoryDirectory":"~/notes/x/"}`:    filepath.Join(home, "notes", "x"),
		`{"autoMemoryDirectory":"/srv/notes"}`:    "/srv/notes",
		`{"autoMemoryDirectory":"~/../x"}`:        usual,
		`{"autoMemoryDirectory":"~/."}`:           usual,
		`{"autoMemoryDirectory":"relative"}`:      usual,
		`{"autoMemoryDirectory":"/"}`:             usual,
		`{"autoMemoryDirectory":"/a\u0000b/c/d"}`: usual,
		`{"autoMemoryDirectory":7}`:               usual,
		`{"autoMemoryDirectory":`:                 usual,
		`{}`:                                      usual,
	} {
		write(t, filepath.Join(home, ".claude", "settings.json"), setting)
		if got, err := Folder(vars(), home, "/srv/app"); got != want || err != nil {
			t.Errorf("%s: %s, %v", setting, got, err)
		}
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
