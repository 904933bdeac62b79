//go:build agents

package clients

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
	"chatrail/hooks/words"
)

const changed = "CHANGED_WORDS test it"

func TestResumeSaysOnlyWhatChangedAndForkIsATaskOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", model.Review("")),
			does("CHARLIE", model.Review(` --reason 'OTHER_WORDS moved on' --next '`+changed+`'`)),
			does("DELTA", model.Review("")),
			does("FOXTROT", model.Review("")),
			afterReviews("answer alpha", "answer bravo", "answer charlie", "answer delta", "answer foxtrot"),
		)...)
		r.set(c)
		r.headless(c, "please ALPHA", options{}).reviewed()
		session := r.session(c)
		r.headless(c, "again BRAVO", options{resume: session}).reviewed()

		s := r.headless(c, "another session CHARLIE", options{})
		if start := s.only(c.start); !strings.Contains(start.context(), north) {
			t.Errorf("a new session is not oriented: %s", start)
		}
		s.reviewed()

		d := r.headless(c, "back to DELTA", options{resume: session})
		start := d.only(c.start)
		if start.payload.Source != "resume" || start.payload.Session != session || !strings.Contains(start.context(), changed) || strings.Contains(start.context(), north) {
			t.Errorf("a resumed session is to be told what changed, and that alone: %s", start)
		}
		if !strings.Contains(d.first("the prompt", "DELTA").Text, changed) {
			t.Error("what changed did not reach the model")
		}
		d.reviewed()

		again := r.headless(c, "once more", options{resume: session})
		if start := again.only(c.start); strings.Contains(start.context(), "North") || strings.Contains(start.context(), changed) {
			t.Errorf("a resumed session is told again what it knows: %s", start)
		}

		if c.forks {
			f := r.headless(c, "fork FOXTROT", options{resume: session, fork: true})
			start = f.only(c.start)
			if start.payload.Source != "fork" || start.payload.Session == session || !strings.Contains(start.context(), north) {
				t.Errorf("a fork: %s", start)
			}
			f.toldWhoCameBefore(f.first("the prompt", "FOXTROT"))
			f.reviewed()
			f.answers("answer foxtrot")
		}
		r.sound(c)
	}, all...)
}

var adopts = regexp.MustCompile(`chatrail'? adopt [0-9a-f]{12}`)

// toldWhoCameBefore wants a request of a new session to say in one line which
// task came before, with the command that adopts it.
func (tu *turn) toldWhoCameBefore(q *model.Request) {
	tu.run.t.Helper()
	lines := 0
	for _, line := range strings.Split(q.Text, "\n") {
		if adopts.MatchString(line) {
			lines++
		}
	}
	if lines != 1 {
		tu.run.t.Errorf("%q: %d lines say which task came before, want one:\n%s", tu.prompt, lines, tail(q.Text, 3000))
	}
}

func TestClearedSessionIsOriented(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named, "echo OLD_CONTEXT")),
			does("BRAVO", model.Review("")),
			afterReviews("answer alpha", "answer bravo"),
		)...)
		r.set(c)
		te := r.attend(c, options{})
		te.ask("please do ALPHA").reviewed()
		session, from := r.session(c), te.offset()
		m := r.mark()
		te.enter(c.clear, func() bool {
			if c.cleared != nil {
				return c.cleared.MatchString(te.since(from))
			}
			return r.finished(m, c.start)
		})
		b := te.ask("now BRAVO")
		q := b.first("the prompt", "BRAVO")
		if r.session(c) == session || strings.Contains(q.Text, "OLD_CONTEXT") {
			t.Error("the session was not cleared")
		}
		for _, want := range []string{"North: " + north, next} {
			if !strings.Contains(q.Text, want) {
				t.Errorf("the cleared session was not told %q", want)
			}
		}
		b.toldWhoCameBefore(q)
		b.reviewed()
		te.leave()
		r.sound(c)
	}, all...)
}

// writesAsChild is a command that a sub-agent may not run, and refused matches what
// then came of it.
func (r *run) writesAsChild() string {
	return words.ShellQuote(filepath.Join(r.bin, "chatrail")) + " checkpoint 'CHILD_PROSE of nobody'; echo CHILD_RAN $?"
}

var refused = regexp.MustCompile(`CHILD_RAN [1-9]`)

func TestSubAgentIsOrientedAndReviewsNothing(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		r.model.Add(script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", func(*model.Request) model.Reply {
				reply := model.Reply{Agent: "SUBTASK please"}
				if c == claude {
					reply.Args = map[string]any{"run_in_background": false}
				}
				return reply
			}),
			does("SUBTASK please", func(*model.Request) model.Reply {
				if !c.tellsChild {
					return model.Reply{Shell: "echo CHILD_RAN"}
				}
				return model.Reply{Shell: r.writesAsChild()}
			}),
			does("CHILD_RAN", model.Say("child result")),
			model.Rule{Newest: `"agent_id":"`, Reply: func(*model.Request) model.Reply { return model.Reply{WaitAgent: true} }},
			does("child result", model.Review("")),
			afterReviews("answer alpha", "answer bravo"),
		)...)
		r.set(c)
		r.headless(c, "please ALPHA", options{}).reviewed()
		n := r.revisions()
		b := r.headless(c, "now BRAVO", options{resume: r.session(c)})
		var own []*model.Request
		for _, q := range b.requests {
			if strings.Contains(q.Text, "SUBTASK please") && !regexp.MustCompile(`BRAVO\b`).MatchString(q.Text) {
				own = append(own, q)
			}
		}
		if len(own) < 2 {
			t.Fatalf("the sub-agent made %d requests", len(own))
		}
		for _, q := range own {
			if !strings.Contains(q.Text, north) {
				t.Errorf("request %d of the sub-agent is not oriented", q.N)
			}
			if model.ReviewCommand(q.Text) != "" {
				t.Errorf("request %d of the sub-agent shows a review command", q.N)
			}
		}
		children := 0
		for _, call := range b.calls {
			if call.payload.Agent == "" {
				continue
			}
			children++
			if call.block() != "" || model.ReviewCommand(call.context()) != "" {
				t.Errorf("a sub-agent was asked for a review: %s", call)
			}
		}
		if children == 0 {
			t.Error("no hook was called for the sub-agent")
		}
		if r.revisions() != n {
			t.Errorf("%d revisions became %d", n, r.revisions())
		}
		if c.tellsChild && !refused.MatchString(own[1].Newest) {
			t.Errorf("a command of the sub-agent that writes is not refused: %s", own[1].Newest)
		}
		b.reviewed()
		b.ends("answer bravo")
		r.sound(c)
	}, claude, codex, copilot)
}
