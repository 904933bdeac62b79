package gitstore

import (
	"context"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// Walk calls fn for the revision named from (the tip where from is "") and
// everything below it, a child before its parents. It reads as it goes, so a
// short walk is a cheap one. A revision that cannot be read is left out; what
// is below it still comes, and Walk ends with the *bundle.FrozenError.
func (s *Store) Walk(ctx context.Context, from string, fn func(*bundle.Revision) (bool, error)) error {
	l := s.loader()
	defer l.Close()
	start, err := s.readable()
	if err == nil && from != "" {
		start, err = s.resolve(ctx, l, from)
	}
	if err != nil {
		return err
	}
	var first error // that broke a revision
	err = l.descend(ctx, start, func(id string, _ objects.CommitData) (bool, error) {
		r, err := l.load(ctx, id)
		if frozen := asFrozen(err); frozen != nil {
			if first == nil {
				first = err
			}
			return true, nil
		}
		if err != nil {
			return false, err
		}
		return fn(r.revision())
	})
	if err == nil {
		err = first
	}
	return err
}

// descend calls fn for a commit and all its ancestors, a child before its
// parents, until fn returns false or an error. A line of single parents is read
// one by one; where sides come together, both are read down to where they
// started. A commit that cannot be read ends its line, and descend returns its
// error after all others were called.
func (l *loader) descend(ctx context.Context, from string, fn func(id string, c objects.CommitData) (bool, error)) error {
	var first error
	for next := from; next != ""; {
		c, err := l.commit(ctx, next)
		if err != nil {
			return err
		}
		if more, err := fn(next, c); err != nil || !more {
			return err
		}
		switch len(c.Parents) {
		case 0:
			return first
		case 1:
			next = c.Parents[0]
		default:
			seg := segment{loader: l, commits: map[string]objects.CommitData{}}
			if next, err = seg.explore(ctx, c.Parents); err != nil {
				return err
			}
			if more, err := seg.emit(c.Parents, fn); err != nil || !more {
				return err
			}
			if first == nil {
				first = seg.broken
			}
		}
	}
	return first
}

// segment is the part of a history between a merge and the commit at which all
// its sides have come together again.
type segment struct {
	*loader
	commits map[string]objects.CommitData
	rooted  bool  // a line ended here: nothing below can be what joins them
	broken  error // the first commit that could not be read
}

// explore reads commits, youngest first, until one commit is all that is left
// to read: everything else is above it. It returns that commit, "" where the
// sides never came together.
func (g *segment) explore(ctx context.Context, from []string) (string, error) {
	open := map[string]objects.CommitData{}
	add := func(ids []string) error {
		for _, id := range ids {
			if _, done := g.commits[id]; done {
				continue
			}
			if _, waits := open[id]; waits {
				continue
			}
			c, err := g.commit(ctx, id)
			if asFrozen(err) != nil {
				g.rooted = true
				if g.broken == nil {
					g.broken = err
				}
				continue
			}
			if err != nil {
				return err
			}
			open[id] = c
		}
		return nil
	}
	if err := add(from); err != nil {
		return "", err
	}
	for len(open) > 0 {
		id := youngest(open)
		if len(open) == 1 && !g.rooted {
			return id, nil
		}
		c := open[id]
		delete(open, id)
		g.commits[id] = c
		g.rooted = g.rooted || len(c.Parents) == 0
		if err := add(c.Parents); err != nil {
			return "", err
		}
	}
	return "", nil
}

func youngest(open map[string]objects.CommitData) string {
	best := ""
	for id, c := range open {
		if best == "" || younger(c, id, open[best], best) {
			best = id
		}
	}
	return best
}

// younger orders commits by their time, and by their ids where that is the same.
func younger(a objects.CommitData, aID string, b objects.CommitData, bID string) bool {
	if !a.Committer.When.Equal(b.Committer.When) {
		return a.Committer.When.After(b.Committer.When)
	}
	return aID > bID
}

// emit calls fn for the commits of the segment, a child before its parents and
// otherwise the youngest first.
func (g *segment) emit(from []string, fn func(string, objects.CommitData) (bool, error)) (bool, error) {
	children := map[string]int{}
	for _, c := range g.commits {
		for _, p := range c.Parents {
			children[p]++
		}
	}
	ready := map[string]objects.CommitData{}
	for _, id := range from {
		if c, ok := g.commits[id]; ok && children[id] == 0 {
			ready[id] = c
		}
	}
	for len(ready) > 0 {
		id := youngest(ready)
		c := ready[id]
		delete(ready, id)
		if more, err := fn(id, c); err != nil || !more {
			return false, err
		}
		for _, p := range c.Parents {
			children[p]--
			if parent, ok := g.commits[p]; ok && children[p] == 0 {
				ready[p] = parent
			}
		}
	}
	return true, nil
}
