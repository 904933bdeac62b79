package work

import (
	"context"
	"slices"

	"chatrail/gitstore/share"
	"chatrail/refs"
)

// push sends everything in one exchange, without looking at what the remote has:
// git refuses what is not ahead of it.
func (s *syncing) push(ctx context.Context, ours []refs.Ref) error {
	names := s.names(ours, nil)
	for _, name := range names {
		if s.gone(s.place(name)) != "" {
			ours = append(ours, refs.Ref{Name: name})
		}
	}
	ours = slices.DeleteFunc(ours, func(r refs.Ref) bool { return !slices.Contains(names, r.Name) })
	ours = slices.DeleteFunc(ours, func(r refs.Ref) bool {
		_, err := s.healthy(ctx, s.store(s.place(r.Name)))
		if err != nil {
			s.add(SyncedRef{Ref: r.Name, Name: roadName(r.Name)}.failed(err))
		}
		return err != nil
	})
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
