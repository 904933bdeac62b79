//go:build agents

package clients

import (
	"os"
	"syscall"
	"testing"
	"time"

	"chatrail/hooks/agent/clients/model"
)

// Whoever interrupts an agent has not skipped a review.
func TestInterruptedTurnIsNotHeldAgainstTheNext(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		r := scene(t)
		r.model.Add(script(
			does("ALPHA", func(*model.Request) model.Reply {
				r.interrupt()
				return model.Reply{Text: "said too late"}
			}),
			does("BRAVO", model.Review(named)),
			afterReviews("answer bravo"),
		)...)
		r.set(c)
		n := r.revisions()
		a := r.headless(c, "please do ALPHA", options{})
		if a.blocks() != 0 {
			t.Error("an interrupted turn was held up")
		}
		b := r.headless(c, "now BRAVO", options{resume: r.session(c)})
		b.reviewed()
		b.answers("answer bravo")
		r.recorded(n, 1, "REASON_WORDS")
		r.sound(c)
	}, all...)
}

// interrupt does to the running client what the key for it does, and waits until
// it has gone.
func (r *run) interrupt() {
	client := r.running.Load()
	_ = syscall.Kill(-client.Pid, syscall.SIGINT) // it may have gone just now
	r.waits(20*time.Second, func() bool { return client.Signal(syscall.Signal(0)) == os.ErrProcessDone })
}
