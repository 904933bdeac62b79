package share_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/merge/mergetest"
	"chatrail/gitstore"
	"chatrail/gitstore/share"
)

// pair is a world with a machine and a remote that have one revision in common.
type pair struct {
	w    *mergetest.World
	here *machine
	hub  string
	n    int
}

func newPair() *pair {
	p := &pair{w: mergetest.New()}
	p.hub = p.write("", "begin")
	p.here = &machine{w: p.w, tip: p.hub}
	return p
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// write makes a revision upon another.
func (p *pair) write(parent, north string) string {
	p.n++
	s := bundle.DefaultState()
	s.Rail.North = north
	return p.w.Write(parent, north, noon.Add(time.Duration(p.n)*time.Minute), s, nil)
}

func (p *pair) sync(o share.Options) (share.Outcome, error) {
	return share.Sync(context.Background(), p.here, &remote{w: p.w, tip: &p.hub}, o)
}

func TestWithoutLeaveNothingIsTaken(t *testing.T) {
	send := share.Options{Send: true}
	p := newPair()
	p.hub = p.write(p.hub, "theirs")
	if _, err := p.sync(send); !errors.Is(err, share.ErrBehind) || p.here.tip == p.hub {
		t.Errorf("theirs is newer: %v", err)
	}
	mine := p.write(p.here.tip, "mine")
	p.here.tip = mine
	if _, err := p.sync(send); !errors.Is(err, share.ErrBehind) || p.here.tip != mine {
		t.Errorf("both are newer: %v", err)
	}
	p.here.tip = ""
	if _, err := p.sync(send); !errors.Is(err, share.ErrBehind) || p.here.tip != "" {
		t.Errorf("there is nothing here: %v", err)
	}
}

func TestWithoutLeaveNothingIsSent(t *testing.T) {
	p := newPair()
	before := p.hub
	p.here.tip = p.write(p.here.tip, "mine")
	if out, err := p.sync(share.Options{Take: true}); err != nil || p.hub != before || out.Remote != before {
		t.Errorf("%+v, %v", out, err)
	}
	p.hub = p.write(p.hub, "theirs")
	theirs := p.hub
	if _, err := p.sync(share.Options{Take: true}); err != nil || p.hub != theirs || !p.w.Below(p.here.tip)[theirs] {
		t.Errorf("%v", err)
	}
}

func TestHistoriesThatBeganApartAreLeftApart(t *testing.T) {
	p := newPair()
	p.hub = p.write("", "another")
	mine, theirs := p.here.tip, p.hub
	if _, err := p.sync(both); !errors.Is(err, share.ErrApart) || p.here.tip != mine || p.hub != theirs {
		t.Errorf("%v", err)
	}
	o := both
	o.Join = true
	if _, err := p.sync(o); err != nil || p.here.tip != p.hub || !p.w.Below(p.hub)[mine] || !p.w.Below(p.hub)[theirs] {
		t.Errorf("joined: %v", err)
	}
}

func TestWhatIsAheadIsSentAsItIs(t *testing.T) {
	p := newPair()
	p.here.tip = p.write(p.here.tip, "mine")
	mine := p.here.tip
	out, err := p.sync(both)
	if err != nil || out.State != share.Sent || p.hub != mine || p.here.tip != mine || p.w.Merges != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// broken is a machine that finds what comes in to break a rule.
type broken struct{ *machine }

var errRule = errors.New("it breaks a rule")

func (broken) Inspect(context.Context, string, string) (bool, error) { return false, errRule }

func TestWhatBreaksARuleIsNotTaken(t *testing.T) {
	for name, mine := range map[string]bool{"newer": false, "side by side": true} {
		p := newPair()
		p.hub = p.write(p.hub, "theirs")
		if mine {
			p.here.tip = p.write(p.here.tip, "mine")
		}
		tip, hub := p.here.tip, p.hub
		_, err := share.Sync(context.Background(), broken{p.here}, &remote{w: p.w, tip: &p.hub}, both)
		if !errors.Is(err, errRule) || p.here.tip != tip || p.hub != hub {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refusing is a remote that can be read and takes nothing.
type refusing struct{ *remote }

var errRefused = errors.New("refused")

func (refusing) Push(context.Context, string) error { return errRefused }

func TestRefusedPushKeepsWhatWasTaken(t *testing.T) {
	p := newPair()
	p.hub = p.write(p.hub, "theirs")
	p.here.tip = p.write(p.here.tip, "mine")
	out, err := share.Sync(context.Background(), p.here, refusing{&remote{w: p.w, tip: &p.hub}}, both)
	if !errors.Is(err, errRefused) || !p.w.Below(p.here.tip)[p.hub] || out.After != p.here.tip || out.Remote != p.hub {
		t.Errorf("%+v, %v", out, err)
	}
}

// A merge that was refused because others were first is forgotten: the next one
// is made from the tip before it.
func TestRefusedMergeIsMadeAnewFromTheTipBefore(t *testing.T) {
	p := newPair()
	p.here.tip = p.write(p.here.tip, "mine")
	mine := p.here.tip
	p.hub = p.write(p.hub, "theirs")
	first := true
	r := &remote{w: p.w, tip: &p.hub, before: func() {
		if first {
			first = false
			p.hub = p.write(p.hub, "theirs again")
		}
	}}
	if _, err := share.Sync(context.Background(), p.here, r, both); err != nil {
		t.Fatal(err)
	}
	merges := 0
	for id := range p.w.Below(p.here.tip) {
		if parents := p.w.At(id).Parents; len(parents) > 1 {
			merges++
			if parents[0] != mine && parents[1] != mine {
				t.Errorf("merge %s is not made from the tip before", id)
			}
		}
	}
	if merges != 1 || p.hub != p.here.tip {
		t.Errorf("%d merges, the hub is at %s", merges, p.hub)
	}
}

// Somebody writes here between the look at the tip and the move to theirs.
func TestTakingIsTriedAgainWhereSomebodyWrote(t *testing.T) {
	p := newPair()
	p.hub = p.write(p.hub, "theirs")
	first := true
	p.here.busy = func() {
		if first {
			first = false
			p.here.tip = p.write(p.here.tip, "mine")
		}
	}
	out, err := p.sync(both)
	if err != nil || p.here.tip != p.hub || out.State != share.Merged {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestKilledMoveIsAnError(t *testing.T) {
	p := newPair()
	p.hub = p.write(p.hub, "theirs")
	p.here.killed = true
	if _, err := p.sync(both); !errors.Is(err, errKilled) || errors.Is(err, gitstore.ErrMoved) {
		t.Errorf("%v", err)
	}
}
