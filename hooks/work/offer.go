package work

import (
	"context"
	"slices"
	"strings"

	"chatrail/gitstore"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// offer is what of here may be sent.
type offer struct {
	fit   []refs.Ref
	unfit []SyncedRef // and why
	err   error
}

// offering looks at the bundles here beside what else there is to do.
func (s *syncing) offering(ctx context.Context) <-chan offer {
	done := make(chan offer, 1)
	go func() { done <- s.offered(ctx) }()
	return done
}

func (s *syncing) offered(ctx context.Context) (o offer) {
	ours, err := s.repo.List(refs.Namespace)
	if err != nil && len(ours) == 0 {
		return offer{err: err}
	}
	names := s.names(ours, nil)
	for _, name := range names {
		if s.gone(s.place(name)) != "" {
			ours = append(ours, refs.Ref{Name: name})
		}
	}
	for _, ref := range ours {
		if !slices.Contains(names, ref.Name) {
			continue
		}
		if _, err := s.healthy(ctx, s.store(s.place(ref.Name))); err != nil {
			o.unfit = append(o.unfit, SyncedRef{Ref: ref.Name, Name: roadName(ref.Name)}.failed(err))
			continue
		}
		o.fit = append(o.fit, ref)
	}
	return o
}

// healthy is the tip here, "" for none. A bundle that is frozen is neither sent nor
// merged with anything.
func (s *syncing) healthy(ctx context.Context, store *gitstore.Store) (string, error) {
	here, err := store.Present()
	if err != nil || here == "" {
		return here, err
	}
	_, err = store.Tip(ctx)
	return here, err
}

func (s *syncing) store(p task.Place) *gitstore.Store {
	return gitstore.Open(s.repo, gitstore.Options{Ref: p.Ref, JournalDir: s.d.Home.JournalDir(p), KnownTip: s.d.knownTip(p, s.repo), Objects: s.objects})
}

// roadName is what people call a reference of ours.
func roadName(ref string) string {
	rest := strings.TrimPrefix(ref, refs.Namespace)
	kind, encoded, ok := strings.Cut(rest, "/")
	if !ok {
		return rest
	}
	name, ok := refs.Decode(encoded)
	if !ok {
		name = encoded
	}
	if kind == "at" {
		return name + "/"
	}
	return name
}
