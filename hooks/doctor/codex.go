package doctor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/wire"
)

// codexConfig is what matters of Codex's config.toml.
type codexConfig struct {
	Features struct {
		Hooks *bool `toml:"hooks"`
		Older *bool `toml:"codex_hooks"` // counts where the other is not there
	} `toml:"features"`
	Hooks struct {
		State map[string]struct {
			Hash    string `toml:"trusted_hash"`
			Enabled *bool  `toml:"enabled"`
		} `toml:"state"`
	} `toml:"hooks"`
	Projects map[string]struct {
		Trust string `toml:"trust_level"`
	} `toml:"projects"`
}

// unread says why settings cannot be read, in the file's words and not in ours.
func unread(err error) string {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return err.Error()
	}
	line, _ := at.Position()
	why := strings.TrimPrefix(at.Error(), "toml: ")
	if strings.Contains(why, "cannot decode") {
		why = "the value is of another kind than Codex reads there"
	}
	return fmt.Sprintf("line %d: %s", line, why)
}

// approve is the step that lets Codex run a hook.
const approve = `start codex once and answer "Hooks need review", or open /hooks there`

// codexTrust says whether Codex runs the hooks that call ChatRail: it skips what
// nobody approved, in a headless run without a word.
func (v Visit) codexTrust(wired []wire.Wiring) (lines []Line) {
	dir := v.codexHome()
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, "config.toml")
	var config codexConfig
	text, err := readFile(path)
	if err == nil {
		err = toml.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &config)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return []Line{problem(path+" cannot be read: "+oneLine(unread(err)), "mend the file: Codex keeps there which hooks are approved")}
	}
	on, name := config.Features.Hooks, "hooks"
	if on == nil {
		on, name = config.Features.Older, "codex_hooks"
	}
	if on != nil && !*on {
		lines = append(lines, problem(path+" switches hooks off", "take `"+name+" = false` out of [features] in that file"))
	}
	for _, w := range wired {
		if len(w.Events) == 0 || filepath.Base(w.Path) != "hooks.json" {
			continue
		}
		hooks, err := codexHooks(w.Path)
		if err != nil {
			continue // the wiring says so
		}
		lines = append(lines, config.approved(w.Path, ours(hooks)))
		if v.Top != "" && sameFile(w.Path, filepath.Join(v.Top, ".codex", "hooks.json")) && !config.trusts(v.Top) {
			lines = append(lines, problem("Codex does not trust this project, so it reads none of its hooks", "start codex here once and trust the folder"))
		}
	}
	return lines
}

func (v Visit) codexHome() string {
	if dir := v.env("CODEX_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := task.UserHome(v.env)
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".codex")
}

func (c codexConfig) trusts(top string) bool {
	for path, p := range c.Projects {
		if sameFile(path, top) {
			return p.Trust == "trusted"
		}
	}
	return false
}

// approved compares the hooks of a file with what was approved.
func (c codexConfig) approved(path string, hooks []codexHook) Line {
	var missing, changed, off []string
	for _, h := range hooks {
		state, ok := c.state(path, h)
		switch {
		case !ok || state.Hash == "":
			missing = append(missing, h.Event)
		case state.Hash != h.hash():
			changed = append(changed, h.Event)
		case state.Enabled != nil && !*state.Enabled:
			off = append(off, h.Event)
		}
	}
	switch {
	case len(missing) > 0:
		return problem("Codex skips the hooks that nobody approved: "+strings.Join(missing, ", "), approve)
	case len(changed) > 0:
		return problem("the hooks were changed after they were approved, and Codex skips them: "+strings.Join(changed, ", "), approve)
	case len(off) > 0:
		return problem("these hooks are switched off in Codex: "+strings.Join(off, ", "), "open /hooks in codex and switch them on")
	case len(hooks) == 0:
		return problem(path+" holds no hook that Codex could run", "chatrail install codex")
	}
	return ok("approved in Codex, as they are now")
}

// state is what Codex remembers of a hook, by the place where it stands.
func (c codexConfig) state(path string, h codexHook) (state struct {
	Hash    string `toml:"trusted_hash"`
	Enabled *bool  `toml:"enabled"`
}, ok bool) {
	for key, s := range c.Hooks.State {
		file, found := strings.CutSuffix(key, h.place())
		if found && (file == path || sameFile(file, path)) {
			return s, true
		}
	}
	return state, false
}

// codexHook is one registered command as Codex takes it.
type codexHook struct {
	Event        string
	Group, Index int
	Matcher      *string
	Command      string
	Timeout      int
	Async        bool
	Status       *string
}

// place is the end of the key under which Codex remembers the hook.
func (h codexHook) place() string {
	return fmt.Sprintf(":%s:%d:%d", snake(h.Event), h.Group, h.Index)
}

// hash is what Codex approves: the event, the matcher and the command with its
// time-out, as canonical JSON.
func (h codexHook) hash() string {
	handler := map[string]any{"type": "command", "command": h.Command, "timeout": h.Timeout, "async": h.Async}
	if h.Status != nil {
		handler["statusMessage"] = *h.Status
	}
	identity := map[string]any{"event_name": snake(h.Event), "hooks": []any{handler}}
	if h.Matcher != nil {
		identity["matcher"] = *h.Matcher
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(identity) != nil { // strings and numbers always encode
		return ""
	}
	text := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(b.String()))
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// snake writes an event's name as Codex's keys have it.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// codexHooks reads the commands of a hooks.json, be they ours or not.
func codexHooks(path string) ([]codexHook, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseCodexHooks(bytes.TrimPrefix(text, []byte("\ufeff")))
}

// ours are those of them that call ChatRail: a person's own are none of our
// business.
func ours(hooks []codexHook) []codexHook {
	return slices.DeleteFunc(hooks, func(h codexHook) bool { return wire.Called(agent.Codex, h.Command) == "" })
}

func parseCodexHooks(text []byte) ([]codexHook, error) {
	var file struct {
		Hooks map[string][]struct {
			Matcher *string `json:"matcher"`
			Hooks   []struct {
				Type    string      `json:"type"`
				Command string      `json:"command"`
				Timeout json.Number `json:"timeout"`
				Async   bool        `json:"async"`
				Status  *string     `json:"statusMessage"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	var hooks []codexHook
	for _, event := range sortedKeys(file.Hooks) {
		for g, group := range file.Hooks[event] {
			for i, h := range group.Hooks {
				if h.Type != "command" {
					continue
				}
				one := codexHook{Event: event, Group: g, Index: i, Matcher: group.Matcher, Command: h.Command, Async: h.Async, Status: h.Status}
				one.Timeout = codexTimeout(event, string(h.Timeout))
				if event == "UserPromptSubmit" || event == "Stop" {
					one.Matcher = nil // there is nothing to match
				}
				hooks = append(hooks, one)
			}
		}
	}
	return hooks, nil
}

// codexTimeout is a time-out as Codex takes it: ten minutes where there is none,
// and at most three seconds at the end of a session.
func codexTimeout(event, given string) int {
	n, err := strconv.Atoi(given)
	switch {
	case err != nil && event == "SessionEnd":
		return 1
	case err != nil:
		return 600
	case event == "SessionEnd":
		return min(max(n, 1), 3)
	}
	return max(n, 1)
}
