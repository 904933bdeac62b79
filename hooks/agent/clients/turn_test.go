//go:build agents

package clients

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent/clients/model"
)

// The words that scenarios look for in what a model is given.
const (
	north = "NORTH_WORDS ship the parser"
	next  = "NEXT_WORDS write the lexer"
)

// named is a review that gives the road its North.
const named = ` --reason 'REASON_WORDS first move named' --north '` + north + `' --next '` + next + `'`

// does is a prompt with a word to which the model answers by a reply.
func does(word string, reply func(*model.Request) model.Reply) model.Rule {
	return model.Rule{Newest: word + `\b`, Reply: reply}
}

// reviewThen is model.Review, with TOOL in the lines behind it standing for
// chatrail as the review command names it.
func reviewThen(arguments string, then ...string) func(*model.Request) model.Reply {
	return func(r *model.Request) model.Reply {
		reply := model.Review(arguments, then...)(r)
		if program, _, ok := strings.Cut(reply.Shell, " reconcile "); ok {
			reply.Shell = strings.ReplaceAll(reply.Shell, "TOOL", program)
		}
		return reply
	}
}

// afterReviews are what the model says after each review that it ran.
func afterReviews(answers ...string) []model.Rule {
	var rules []model.Rule
	for _, a := range answers {
		rules = append(rules, model.Rule{Newest: model.Answer.String(), Reply: model.Say(a)})
	}
	return rules
}

func script(parts ...any) []model.Rule {
	var rules []model.Rule
	for _, p := range parts {
		switch p := p.(type) {
		case model.Rule:
			rules = append(rules, p)
		case []model.Rule:
			rules = append(rules, p...)
		}
	}
	return rules
}

// odd is an answer of which every byte counts.
const odd = "skipped \"charlie\", and:\n\n\tif a < b && c > d { `x` } // \\n %s\n\n  – ünïcode ⟶ 日本 🚂\n{\"decision\": \"block\"}"

func TestReviewAsPrintedIsRecordedAndHeadlessAnswerStands(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", model.Review("")),
			does("CHARLIE", model.Say(odd)),
			afterReviews("answer alpha", "answer bravo"),
			model.Rule{Newest: `chatrail.? reconcile `, Reply: model.Say("replaced by a block")},
		)...)
		r.set(c)
		n := r.revisions()

		a := r.headless(c, "please do ALPHA", options{})
		if said := a.only(c.start).context(); said != "" {
			t.Errorf("the default state is not silent: %s", said)
		}
		a.reviewed()
		r.recorded(n, 1, "REASON_WORDS")
		if body := r.git("log", "-1", "--format=%B", "refs/chatrail/project"); !strings.Contains(body, "ChatRail-Agent: "+string(c.host)) {
			t.Errorf("the revision does not say which agent made it:\n%s", body)
		}
		if stop := a.only(c.stop); stop.Stdout != "" {
			t.Errorf("a stop after a review is not silent: %s", stop)
		}
		a.answers("answer alpha")

		b := r.headless(c, "please do BRAVO", options{})
		q := b.first("the second prompt", `BRAVO`)
		for _, want := range []string{north, next} {
			if !strings.Contains(q.Text, want) {
				t.Errorf("the model of a new session was not told %q", want)
			}
		}
		b.reviewed()
		r.recorded(n, 1, "REASON_WORDS") // nothing changed, nothing is written
		b.answers("answer bravo")

		s := r.headless(c, "please do CHARLIE", options{})
		if model.ReviewCommand(s.first("the third prompt", `CHARLIE`).Newest) == "" {
			t.Error("the review line did not reach the model")
		}
		if s.blocks() != 0 {
			t.Error("a headless run was held up")
		}
		s.answers(odd)
		r.sound(c)
	}, all...)
}

// Nobody is there to be asked, and no rule of the person allows a shell. In Codex,
// whose sandbox lets nothing be written, the rule leads out of it.
func TestReviewRunsWithoutAskingByTheRuleOfInstall(t *testing.T) {
	flags := map[*client][]string{codex: {"-s", "read-only"}, gemini: {ask}}
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		then := 0
		r.model.Add(script(
			does("ALPHA", model.Bare(named)),
			model.Rule{Newest: "Recorded as", Reply: func(*model.Request) model.Reply {
				then = r.revisions() // no drop box: it is there before the stop
				return model.Reply{Text: "answer alpha"}
			}},
		)...)
		r.careful = true
		if c == codex { // it applies no rule to a program in quotes
			r.bin = filepath.Join(r.dir, "tools")
			lay(t, r.bin)
		}
		r.set(c)
		n := r.revisions()
		r.headless(c, "please do ALPHA", options{flags: flags[c]}).answers("answer alpha")
		r.recorded(n, 1, "REASON_WORDS")
		if then != n+1 {
			t.Errorf("%d revisions when the model was told that it was recorded, want %d", then, n+1)
		}
		r.sound(c)
	}, claude, codex, gemini)
}

func TestSkippedReviewBlocksOnceInATerminal(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t, script(
			does("ALPHA", model.Review(named)),
			does("BRAVO", model.Say("skipped bravo")),
			does("CHARLIE", model.Say("skipped charlie")),
			model.Rule{Newest: `SKIP\d`, Times: -1, Reply: model.Say("skipped again")},
			does("DELTA", model.Review("")),
			does("ECHO", model.Say("answer echo")),
			model.Rule{Newest: `reconcile \S+\.\S+`, Reply: model.Review("")},
			afterReviews("answer alpha", "reviewed bravo", "answer delta"),
			model.Rule{Newest: `reconcile \S+\.\S+`, Times: -1, Reply: model.Say("ignored the block")},
		)...)
		r.set(c)
		n := r.revisions()
		te := r.attend(c, options{})

		a := te.ask("please do ALPHA")
		a.reviewed()
		r.recorded(n, 1, "REASON_WORDS")
		if stop := a.only(c.stop); stop.Stdout != "" {
			t.Errorf("a stop after a review is not silent: %s", stop)
		}

		b := te.ask("now BRAVO")
		stops := b.of(c.stop)
		if len(stops) != 2 || model.ReviewCommand(stops[0].block()) == "" || stops[1].Stdout != "" {
			t.Errorf("a skipped review: %v", stops)
		}
		b.reviewed()
		r.recorded(n, 1, "REASON_WORDS")

		s := te.ask("then CHARLIE")
		if stops := s.of(c.stop); len(stops) != 2 || s.blocks() != 1 {
			t.Errorf("a block that the model ignores: %v", stops)
		}

		// One without an answer is not the last, and the fifth of them is.
		for i := range 5 {
			s := te.ask(fmt.Sprintf("more SKIP%d", i))
			if want := min(1, 4-i); s.blocks() != want {
				t.Errorf("the stop of skipped turn %d was held up %d times, want %d: %v", i+2, s.blocks(), want, s.of(c.stop))
			}
		}

		d := te.ask("last DELTA")
		d.reviewed()
		if d.blocks() != 0 {
			t.Error("a reviewed turn was held up")
		}
		session := r.session(c)
		te.leave()

		e := r.headless(c, "headless ECHO", options{resume: session})
		if e.blocks() != 0 {
			t.Error("the headless run of a session from a terminal was held up")
		}
		e.answers("answer echo")
		r.sound(c)
	}, all...)
}
