package share_test

import (
	"context"
	"errors"
	"testing"

	"chatrail/bundle/merge/mergetest"
	"chatrail/gitstore/share"

	"pgregory.net/rapid"
)

// A history that goes on without the end of what was here would hide the loss.
func TestWhatIsGoneComesBackOnlyFromARemoteThatHasAllOfIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, root := mergetest.Begin(t)
		known, hub := root, root
		edit := func(at *string, most int, what string) int {
			n := rapid.IntRange(0, most).Draw(t, what)
			for range n {
				*at = s.Edit(*at)
			}
			return n
		}
		edit(&known, 2, "both")
		hub = known
		lost := edit(&known, 2, "only here")
		edit(&hub, 3, "only there")
		m := &machine{w: s.W}
		out, err := share.Sync(context.Background(), m, &remote{w: s.W, tip: &hub}, share.Options{Take: true, Send: true, Gone: known})
		switch {
		case lost > 0 && (!errors.Is(err, share.ErrGone) || m.tip != ""):
			t.Fatalf("%q came back without %s: %v", m.tip, known, err)
		case lost == 0 && (err != nil || m.tip != hub || out.State != share.Taken):
			t.Fatalf("at %q and not at %s: %+v, %v", m.tip, hub, out, err)
		}
	})
}

func TestNothingBeginsAnewWhereARemoteHasNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, root := mergetest.Begin(t)
		hub := ""
		for _, o := range []share.Options{{Take: true, Send: true, Gone: root}, {Send: true, Gone: root}} {
			m, before := &machine{w: s.W}, hub
			_, err := share.Sync(context.Background(), m, &remote{w: s.W, tip: &hub}, o)
			if !errors.Is(err, share.ErrGone) || m.tip != "" || hub != before {
				t.Fatalf("%q here, %q there: %v", m.tip, hub, err)
			}
			hub = root // what may not be taken does not come back either
		}
	})
}
