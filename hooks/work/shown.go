package work

import (
	"context"
	"slices"

	"chatrail/gitstore/share"
	"chatrail/refs"
)

// unseen are the references that the remote is not known to list.
func (s *syncing) unseen(list []refs.Ref) []string {
	var names []string
	for _, ref := range list {
		_, err := s.repo.Read(s.remote.Tracking(ref.Name))
		if err != nil || len(s.owedTo(ref.Name)) > 0 {
			names = append(names, ref.Name)
		}
	}
	return names
}

// owedTo is what is noted as owed to the remote.
func (s *syncing) owedTo(ref string) (reasons []string) {
	owed, _ := s.d.Home.Owed(s.place(ref)) // what cannot be read is nothing that counts here
	for _, o := range owed {
		if o.Name == s.to().Name {
			reasons = append(reasons, o.Reason)
		}
	}
	return reasons
}

// shown asks whether the remote lists what it has taken. A server may take
// references that it shows to nobody, and git says that all is well. Only those
// are asked for that it did not list before.
func (s *syncing) shown(ctx context.Context, first []string) {
	if s.o.DryRun {
		return
	}
	var sent []int
	for i, ref := range s.out.Refs {
		arrived := ref.err == nil && ref.Remote != "" && share.State(ref.State) != share.Taken
		if arrived && slices.Contains(first, ref.Ref) {
			sent = append(sent, i)
		}
	}
	if len(sent) == 0 {
		return
	}
	list, err := s.repo.Advertised(ctx, s.remote, s.o.transfer())
	if err != nil {
		return // it has taken them, and that is all that is known
	}
	for _, i := range sent {
		ref := s.out.Refs[i]
		if slices.ContainsFunc(list, func(r refs.Ref) bool { return r.Name == ref.Ref }) {
			continue
		}
		err := &share.RefusedError{Kind: refs.RefsRefused, Why: s.remote.String() +
			" took it and does not list it, so nobody can fetch it there: have references below " + refs.Namespace + " shown, or name another remote"}
		s.remember(ctx, s.place(ref.Ref), share.Outcome{Remote: ref.Remote}, err)
		s.out.Refs[i] = ref.failed(err)
		s.out.Failed = true
	}
}
