//go:build agents

package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// everything is one prompt that leads a client through all events that it has:
// a sub-agent, a command, and a compaction where the client has one by itself.
func (r *run) everything(c *client) *turn {
	r.t.Helper()
	var seen []string
	r.model.Add(script(
		r.summarise(&seen),
		model.Rule{Anywhere: summary, Reply: model.Say("all done")},
		does("EVERYTHING", func(*model.Request) model.Reply {
			if c.childStart == "" {
				return model.Reply{Shell: "echo COMMAND_RAN"}
			}
			reply := model.Reply{Agent: "SUBTASK please"}
			if c == claude {
				reply.Args = map[string]any{"run_in_background": false}
			}
			return reply
		}),
		does("SUBTASK please", model.Say("child result")),
		model.Rule{Newest: `"agent_id":"`, Reply: func(*model.Request) model.Reply { return model.Reply{WaitAgent: true} }},
		does("child result", func(*model.Request) model.Reply { return model.Reply{Shell: "echo COMMAND_RAN", Tokens: 195000} }),
		does("COMMAND_RAN", model.Say("all done")),
	)...)
	tu := r.headless(c, "please do EVERYTHING", options{flags: c.limit})
	tu.ends("all done")
	wanted := []string{c.start, c.prompt, c.stop}
	if c.childStart != "" {
		wanted = append(wanted, c.childStart)
	}
	if c.limit != nil {
		wanted = append(wanted, c.before, c.after)
	}
	for _, event := range wanted {
		if !slices.ContainsFunc(tu.calls, func(call call) bool { return call.payload.Event == event }) {
			r.t.Errorf("no hook was called for %s", event)
		}
	}
	return tu
}

// stateHome is where ChatRail keeps what it knows of tasks.
func (r *run) stateHome() string { return filepath.Join(r.home, ".codex", "chatrail") }

func TestFailureOfOursIsNeverOneOfTheClient(t *testing.T) {
	for name, spoil := range map[string]func(r *run){
		"frozen": func(r *run) { // the ref leads to something that is no orientation
			r.git("update-ref", "refs/chatrail/project", "HEAD")
		},
		"no place for state": func(r *run) { // file modes would not bind root
			must(r.t, os.RemoveAll(r.stateHome()))
			r.writeFile(r.stateHome(), "a file\n")
		},
		"half installed": func(r *run) {
			must(r.t, os.Remove(filepath.Join(r.bin, "chatrail")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, c *client) {
				r := scene(t)
				r.set(c)
				spoil(r)
				r.everything(c)
				r.sound(c)
			}, all...)
		})
	}
}

func TestWordsOfAnUntrustedCloneStayOut(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			afterReviews("answer alpha"),
		)...)
		r.set(c)
		r.headless(c, "please do ALPHA", options{}).reviewed()
		// Another person's machine: the same bundle, and nobody who trusted it.
		must(t, os.RemoveAll(r.stateHome()))
		tu := r.everything(c)
		told := false
		for _, q := range tu.requests {
			if strings.Contains(q.Raw, "NORTH_WORDS") || strings.Contains(q.Raw, "NEXT_WORDS") {
				t.Errorf("request %d has words of a bundle that nobody trusts:\n%s", q.N, tail(q.Text, 3000))
			}
			told = told || strings.Contains(q.Text, "trust")
		}
		if !told {
			t.Error("nobody is told that there is something to trust")
		}
		r.sound(c)
	}, all...)
}
