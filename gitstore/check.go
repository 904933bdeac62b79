package gitstore

import (
	"context"
	"maps"
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
	return r, l.check(ctx, r, l.load)
}

// check is healthy for a revision that was read already. Its parents come from
// recall.
func (l *loader) check(ctx context.Context, r *stored, recall recall) error {
	if err := checkShape(r); err != nil {
		return err
	}
	var parent *stored
	if len(r.commit.Parents) > 0 {
		var err error
		if parent, err = recall(ctx, r.commit.Parents[0]); err != nil {
			return err
		}
	}
	mark := mergeMarkOf(r.commit.Message)
	if mark == oddMark {
		return frozenf("revision %s has the mark of a merge that is none", short(r.id))
	}
	if len(r.commit.Parents) > 1 || len(r.event.Parents) > 0 {
		return l.checkMerge(ctx, r, parent, recall)
	}
	if mark != noMark {
		return frozenf("revision %s has the mark of a merge and is none", short(r.id))
	}
	if err := checkLive(r, parent); err != nil {
		return err
	}
	if parent != nil && parent.event.EventID == r.event.EventID {
		return frozenf("revision %s has the event id of another one", short(r.id))
	}
	return l.checkNotes(ctx, r, parent)
}

// recall gives a revision that may have been read a moment ago.
type recall func(ctx context.Context, id string) (*stored, error)

// checkShape wants exactly the names and modes of a bundle at the top level.
func checkShape(r *stored) error {
	for _, name := range slices.Sorted(maps.Keys(r.tree)) {
		want := objects.ModeFile
		switch name {
		case bundle.CompassFile, bundle.RailFile, bundle.EventsFile:
		case entriesDir, tasksDir:
			want = objects.ModeDir
		default:
			return frozenf("revision %s holds a file that is not of a bundle", short(r.id))
		}
		if r.tree[name].Mode != want {
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
	if err != nil {
		return err
	}
	if isImport(r, parent) {
		return l.checkReadable(ctx, r, changes)
	}
	changed := make(map[string]string, len(changes))
	for _, c := range changes {
		changed[c.path] = c.id
	}
	return l.checkNamed(ctx, r, changed, changed)
}

// checkNamed wants the event of a revision to name all of changed, notes by
// their paths with the ids of their blobs ("" where one is gone), and nothing
// that is not in allowed, each with its digest.
func (l *loader) checkNamed(ctx context.Context, r *stored, changed, allowed map[string]string) error {
	if len(r.event.Notes) > maxEventNotes {
		return frozenf("revision %s holds more notes than a revision may", short(r.id))
	}
	named := make(map[string]bool, len(r.event.Notes))
	for _, n := range r.event.Notes {
		if named[n.Path] {
			return frozenf("revision %s names a note twice", short(r.id))
		}
		named[n.Path] = true
	}
	for path, id := range changed {
		if id == "" || !named[path] {
			return frozenf("revision %s has notes that its event does not explain", short(r.id))
		}
	}
	digests := map[string]string{} // by blob: one text may stand at many paths
	size := 0
	for _, n := range r.event.Notes {
		id := allowed[n.Path]
		if id == "" {
			return frozenf("revision %s names a note that it did not write", short(r.id))
		}
		if digests[id] == "" {
			data, err := l.Get(ctx, id, objects.Blob)
			if err != nil {
				return broken(err, "revision %s has a note that cannot be read", short(r.id))
			}
			if size += len(data); size > maxEventBytes {
				return frozenf("revision %s holds more notes than a revision may", short(r.id))
			}
			digests[id] = draft.Digest(data)
		}
		if digests[id] != n.SHA256 {
			return frozenf("revision %s has notes that its event does not explain", short(r.id))
		}
	}
	return nil
}

// checkReadable wants the notes of an import, which no event explains one by
// one, to be there.
func (l *loader) checkReadable(ctx context.Context, r *stored, changes []noteChange) error {
	read := map[string]bool{}
	for _, c := range changes {
		if c.id == "" || read[c.id] {
			continue
		}
		if _, err := l.Get(ctx, c.id, objects.Blob); err != nil {
			return broken(err, "revision %s has a note that cannot be read", short(r.id))
		}
		read[c.id] = true
	}
	return nil
}

// isImport says whether a revision came out of a directory: such a line starts
// at a root, is made by ChatRail itself, and only its last revision has notes.
func isImport(r, parent *stored) bool {
	if parent != nil {
		_, entries := parent.tree[entriesDir]
		_, tasks := parent.tree[tasksDir]
		if entries || tasks || !carriesImport(parent) {
			return false
		}
	}
	return carriesImport(r)
}

func carriesImport(r *stored) bool {
	fixed := func(s objects.Signature) bool { return s.Name == fixedName && s.Email == fixedEmail }
	return isImported(r.commit.Message) && fixed(r.commit.Author) && fixed(r.commit.Committer)
}

// maxParents bounds the parents of a merge.
const maxParents = 16

func tooManyParents(id string) error {
	return frozenf("revision %s has too many parents or one twice", short(id))
}

// checkMerge wants a merge to say of which parents, its event to lead from the
// first of them to its live files, and every note that no parent has to be
// named.
func (l *loader) checkMerge(ctx context.Context, r, first *stored, recall recall) error {
	parents := r.commit.Parents
	if len(parents) < 2 || !slices.Equal(parents, r.event.Parents) {
		return frozenf("revision %s has parents that its event does not name", short(r.id))
	}
	if len(parents) > maxParents || len(slices.Compact(slices.Sorted(slices.Values(parents)))) < len(parents) {
		return tooManyParents(r.id)
	}
	if err := checkLive(r, first); err != nil {
		return err
	}
	var changed map[string]string  // from every parent
	allowed := map[string]string{} // from any
	for i, id := range parents {
		parent := first
		if i > 0 {
			var err error
			if parent, err = recall(ctx, id); err != nil {
				return err
			}
		}
		changes, err := l.noteChanges(ctx, r, parent)
		if err != nil {
			return err
		}
		here := make(map[string]string, len(changes))
		for _, c := range changes {
			here[c.path], allowed[c.path] = c.id, c.id
		}
		if i == 0 {
			changed = here
			continue
		}
		maps.DeleteFunc(changed, func(path, _ string) bool { _, ok := here[path]; return !ok })
	}
	// What an earlier merge called or kept a note, a later one may call otherwise;
	// whoever verifies a merge makes it again.
	maps.DeleteFunc(changed, func(_, id string) bool { return id == "" })
	return l.checkNamed(ctx, r, changed, allowed)
}
