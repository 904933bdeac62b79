package work

import (
	"context"
	"errors"

	"chatrail/gitstore"
	"chatrail/gitstore/share"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// to names the remote of a sync for the queue. All the URLs of a name are meant:
// git pushes to each of them, and the worst answer counts.
func (s *syncing) to() task.Remote { return task.Remote{Name: s.remote.String()} }

// noting gives what has to be written down a time of its own: that there was no
// more time is one of the things.
func noting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), noteLimit)
}

// owe queues everything that the remote does not have, as far as is known: it
// could not be talked to.
func (s *syncing) owe(ctx context.Context, ours []refs.Ref, why error) {
	var transport *refs.TransportError
	if s.o.DryRun || s.o.Auto || !errors.As(why, &transport) || s.mistyped(transport) {
		return
	}
	ctx, cancel := noting(ctx)
	defer cancel()
	for _, ref := range ours {
		if there, err := s.repo.Read(s.remote.Tracking(ref.Name)); err == nil && there == ref.ID {
			continue
		}
		_, _ = s.d.Home.Queue(ctx, s.place(ref.Name), s.to(), oneLine(why.Error())) // what is not queued is found by the next sync all the same
	}
}

// mistyped tells of an address given by hand that there is nothing at: nobody will
// settle what would be owed there.
func (s *syncing) mistyped(why *refs.TransportError) bool {
	return s.remote.Name == "" && why.Kind == refs.NoRepository && !s.reached()
}

// reached tells whether anything was seen of the remote before.
func (s *syncing) reached() bool {
	seen, err := s.repo.List(s.remote.Tracking(refs.Namespace))
	return err != nil || len(seen) > 0
}

// paid forgets what was owed to the remote, by its name and by its URL: who
// pushed to that by hand meant the same place.
func (d *Desk) paid(ctx context.Context, p task.Place, to task.Remote, url string) (settled bool, err error) {
	settled, err = d.Home.Settle(ctx, p, to)
	if url == "" || err != nil {
		return settled, err
	}
	also, err := d.Home.Settle(ctx, p, task.Remote{Name: url})
	return settled || also, err
}

// place is the place of a reference of this repository.
func (s *syncing) place(ref string) task.Place {
	return s.d.marked(task.Place{Kind: task.KindGit, Path: s.repo.CommonDir, Ref: ref, WorkTree: s.repo.WorkTree})
}

// remember keeps what the next sync, the pre-push hook and status have to know:
// what is owed to the remote, and what it has that is not taken. It tells whether
// something is owed.
func (s *syncing) remember(ctx context.Context, p task.Place, res share.Outcome, err error) (owed bool) {
	ctx, cancel := noting(ctx)
	defer cancel()
	held := task.Held{
		Place: p.ID(), Ref: p.Ref, Remote: s.remote.String(), Track: s.remote.Tracking(p.Ref),
		Tip: res.Remote, Since: s.d.Now().UTC(),
	}
	var broken *gitstore.BrokenRuleError
	var newer *gitstore.NewerMergeError
	if errors.As(err, &broken) || errors.As(err, &newer) {
		held.Why = oneLine(err.Error())
		_ = s.d.Home.Hold(ctx, held) // said now in any case
	} else if err == nil || res.Remote != "" {
		_ = s.d.Home.Release(ctx, held) // something else was seen there
	}
	if s.o.Auto {
		return false // the push hook keeps its own account
	}
	if err == nil {
		_, _ = s.d.paid(ctx, p, s.to(), s.remote.URL)
		return false
	}
	var transport *refs.TransportError
	var refused *share.RefusedError
	var locked *share.HeldError
	if errors.As(err, &transport) || errors.As(err, &refused) || errors.As(err, &locked) || errors.Is(err, share.ErrBehind) && !s.o.Push {
		_, _ = s.d.Home.Queue(ctx, p, s.to(), oneLine(err.Error()))
		return true
	}
	return false
}
