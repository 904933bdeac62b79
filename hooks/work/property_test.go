package work

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/hooks/turn"
)

// limitRuns makes the properties here short where nobody asks for more on the
// command line: each of their steps writes and syncs files.
func limitRuns(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{"rapid.checks": "4", "rapid.steps": "12"} {
		if slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, name) }) {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
}

// session is what the model knows of a task.
type session struct {
	name   string
	review string // the open one, "" for none
}

// Whatever order prompts, answers, stops, sandboxes and crashes come in: what
// was accepted is in the history exactly once, and nothing else is.
func TestEveryAcceptedAnswerIsInTheHistoryExactlyOnce(t *testing.T) {
	limitRuns(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := newProject(t, "directory")
		w.t = rt
		tasks := []*session{{name: "one"}, {name: "two"}}
		var accepted []string
		n := 0
		// words makes a request of its own, about one of two fields.
		words := func(review string) Request {
			n++
			text := fmt.Sprint("words ", n)
			if rapid.Bool().Draw(rt, "north") {
				return north(review, text)
			}
			return now(review, text)
		}
		open := func() *session {
			s := rapid.SampledFrom(tasks).Draw(rt, "task")
			if s.review == "" {
				s.review = w.prompt(s.name)
			}
			return s
		}
		// answer gives an answer and says whether it was taken.
		answer := func(s *session, r Request) bool {
			a, err := w.reconcile(r)
			var stale *StaleError
			if errors.As(err, &stale) {
				return false
			}
			if err != nil || a.Outcome != Recorded {
				rt.Fatalf("%q: %+v, %v", r.Reason, a, err)
			}
			accepted = append(accepted, r.Reason)
			s.review = ""
			return true
		}
		rt.Repeat(map[string]func(*rapid.T){
			"prompt": func(*rapid.T) {
				s := rapid.SampledFrom(tasks).Draw(rt, "task")
				s.review = w.prompt(s.name)
			},
			"answer": func(*rapid.T) {
				s := open()
				answer(s, words(s.review))
			},
			"answer to a superseded review": func(*rapid.T) {
				s := open()
				old := s.review
				s.review = w.prompt(s.name)
				answer(s, words(old))
			},
			"bare answer": func(*rapid.T) {
				s := open()
				if a, err := w.reconcile(Request{Review: s.review}); err != nil || a.Outcome != NoChange {
					rt.Fatalf("%+v, %v", a, err)
				}
				s.review = ""
			},
			"killed before the receipt, then repeated": func(*rapid.T) {
				s := open()
				r := words(s.review)
				taken := false
				w.forget(s.name, func() { taken = answer(s, r) })
				if !taken {
					return // the stale answer was forgotten as well
				}
				if a, err := w.reconcile(r); err != nil || a.Outcome != Repeated {
					rt.Fatalf("a repeat: %+v, %v", a, err)
				}
			},
			"left in the drop box": func(*rapid.T) {
				s := open()
				r := words(s.review)
				receipt := w.receipt(s.name)
				q, _, err := asks(receipt, r.Review)
				if err != nil {
					rt.Fatal(err)
				}
				a, err := w.desk.drop(t.Context(), receipt.TaskKey, receipt, q, r, change{Short: r.Short})
				var stale *StaleError
				if errors.As(err, &stale) {
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				accepted = append(accepted, r.Reason)
				s.review = ""
				if rapid.Bool().Draw(rt, "the hook is killed before the receipt") {
					item, err := os.ReadFile(a.Dropped)
					if err != nil {
						rt.Fatal(err)
					}
					w.forget(s.name, func() { w.stop(s.name) })
					if err := os.WriteFile(a.Dropped, item, 0o600); err != nil {
						rt.Fatal(err)
					}
				}
				w.stop(s.name)
			},
			"stop": func(*rapid.T) {
				s := rapid.SampledFrom(tasks).Draw(rt, "task")
				if said := w.stop(s.name); said.Block != "" && s.review == "" {
					rt.Fatalf("nothing is open, and the stop is held up: %s", said.Block)
				}
			},
			"": func(*rapid.T) {
				if got := w.reasons(); !slices.Equal(got, accepted) {
					rt.Fatalf("accepted %q\nhistory  %q", accepted, got)
				}
				for _, s := range tasks {
					r := w.receipt(s.name).Turn.Review
					if pending := r != nil && r.Status == turn.Pending; pending != (s.review != "") {
						rt.Fatalf("task %s has the review %+v, and %q is open", s.name, r, s.review)
					}
				}
			},
		})
		report, err := w.scope().Store.Verify(t.Context())
		if err != nil || !report.Valid {
			rt.Fatalf("%+v, %v", report, err)
		}
	})
}

// The same for one field that several tasks change: no accepted answer ever
// replaced a value that its task had not been given before.
func TestNoAcceptedAnswerReplacesWhatItsTaskWasNeverShown(t *testing.T) {
	limitRuns(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := newProject(t, "directory")
		w.t = rt
		known := map[string]string{} // the North that a task was last given
		reviews := map[string]string{}
		n := 0
		rt.Repeat(map[string]func(*rapid.T){
			"prompt": func(*rapid.T) {
				s := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(rt, "task")
				reviews[s], known[s] = w.prompt(s), w.tip().State.Rail.North
			},
			"answer": func(*rapid.T) {
				s := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(rt, "task")
				if reviews[s] == "" {
					return
				}
				n++
				before := w.tip().State.Rail.North
				a, err := w.reconcile(north(reviews[s], fmt.Sprint("North ", n)))
				var stale *StaleError
				switch {
				case errors.As(err, &stale) && before == known[s]:
					rt.Fatalf("refused as stale: North %q is what the task was given", before)
				case errors.As(err, &stale):
					known[s] = stale.Present.State.Rail.North
				case err != nil || a.Outcome != Recorded:
					rt.Fatalf("%+v, %v", a, err)
				case before != known[s]:
					rt.Fatalf("replaced North %q, and had been given %q", before, known[s])
				default:
					delete(reviews, s)
				}
			},
			"": func(*rapid.T) {},
		})
	})
}
