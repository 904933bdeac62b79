package refs

import (
	"context"
	"math/rand/v2"
	"time"
)

// wait paces the attempts at a lock: from 1 ms on, doubled up to a top, with
// jitter, until the context ends or a limit of our own has passed.
type wait struct {
	until time.Time
	pause time.Duration
	top   time.Duration
}

func newWait(limit, top time.Duration) *wait {
	return &wait{until: time.Now().Add(limit), pause: time.Millisecond, top: top}
}

// next sleeps before another attempt. It is false when there is to be none;
// err is then the context's, if that was the reason.
func (w *wait) next(ctx context.Context) (again bool, err error) {
	left := time.Until(w.until)
	if left <= 0 {
		return false, ctx.Err()
	}
	pause := w.pause/2 + rand.N(w.pause)
	w.pause = min(2*w.pause, w.top)
	timer := time.NewTimer(min(pause, left))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return true, nil
	}
}
