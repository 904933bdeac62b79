package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
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
	v := verifier{examiner: newExaminer(l), report: &bundle.Report{Valid: true}}
	remake, done := s.Remaker()
	defer done()
	v.merge = func(ctx context.Context, id string) error {
		var newer *NewerMergeError
		if err := remake(ctx, id); !errors.As(err, &newer) {
			return err
		}
		return nil // it is counted, and neither right nor wrong
	}
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
	*examiner
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
	err := v.descend(ctx, tip, func(id string, _ objects.CommitData) (bool, error) {
		ids = append(ids, id)
		return true, nil
	})
	if err := v.note(err); err != nil {
		return err
	}
	slices.Reverse(ids)
	if err := v.examiner.run(ctx, ids, func(_ string, err error) error { return v.note(err) }); err != nil {
		return err
	}
	v.report.Events = v.revisions
	if v.odd > 0 {
		v.warn("%d events have an id that is not a UUID", v.odd)
	}
	if v.newer > 0 {
		v.warn("%d merges were made by a newer ChatRail: update to check them", v.newer)
	}
	return nil
}

func (v *verifier) warn(format string, args ...any) {
	v.report.Warnings = append(v.report.Warnings, fmt.Sprintf(format, args...))
}
