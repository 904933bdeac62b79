package share_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"chatrail/gitstore/share"
)

// locked is a remote where somebody holds the lock of the reference for some tries.
type locked struct {
	share.Remote
	left int
}

func (l *locked) Push(ctx context.Context, tip string) error {
	if l.left--; l.left >= 0 {
		return &share.HeldError{Why: "somebody holds it"}
	}
	return l.Remote.Push(ctx, tip)
}

func TestALockAtTheRemoteIsWaitedForAndThenNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for tries, stays := range map[int]bool{3: false, 1000: true} {
			p := newPair()
			p.here.tip = p.write(p.here.tip, "mine")
			there := &locked{Remote: &remote{w: p.w, tip: &p.hub}, left: tries}
			_, err := share.Sync(t.Context(), p.here, there, share.Options{Take: true, Send: true})
			var held *share.HeldError
			if errors.As(err, &held) != stays || !stays && (err != nil || p.hub != p.here.tip) {
				t.Errorf("held for %d tries: %v", tries, err)
			}
		}
	})
}
