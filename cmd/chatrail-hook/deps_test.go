package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deps lists what packages link, by import path: one call for all of them, since
// the go command looks at every package anew each time.
func deps(t *testing.T, packages ...string) map[string]map[string]bool {
	t.Helper()
	args := []string{"list", "-f", `{{.ImportPath}}{{range .Deps}} {{.}}{{end}}`}
	out, err := exec.Command("go", append(args, packages...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", packages, err)
	}
	sets := map[string]map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line) // the package, then what it links
		set := map[string]bool{}
		for _, p := range fields {
			set[p] = true
		}
		sets[fields[0]] = set
	}
	for _, p := range packages {
		if len(sets[p]) < 2 {
			t.Fatalf("nothing is known of what %s links", p)
		}
	}
	return sets
}

// Every package that the hook links costs each turn of every user: its init
// work runs before the first byte of input is read.
func TestHookBinaryStaysLean(t *testing.T) {
	const hook = "chatrail/cmd/chatrail-hook"
	linked := deps(t, hook)[hook]
	for banned, why := range map[string]string{
		"github.com/go-git/go-git/v5":                    "drags in the network, ssh and openpgp",
		"github.com/go-git/go-git/v5/plumbing/object":    "drags in openpgp",
		"github.com/go-git/go-git/v5/storage/filesystem": "loads whole pack indexes",
		"github.com/alecthomas/kong":                     "reflects over the whole grammar at start",
		"github.com/modelcontextprotocol/go-sdk/mcp":     "links net/http; chatrail-mcp has it",
		"net/http":              "costs as much as the rest of the start-up together",
		"regexp":                "patterns are compiled at start",
		"chatrail/hooks/secret": "text is redacted by the full program, which stores it",
		"gopkg.in/yaml.v3":      "the hook reads caches, not live files",
		"chatrail/bundle":       "the hook reads caches, not live files",
		"chatrail/gitstore":     "chatrail-hook runs chatrail when text must be stored",
	} {
		if linked[banned] {
			t.Errorf("chatrail-hook links %s: %s", banned, why)
		}
	}
}

// chatrail reconcile runs on every turn, too. The fallback is linked into it for
// machines without git, and must not bring all of go-git along.
func TestChatrailLinksNoNetworkAndNoOpenPGP(t *testing.T) {
	for pkg, linked := range deps(t, "chatrail/cmd/chatrail", "chatrail/gitstore/worktree/fallback") {
		for banned, why := range map[string]string{
			"github.com/go-git/go-git/v5":                 "drags in the network, ssh and openpgp",
			"github.com/go-git/go-git/v5/plumbing/object": "drags in openpgp",
			"golang.org/x/crypto/ssh":                     "works at start",
			"net/http":                                    "works at start",
			"crypto/tls":                                  "works at start",
			"github.com/modelcontextprotocol/go-sdk/mcp":  "links net/http; chatrail-mcp has it",
		} {
			if linked[banned] {
				t.Errorf("%s links %s: %s", pkg, banned, why)
			}
		}
	}
}

// The arrows of the house: who may know whom.
func TestPackagesKnowOnlyTheirNeighbours(t *testing.T) {
	rules := []struct{ pkg, not, why string }{
		{"chatrail/bundle", "chatrail/refs", "bundle knows no git"},
		{"chatrail/bundle/dir", "chatrail/refs", "bundle knows no git"},
		{"chatrail/bundle/dir", "github.com/go-git/go-git/v5/plumbing", "bundle knows no git"},
		{"chatrail/refs", "chatrail/bundle", "refs moves ids, whatever they stand for"},
		{"chatrail/gitstore", "chatrail/hooks/task", "a store knows no agent"},
		{"chatrail/gitstore", "github.com/go-git/go-git/v5/plumbing/object", "drags in openpgp"},
		{"chatrail/hooks/turn", "chatrail/hooks/task", "the turn is a pure function"},
		{"chatrail/hooks/turn", "os", "the turn is a pure function"},
		{"chatrail/hooks/agent", "chatrail/hooks/task", "an adapter knows its host alone"},
		{"chatrail/hooks/secret", "chatrail/bundle", "a detector knows texts, not where they go"},
		{"chatrail/hooks/work", "github.com/alecthomas/kong", "hooks knows no command line"},
		{"chatrail/hooks/install", "github.com/alecthomas/kong", "hooks knows no command line"},
		{"chatrail/hooks/tools", "github.com/alecthomas/kong", "hooks knows no command line"},
		{"chatrail/hooks/work", "github.com/modelcontextprotocol/go-sdk/mcp", "the core knows no protocol"},
		{"chatrail/hooks/install", "chatrail/bundle", "an installation opens no bundle"},
	}
	var packages []string
	for _, rule := range rules {
		packages = append(packages, rule.pkg)
	}
	linked := deps(t, packages...)
	for _, rule := range rules {
		if linked[rule.pkg][rule.not] {
			t.Errorf("%s reaches %s: %s", rule.pkg, rule.not, rule.why)
		}
	}
}

// The tables of clients and of the turn are data that the linker lays out. One
// call in a row would have all of a table built at every start.
func TestTheHooksTablesAreLaidOutByTheLinker(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "chatrail-hook")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	symbols := string(out)
	if !strings.Contains(symbols, " chatrail/hooks/agent.hosts\n") {
		t.Error("the table of clients is not there under this name")
	}
	for _, pkg := range []string{"agent", "turn"} {
		if strings.Contains(symbols, " chatrail/hooks/"+pkg+".init\n") {
			t.Errorf("package %s builds something at start", pkg)
		}
	}
}
