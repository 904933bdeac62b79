//go:build agents

package clients

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// summary is what the model sums a context up to.
const summary = "SUMMARY_WORDS of it all"

// summarise answers the request for a summary, and keeps what git log of the
// project said at that moment.
func (r *run) summarise(seen *[]string) model.Rule {
	return model.Rule{
		Newest: `CONTEXT CHECKPOINT|create a detailed summary|<state_snapshot>|<overview>|## Important Details`, Toolless: true, Times: -1,
		Reply: func(*model.Request) model.Reply {
			log, err := r.command("git", "log", "--format=%s", "refs/chatrail/project")
			if err != nil {
				log = err.Error()
			}
			*seen = append(*seen, log)
			return model.Reply{Text: "<summary>" + summary + "</summary>"}
		},
	}
}

// checkpointed wants the checkpoint to have been in the log of the project when
// the summary was asked for, and to say which path changed.
func (r *run) checkpointed(seen []string, before int) {
	r.t.Helper()
	if len(seen) == 0 {
		r.t.Fatal("no summary was asked for")
	}
	if n := strings.Count(seen[0], "\n") + 1; n != before+1 {
		r.t.Errorf("%d revisions when the summary was asked for, want %d:\n%s", n, before+1, seen[0])
	}
	if r.revisions() != before+1 {
		r.t.Errorf("%d revisions after the compaction, want %d", r.revisions(), before+1)
	}
	if patch := r.git("show", "refs/chatrail/project"); !strings.Contains(patch, "made-by-task.txt") {
		r.t.Errorf("the checkpoint does not name the changed path:\n%s", patch)
	}
}

// told counts the hooks that gave the orientation. Claude Code keeps what one
// said just before it compacts by itself.
func (tu *turn) told() int {
	n := 0
	for _, call := range tu.calls {
		if strings.Contains(call.context(), "\nNorth: "+north) {
			n++
		}
	}
	return n
}

// oriented wants a request of a new context to carry the orientation and the
// request for prose, once.
func (tu *turn) oriented(q *model.Request) {
	t := tu.run.t
	t.Helper()
	if strings.Contains(q.Text, "OLD_CONTEXT") || !strings.Contains(q.Text, summary) {
		t.Errorf("%q is not in a new context", tu.prompt)
	}
	// Claude Code also shows what was to be kept in the summary, as a list.
	if n := len(regexp.MustCompile(`(?m)^North: `+north).FindAllString(q.Text, -1)); n < 1 || n > max(1, tu.told()) {
		t.Errorf("the first request after the compaction gives the orientation %d times, the hooks %d times:\n%s", n, tu.told(), tail(q.Text, 5000))
	}
	for _, want := range []string{"Before the compaction ChatRail wrote down", "made-by-task.txt", "chatrail' checkpoint"} {
		if !strings.Contains(q.Text, want) {
			t.Errorf("the first request after the compaction does not say %q:\n%s", want, tail(q.Text, 5000))
		}
	}
}

func TestCompactionByHandKeepsTheRoad(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		var seen []string
		r.model.Add(script(
			r.summarise(&seen),
			does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
			does("BRAVO", model.Review("")),
			does("CHARLIE", model.Review("")),
			afterReviews("answer alpha", "answer bravo", "answer charlie"),
		)...)
		r.set(c)
		te := r.attend(c, options{})
		te.ask("please do ALPHA").reviewed()
		n := r.revisions()

		m := r.mark()
		te.enter(c.compact, func() bool { return r.began(m, c.before) })
		r.until("the end of the compaction", func() bool { return r.finished(m, c.after) })
		r.checkpointed(seen, n)

		te.regains()
		te.leave()
		r.sound(c)
	}, claude, codex)
}

func TestCompactionWithinATurnKeepsTheRoad(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		var seen []string
		r.model.Add(script(
			r.summarise(&seen),
			does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
			model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
				return model.Reply{Shell: "echo SECOND_COMMAND", Tokens: 195000}
			}},
			model.Rule{Anywhere: summary, Reply: model.Say("answer alpha")},
		)...)
		r.set(c)
		n := r.revisions()
		a := r.headless(c, "please do ALPHA", options{flags: c.limit})
		a.reviewed()
		// The review, and the checkpoint; the session's end writes no other.
		r.checkpointed(seen, n+1)
		q := a.requests[len(a.requests)-1]
		if !strings.Contains(q.Text, summary) {
			t.Fatalf("the last request is not in a new context: %s", tail(q.Text, 2000))
		}
		for _, earlier := range a.requests[:len(a.requests)-1] {
			if strings.Contains(earlier.Text, summary) {
				t.Errorf("request %d came before the one that is looked at", earlier.N)
			}
		}
		a.oriented(q)
		a.answers("answer alpha")
		r.sound(c)
	}, claude, codex)
}

func TestCompactionBetweenTurnsKeepsTheRoad(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		var seen []string
		r.model.Add(script(
			r.summarise(&seen),
			does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
			model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
				return model.Reply{Text: "answer alpha", Tokens: 195000}
			}},
			does("BRAVO", model.Review("")),
			afterReviews("answer bravo"),
		)...)
		r.set(c)
		n := r.revisions()
		a := r.headless(c, "please do ALPHA", options{flags: c.limit})
		a.reviewed()
		// The end of that session writes the checkpoint of the same state, where the
		// client waits for it; else the compaction does.
		b := r.headless(c, "now BRAVO", options{resume: r.session(c), flags: c.limit})
		r.checkpointed(seen, n+1)
		b.oriented(b.first("the first prompt after it", "BRAVO"))
		b.reviewed()
		b.answers("answer bravo")
		r.sound(c)
	}, claude, codex)
}

// Where no session start follows a compaction, the next prompt makes up for it.
func TestCompactionIsMadeUpForAtTheNextPrompt(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		var seen []string
		r.model.Add(script(
			r.summarise(&seen),
			does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
			// A short history is not compacted, and one that repeats itself is a loop.
			model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
				return model.Reply{Text: numbers(8000), Tokens: 30000}
			}},
			does("BRAVO", model.Review("")),
			does("CHARLIE", model.Review("")),
			afterReviews("answer bravo", "answer charlie"),
		)...)
		r.set(c)
		te := r.attend(c, options{})
		te.ask("please do ALPHA").reviewed()
		n := r.revisions()
		m := r.mark()
		te.enter(c.compact, func() bool { return r.began(m, c.before) })
		r.until("the request for a summary", func() bool { return len(r.model.Requests()) > m.requests })
		r.until("the end of the compaction", te.calm)
		r.checkpointed(seen, n)

		te.regains()
		te.leave()
		r.sound(c)
	}, gemini, copilot)
}

// Copilot CLI compacts by itself when a prompt has come, so that one still begins
// without the orientation.
func TestCopilotsOwnCompactionIsMadeUpForAtTheNextPrompt(t *testing.T) {
	r := scene(t)
	var seen []string
	r.model.Add(script(
		r.summarise(&seen),
		does("ALPHA", model.Review(named, "echo changed > made-by-task.txt", "echo OLD_CONTEXT")),
		model.Rule{Newest: model.Answer.String(), Reply: func(*model.Request) model.Reply {
			return model.Reply{Text: numbers(8000), Tokens: 49000}
		}},
		does("DELTA", model.Review("")),
		does("BRAVO", model.Review("")),
		does("CHARLIE", model.Review("")),
		afterReviews("answer delta", "answer bravo", "answer charlie"),
	)...)
	r.set(copilot)
	te := r.attend(copilot, options{env: []string{"COPILOT_PROVIDER_MAX_PROMPT_TOKENS=50000"}})
	te.ask("please do ALPHA").reviewed()
	n := r.revisions()
	m := r.mark()
	te.ask("go on with DELTA").reviewed()
	if !r.finished(m, copilot.before) {
		t.Fatal("the client did not compact")
	}
	r.checkpointed(seen, n)
	te.regains()
	te.leave()
	r.sound(copilot)
}

// regains asks twice after a compaction: the first answer is oriented, the second
// is not told again.
func (te *terminal) regains() {
	te.run.t.Helper()
	b := te.ask("now BRAVO")
	b.oriented(b.first("the first prompt after it", "BRAVO"))
	b.reviewed()
	s := te.ask("then CHARLIE")
	for _, call := range s.calls {
		if strings.Contains(call.context(), north) {
			te.run.t.Errorf("the prompt after that says it again: %s", call)
		}
	}
	s.reviewed()
}

// numbers is a long text of which no part is like another.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d ", i*i)
	}
	return b.String()
}

// began and finished say whether a hook was called for an event since a mark.
func (r *run) began(m mark, event string) bool {
	for _, call := range r.calls()[m.calls:] {
		if call.payload.Event == event {
			return true
		}
	}
	return false
}

func (r *run) finished(m mark, event string) bool {
	for _, call := range r.calls()[m.calls:] {
		if call.payload.Event == event && call.Done {
			return true
		}
	}
	return false
}
