package gitstore

import (
	"context"
	"fmt"
	"slices"

	"chatrail/bundle"
	"chatrail/gitstore/objects"

	"github.com/google/uuid"
)

// Verify checks every revision from the root to the tip: its shape, its event
// against its parent, its digests. Events counts the revisions that could be
// read. It writes nothing of its own; objects that are missing come back from
// the journal.
func (s *Store) Verify(ctx context.Context) (*bundle.Report, error) {
	l := s.loader()
	defer l.Close()
	tip, gone := s.tip()
	if tip == "" && asFrozen(gone) == nil {
		return nil, gone
	}
	v := verifier{loader: l, recent: map[string]*stored{}, seen: map[string]bool{}, report: &bundle.Report{Valid: true}}
	v.note(gone)
	if tip == "" {
		return v.report, nil
	}
	if err := v.run(ctx, tip); err != nil {
		return nil, err
	}
	return v.report, nil
}

type verifier struct {
	*loader
	recent map[string]*stored // revisions lately read: the parent is among them
	seen   map[string]bool    // event ids
	odd    int                // event ids that are no UUIDs, other than imported ones
	report *bundle.Report
}

// note takes a frozen error into the report, the first as its cause. It returns
// any other error.
func (v *verifier) note(err error) error {
	frozen := asFrozen(err)
	if frozen == nil {
		return err
	}
	if v.report.Valid {
		v.report.Valid, v.report.Frozen = false, frozen.Cause
	}
	return nil
}

func (v *verifier) run(ctx context.Context, tip string) error {
	var ids []string
	err := v.descend(ctx, tip, func(id string, c objects.CommitData) (bool, error) {
		ids = append(ids, id)
		return true, nil
	})
	if err := v.note(err); err != nil {
		return err
	}
	for _, id := range slices.Backward(ids) {
		if err := v.note(v.revision(ctx, id)); err != nil {
			return err
		}
	}
	if v.odd > 0 {
		v.report.Warnings = append(v.report.Warnings, fmt.Sprintf("%d events have an id that is not a UUID", v.odd))
	}
	return nil
}

func (v *verifier) revision(ctx context.Context, id string) error {
	r, err := v.recall(ctx, id)
	if err != nil {
		return err
	}
	v.report.Events++
	if v.seen[r.event.EventID] {
		if err := v.note(frozenf("revision %s has the event id of another one", short(id))); err != nil {
			return err
		}
	}
	v.seen[r.event.EventID] = true
	if _, err := uuid.Parse(r.event.EventID); err != nil && !carriesImport(r) {
		v.odd++
	}
	var parent *stored
	if len(r.commit.Parents) > 0 {
		if parent, err = v.recall(ctx, r.commit.Parents[0]); err != nil {
			return err
		}
	}
	return v.check(ctx, r, parent)
}

// recall reads a revision unless it was read a moment ago.
func (v *verifier) recall(ctx context.Context, id string) (*stored, error) {
	if r, ok := v.recent[id]; ok {
		return r, nil
	}
	r, err := v.load(ctx, id)
	if err != nil {
		return nil, err
	}
	keep(v.recent, id, r)
	return r, nil
}
