package work

import (
	"context"

	"chatrail/gitstore/share"
	"chatrail/refs"
)

// push sends everything in one exchange, without looking at what the remote has:
// git refuses what is not ahead of it.
func (s *syncing) push(ctx context.Context, o offer) error {
	if o.err != nil {
		return o.err
	}
	for _, ref := range o.unfit {
		s.add(ref)
	}
	ours := o.fit
	if len(ours) == 0 {
		return nil
	}
	first := s.unseen(ours)
	done, err := s.repo.Push(ctx, s.remote, ours, s.o.transfer())
	for _, p := range done {
		out := SyncedRef{Ref: p.Name, Name: roadName(p.Name), State: string(share.Sent), Before: p.ID, After: p.ID}
		var why error
		switch p.State {
		case refs.StateEven:
			out.State = string(share.Even)
		case refs.StateBehind:
			why = share.Behind(p)
		case refs.StateRefused:
			why = &share.RefusedError{Kind: p.Kind, Why: p.Why}
		}
		if !s.o.DryRun {
			out.Owed = s.remember(ctx, s.place(p.Name), share.Outcome{}, why)
		}
		if why != nil {
			out = out.failed(s.words(p.Name, why))
		} else {
			out.Remote = p.ID
		}
		s.add(out)
	}
	if err != nil {
		s.owe(ctx, ours, err)
		return err
	}
	s.shown(ctx, first)
	return nil
}
