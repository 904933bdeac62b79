package gitstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/bundle/merge"
	"chatrail/gitstore/objects"
)

// merge makes the revision in which histories come together. It is a function
// of the heads: on every machine the same commit.
func (w *writer) merge(ctx context.Context, p *past, heads []string) (*stored, error) {
	p.tips, p.asked = heads, 0
	res, err := merge.Merge(ctx, p, heads)
	if err != nil {
		return nil, err
	}
	parents := make([]*stored, len(res.Parents))
	for i, id := range res.Parents {
		if parents[i], err = p.revision(ctx, id); err != nil {
			return nil, err
		}
	}
	tree, digests, err := w.mergeNotes(ctx, p, parents, res)
	if err != nil {
		return nil, err
	}
	first := parents[0]
	event, err := bundle.NewMergeEvent(res.Meta, first.state, res.State, digests, res.Parents, res.SetAside)
	if err != nil {
		return nil, err
	}
	newest := slices.MaxFunc(parents, func(a, b *stored) int {
		return cmp.Or(a.event.Time.Compare(b.event.Time), cmp.Compare(a.event.EventID, b.event.EventID), cmp.Compare(a.id, b.id))
	})
	if w.who = newest.commit.Author.Clean(); w.who.Name == "" || w.who.Email == "" {
		w.who = fixedIdentity()
	}
	return w.revision(tree, res.Parents, event, &first.state, res.State, false)
}

// mergeNotes puts the notes of a merge beside those of its floor, and names those
// that no parent has. Whatever a merge in between called or kept a note is decided
// anew.
func (w *writer) mergeNotes(ctx context.Context, p *past, parents []*stored, res *merge.Result) (map[string]objects.Entry, []bundle.NoteDigest, error) {
	tree := maps.Clone(parents[0].tree)
	delete(tree, entriesDir)
	delete(tree, tasksDir)
	if res.Floor != "" {
		floor, err := p.revision(ctx, res.Floor)
		if err != nil {
			return nil, nil, err
		}
		for _, dir := range []string{entriesDir, tasksDir} {
			if entry, ok := floor.tree[dir]; ok {
				tree[dir] = entry
			}
		}
	}
	var put []placedNote
	var digests []bundle.NoteDigest
	for _, n := range res.Notes {
		var id string
		var err error
		switch {
		case n.Side != "":
			id, err = p.noteID(ctx, n.Side, n.Path)
		case n.From != "":
			id, err = p.noteID(ctx, n.From, n.FromPath)
		default:
			id = w.put(objects.Blob, n.Data)
		}
		if err != nil {
			return nil, nil, err
		}
		isNew := true
		for _, parent := range parents {
			has, err := p.noteID(ctx, parent.id, n.Path)
			if err != nil && !isNotFound(err) {
				return nil, nil, err
			}
			isNew = isNew && has != id
		}
		if isNew {
			data := n.Data
			if n.From != "" {
				if data, err = p.Note(ctx, n.From, n.FromPath); err != nil {
					return nil, nil, err
				}
			}
			digests = append(digests, bundle.NoteDigest{Path: n.Path, SHA256: draft.Digest(data)})
		}
		put = append(put, placedNote{n.Path, id})
	}
	return tree, digests, w.putNotes(ctx, tree, put)
}

// unmade says why a merge is not one that this rule could have made.
func unmade(id string, c objects.CommitData) error {
	if mergeMarkOf(c.Message) == newerMark {
		return &NewerMergeError{Revision: id}
	}
	return frozenf("merge %s does not say by which rule it was made", short(id))
}

// remake makes a merge again and compares.
func (l *loader) remake(ctx context.Context, s *Store, id string) error {
	return l.remakeOn(ctx, s, s.past(l), id)
}

// remakeOn is remake upon what was read already.
func (l *loader) remakeOn(ctx context.Context, s *Store, p *past, id string) error {
	c, err := l.commit(ctx, id)
	if err != nil {
		return err
	}
	if mergeMarkOf(c.Message) != knownMark {
		return unmade(id, c)
	}
	w := s.writer(l, fixedIdentity)
	made, err := w.merge(ctx, p, c.Parents)
	if errors.Is(err, merge.ErrNoCause) {
		return frozenf("merge %s brings nothing together: it was forged", short(id))
	}
	if err != nil {
		return err
	}
	if made.id != id {
		return frozenf("merge %s is not what its parents make: it was forged or damaged", short(id))
	}
	return nil
}
