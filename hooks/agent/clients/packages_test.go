//go:build agents

package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
	"chatrail/hooks/packages"
)

// clone lays the packages out as a clone of the repository has them.
func (r *run) clone() string {
	r.t.Helper()
	dir := filepath.Join(r.dir, "a clone")
	for _, f := range packages.Files() {
		r.writeFile(filepath.Join(dir, filepath.FromSlash(f.Path)), string(f.Data))
	}
	return dir
}

// packaged are the commands of each client that take a package in and out, as the
// README has them, CLONE standing for the clone.
var packaged = map[*client]struct{ in, out [][]string }{
	claude: {
		in:  [][]string{{"plugin", "marketplace", "add", "CLONE"}, {"plugin", "install", "chatrail@chatrail"}},
		out: [][]string{{"plugin", "uninstall", "chatrail@chatrail"}},
	},
	codex: {
		in:  [][]string{{"plugin", "marketplace", "add", "CLONE"}, {"plugin", "add", "chatrail@chatrail"}},
		out: [][]string{{"plugin", "remove", "chatrail@chatrail"}},
	},
	gemini: {
		in:  [][]string{{"extensions", "install", "CLONE/hooks/packages/gemini", "--consent"}},
		out: [][]string{{"extensions", "uninstall", "chatrail"}},
	},
}

// says has the client do something else than talk to a model.
func (r *run) says(c *client, args ...string) string {
	r.t.Helper()
	out, err := r.commandIn(r.work, c.env(r), installed(r.t, c.host), args...)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// The package and a person's own registration, one after the other and both at once.
func TestPackageWorksAloneAndBesideSettingsAndGoes(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", model.Review(` --reason 'BOTH_WORDS moved on' --next '`+changed+`'`)),
			does("CHARLIE", model.Say("answer charlie")),
			afterReviews("answer alpha", "answer bravo"),
		)...)
		c.setup(r)
		if c == codex {
			r.writeFile(filepath.Join(r.home, ".codex", "config.toml"), strings.Replace(r.read(filepath.Join(r.home, ".codex", "config.toml")), "plugins = false", "plugins = true", 1))
		}
		clone := r.clone()
		found := options{env: []string{"PATH=" + r.bin + ":" + searchPath()}}
		for _, args := range packaged[c].in {
			args = slices.Clone(args)
			for i := range args {
				args[i] = strings.Replace(args[i], "CLONE", clone, 1)
			}
			r.says(c, args...)
		}
		n := r.revisions()
		a := r.headless(c, "please do ALPHA", found)
		a.reviewed()
		r.recorded(n, 1, "REASON_WORDS")
		a.answers("answer alpha")

		r.chatrail("install", string(c.host))
		b := r.headless(c, "please do BRAVO", found)
		b.reviewed()
		if calls := b.of(c.prompt); len(calls) != 2 {
			t.Errorf("%d calls for the prompt, want one of the package and one of the settings", len(calls))
		}
		b.toldOnce("BRAVO")
		r.recorded(n, 2, "BOTH_WORDS")
		b.answers("answer bravo")

		r.chatrail("uninstall", string(c.host))
		for _, args := range packaged[c].out {
			r.says(c, args...)
		}
		s := r.headless(c, "please do CHARLIE", found)
		if len(s.calls) != 0 {
			t.Errorf("the package is taken out and still calls: %v", s.calls)
		}
		s.answers("answer charlie")
		r.sound(c)
	}, claude, codex, gemini)
}

var reviewCommands = regexp.MustCompile(`chatrail['"]? reconcile [0-9a-f]+\.`)

// toldOnce wants the model to have been given the orientation and the review line
// once with a prompt.
func (tu *turn) toldOnce(word string) {
	tu.run.t.Helper()
	q := tu.first("the prompt", word)
	if reviews, norths := len(reviewCommands.FindAllString(q.Text, -1)), strings.Count(q.Text, "North: "); reviews != 1 || norths != 1 {
		tu.run.t.Errorf("%q: the model was told of a review %d times and of a North %d times:\n%s", tu.prompt, reviews, norths, tail(q.Text, 4000))
	}
}

func readIfThere(file string) (string, error) {
	data, err := os.ReadFile(file)
	return string(data), err
}

func (r *run) read(file string) string {
	r.t.Helper()
	data, err := os.ReadFile(file)
	must(r.t, err)
	return string(data)
}
