package packages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

// rule says of which type a value has to be: "string", "number", "strings", or
// the rules of an object, or of the objects in a list. It is written down from
// the clients' side and without a look at what is made.
type rule any

type (
	object map[string]rule
	list   struct{ of rule }
)

// optional marks a key that may be left out.
type optional struct{ rule }

// events are the names that a client knows for its hooks; others would be
// ignored by it without a word.
var events = map[agent.Host]string{
	agent.Claude: "SessionStart UserPromptSubmit PreCompact PostCompact Stop SubagentStart SubagentStop SessionEnd",
	agent.Codex:  "SessionStart UserPromptSubmit PreCompact PostCompact Stop SubagentStart SubagentStop SessionEnd",
	agent.Gemini: "SessionStart BeforeAgent AfterAgent PreCompress SessionEnd",
}

// hooksRule is what all three clients take in hooks/hooks.json. Codex ignores
// args, so that a command with some would run bare.
func hooksRule(h agent.Host) rule {
	handler := object{"type": "string", "command": "string", "timeout": "number"}
	if h == agent.Gemini {
		handler["name"] = optional{"string"}
	}
	byEvent := object{}
	for _, name := range strings.Fields(events[h]) {
		byEvent[name] = optional{list{object{"hooks": list{handler}}}}
	}
	return object{"description": optional{"string"}, "hooks": byEvent}
}

var documents = map[string]rule{
	".claude-plugin/marketplace.json": object{
		"name": "string", "description": "string", "owner": object{"name": "string"},
		"plugins": list{object{"name": "string", "source": "string", "description": optional{"string"}}},
	},
	".agents/plugins/marketplace.json": object{
		"name": "string", "interface": object{"displayName": "string"},
		"plugins": list{object{
			"name": "string", "source": object{"source": "string", "path": "string"},
			"policy": object{"installation": "string", "authentication": "string"}, "category": "string",
		}},
	},
	// No hooks here: the client loads hooks/hooks.json by itself, and the same
	// file named again is an error.
	"hooks/packages/claude/.claude-plugin/plugin.json": object{
		"name": "string", "displayName": optional{"string"}, "version": "string", "description": "string",
		"author": object{"name": "string"}, "license": "string", "keywords": "strings",
	},
	"hooks/packages/codex/.codex-plugin/plugin.json": object{
		"name": "string", "version": "string", "description": "string", "author": object{"name": "string"},
		"license": "string", "keywords": "strings", "skills": "string",
		"interface": object{
			"displayName": "string", "shortDescription": "string", "longDescription": "string",
			"developerName": "string", "category": "string", "defaultPrompt": "strings",
		},
	},
	"hooks/packages/gemini/gemini-extension.json": object{"name": "string", "version": "string", "description": "string"},
	"hooks/packages/claude/hooks/hooks.json":      hooksRule(agent.Claude),
	"hooks/packages/codex/hooks/hooks.json":       hooksRule(agent.Codex),
	"hooks/packages/gemini/hooks/hooks.json":      hooksRule(agent.Gemini),
}

// read is a file of the repository as JSON, the way the strictest client reads
// it: UTF-8 without a byte order mark, each key once.
func read(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || bytes.ContainsRune(data, '\r') {
		t.Errorf("%s has a byte order mark or carriage returns", name)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if again, _ := json.Marshal(v); len(again) > 0 && bytes.Count(squeeze(data), []byte(`":`)) != bytes.Count(squeeze(again), []byte(`":`)) {
		t.Errorf("%s has a key twice", name)
	}
	return v
}

func squeeze(data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return nil
	}
	return b.Bytes()
}

// holds says where a value breaks a rule, "" where it does not.
func holds(at string, v any, r rule) string {
	switch r := r.(type) {
	case optional:
		return holds(at, v, r.rule)
	case object:
		m, ok := v.(map[string]any)
		if !ok {
			return at + " is not an object"
		}
		for key := range m {
			if _, known := r[key]; !known {
				return fmt.Sprintf("%s has an unknown key %q", at, key)
			}
		}
		for key, inner := range r {
			value, there := m[key]
			if _, may := inner.(optional); !there && may {
				continue
			}
			if wrong := holds(at+"."+key, value, inner); wrong != "" {
				return wrong
			}
		}
		return ""
	case list:
		items, ok := v.([]any)
		if !ok || len(items) == 0 {
			return at + " is not a list with something in it"
		}
		for _, item := range items {
			if wrong := holds(at, item, r.of); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	switch s, isText := v.(string); {
	case r == "string" && isText && strings.TrimSpace(s) == s && s != "":
		return ""
	case r == "strings":
		return holds(at, v, list{"string"})
	case r == "number":
		if n, ok := v.(float64); ok && n > 0 {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, not a %v", at, v, r)
}

// TestManifestsHoldOnlyWhatTheirClientTakes wants the known keys of the right
// types and no others.
func TestManifestsHoldOnlyWhatTheirClientTakes(t *testing.T) {
	for _, f := range Files() {
		if r := documents[f.Path]; r != nil {
			if wrong := holds(f.Path, read(t, f.Path), r); wrong != "" {
				t.Error(wrong)
			}
		} else if strings.HasSuffix(f.Path, ".json") {
			t.Errorf("no rule for %s", f.Path)
		}
	}
	if len(documents) == 0 || len(Files()) < len(documents) {
		t.Error("there are rules for files that are not made")
	}
}

// TestRulesOfManifestsCanFail breaks a manifest in each way that the rules are for.
func TestRulesOfManifestsCanFail(t *testing.T) {
	plugin := "hooks/packages/claude/.claude-plugin/plugin.json"
	table := "hooks/packages/codex/hooks/hooks.json"
	for what, c := range map[string]struct {
		file, old, new string
	}{
		"hooks named twice": {plugin, `{"author"`, `{"hooks": "./hooks/hooks.json", "author"`},
		"a wrong type":      {plugin, `"license":"MIT"`, `"license":7`},
		"a missing key":     {plugin, `"license":"MIT",`, ``},
		"a key at the top":  {table, `{"description"`, `{"version":1,"description"`},
		"arguments":         {table, `"timeout":3`, `"timeout":3,"args":["x"]`},
		"an unknown event":  {table, `"SessionEnd"`, `"SessionEnds"`},
		"no time-out":       {table, `"timeout":3`, `"timeout":0`},
	} {
		compact, _ := json.Marshal(read(t, c.file))
		broken := strings.Replace(string(compact), c.old, c.new, 1)
		var v any
		if err := json.Unmarshal([]byte(broken), &v); err != nil || broken == string(compact) {
			t.Fatalf("%s: %v", what, err)
		}
		if holds(c.file, v, documents[c.file]) == "" {
			t.Errorf("%s is accepted", what)
		}
	}
}

// TestVersionsAreOne wants one version, which clients can compare, in every
// manifest, and one name.
func TestVersionsAreOne(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(Version) {
		t.Errorf("%q is no semantic version", Version)
	}
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(Name) {
		t.Errorf("%q is no name for a package", Name)
	}
	versions := 0
	for _, f := range Files() {
		if !strings.HasSuffix(f.Path, ".json") || strings.HasSuffix(f.Path, "hooks.json") {
			continue
		}
		v := read(t, f.Path)
		if v["name"] != Name {
			t.Errorf("%s is named %v", f.Path, v["name"])
		}
		if version, there := v["version"]; there {
			versions++
			if version != Version {
				t.Errorf("%s has version %v", f.Path, version)
			}
		}
	}
	if versions != 3 {
		t.Errorf("%d manifests name a version, three packages do", versions)
	}
}

// TestMarketplacesOfferWhatIsThere follows each offer to a manifest of its name.
func TestMarketplacesOfferWhatIsThere(t *testing.T) {
	for market, manifest := range map[string]string{
		".claude-plugin/marketplace.json":  ".claude-plugin/plugin.json",
		".agents/plugins/marketplace.json": ".codex-plugin/plugin.json",
	} {
		for _, offer := range read(t, market)["plugins"].([]any) {
			o := offer.(map[string]any)
			source, _ := o["source"].(string)
			if inner, ok := o["source"].(map[string]any); ok {
				source = inner["path"].(string)
			}
			if !strings.HasPrefix(source, "./") || slices.Contains(strings.Split(source, "/"), "..") {
				t.Errorf("%s: source %q does not begin with ./ or leaves the repository", market, source)
			}
			if plugin := read(t, source[2:]+"/"+manifest); plugin["name"] != o["name"] {
				t.Errorf("%s offers %v and leads to %v", market, o["name"], plugin["name"])
			}
		}
	}
}
