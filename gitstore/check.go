package gitstore

import (
	"context"
	"errors"
	"slices"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"
)

// healthy reads a revision and checks that its event explains it: what it says
// it changed is what the tree holds, and the rest is as in its first parent.
// Beside an error comes what could be read.
func (l *loader) healthy(ctx context.Context, id string) (*stored, error) {
	r, err := l.load(ctx, id)
	if err != nil {
		return r, err
	}
	var parent *stored
	if len(r.commit.Parents) > 0 {
		if parent, err = l.load(ctx, r.commit.Parents[0]); err != nil {
			return r, err
		}
	}
	return r, l.check(ctx, r, parent)
}

// check is healthy for a revision and its first parent (nil for the root) that
// were read already.
func (l *loader) check(ctx context.Context, r, parent *stored) error {
	if err := checkShape(r); err != nil {
		return err
	}
	if len(r.commit.Parents) > 1 || len(r.event.Parents) > 0 {
		return l.checkMerge(ctx, r)
	}
	if err := checkLive(r, parent); err != nil {
		return err
	}
	return l.checkNotes(ctx, r, parent)
}

// checkShape wants exactly the names and modes of a bundle at the top level.
func checkShape(r *stored) error {
	for name, entry := range r.tree {
		want := objects.ModeFile
		switch name {
		case bundle.CompassFile, bundle.RailFile, bundle.EventsFile:
		case entriesDir, tasksDir:
			want = objects.ModeDir
		default:
			return frozenf("revision %s holds a file that is not of a bundle", short(r.id))
		}
		if entry.Mode != want {
			return frozenf("revision %s has an entry of the wrong kind", short(r.id))
		}
	}
	return nil
}

// checkLive follows the event from the state before to the live files.
func checkLive(r, parent *stored) error {
	var before *bundle.State
	if parent != nil {
		before = &parent.state
	}
	after, err := r.event.Follow(before)
	if err != nil {
		return frozenf("revision %s has an event that does not follow from its parent", short(r.id))
	}
	if !after.Equal(r.state) {
		return frozenf("revision %s has live files that its event does not explain", short(r.id))
	}
	if parent == nil {
		return nil
	}
	for target, name := range map[bundle.Target]string{
		bundle.TargetCompass: bundle.CompassFile,
		bundle.TargetRail:    bundle.RailFile,
	} {
		changed := slices.ContainsFunc(r.event.Transitions, func(t bundle.Transition) bool { return t.Target == target })
		if !changed && r.tree[name].ID != parent.tree[name].ID {
			return frozenf("revision %s has a live file that its event did not write", short(r.id))
		}
	}
	return nil
}

// checkNotes wants every changed note named by the event with its digest.
func (l *loader) checkNotes(ctx context.Context, r, parent *stored) error {
	changes, err := l.noteChanges(ctx, r, parent)
	if err != nil || isImported(r.commit.Message) {
		return err
	}
	named := map[string]string{}
	for _, n := range r.event.Notes {
		named[n.Path] = n.SHA256
	}
	for _, c := range changes {
		digest, ok := named[c.path]
		if c.id == "" || !ok {
			return frozenf("revision %s has notes that its event does not explain", short(r.id))
		}
		data, err := l.Get(ctx, c.id, objects.Blob)
		if err != nil {
			return broken(err, "revision %s has a note that cannot be read", short(r.id))
		}
		if draft.Digest(data) != digest {
			return frozenf("revision %s has notes that its event does not explain", short(r.id))
		}
	}
	for path := range named {
		_, err := l.lookup(ctx, r, path)
		if errors.Is(err, bundle.ErrNotFound) {
			return frozenf("revision %s lacks a note that its event wrote", short(r.id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkMerge wants a merge to say of which parents, and its live files to be
// what its event says.
func (l *loader) checkMerge(ctx context.Context, r *stored) error {
	if len(r.commit.Parents) < 2 || !slices.Equal(r.commit.Parents, r.event.Parents) {
		return frozenf("revision %s has parents that its event does not name", short(r.id))
	}
	for _, t := range r.event.Transitions {
		digest := r.state.Compass.Digest()
		if t.Target == bundle.TargetRail {
			digest = r.state.Rail.Digest()
		}
		if t.AfterSHA256 != digest {
			return frozenf("revision %s has live files that its event does not explain", short(r.id))
		}
	}
	_, err := l.noteChanges(ctx, r, nil)
	return err
}
