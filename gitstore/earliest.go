package gitstore

import (
	"context"
	"errors"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// Earliest calls fn for the first revisions of the history, the oldest first,
// until fn returns false, and for at most that many. Of a long history it opens
// no others: git lists them.
func (s *Store) Earliest(ctx context.Context, most int, fn func(*bundle.Revision) (bool, error)) error {
	l := s.loader()
	defer l.Close()
	tip, err := s.readable()
	if err != nil {
		return err
	}
	var ids []string
	err = l.descend(ctx, tip, limited(func(id string, _ objects.CommitData) (bool, error) {
		ids = append([]string{id}, ids...)
		return true, nil
	}))
	if errors.Is(err, errEnough) {
		ids = nil
		err = s.revList(ctx, tip, "--reverse", func(id string) bool {
			ids = append(ids, id)
			return len(ids) < most
		})
	}
	if err != nil {
		return err
	}
	for _, id := range ids[:min(most, len(ids))] {
		r, err := l.load(ctx, id)
		if err != nil {
			return err
		}
		if more, err := fn(r.revision()); err != nil || !more {
			return err
		}
	}
	return nil
}
