package gitstore

import (
	"context"
	"strings"

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
	var open ages
	waits := map[string]bool{}
	add := func(ids []string) error {
		for _, id := range ids {
			if _, done := g.commits[id]; done || waits[id] {
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
			waits[id] = true
			open.put(id, slim(c))
		}
		return nil
	}
	if err := add(from); err != nil {
		return "", err
	}
	for len(open) > 0 {
		if len(open) == 1 && !g.rooted {
			return open[0].id, nil
		}
		id, c := open.take()
		delete(waits, id)
		g.commits[id] = c
		g.rooted = g.rooted || len(c.Parents) == 0
		if err := add(c.Parents); err != nil {
			return "", err
		}
	}
	return "", nil
}

// slim is what the order of a history needs of a commit: a segment can hold all
// of a history, and names and messages would be most of it.
func slim(c objects.CommitData) objects.CommitData {
	var s objects.CommitData
	for _, p := range c.Parents {
		s.Parents = append(s.Parents, strings.Clone(p)) // not as a part of all headers
	}
	s.Committer.When = c.Committer.When
	return s
}

// emit calls fn for the commits of the segment, a child before its parents and
// otherwise the youngest first. Of each it knows the parents and the time.
func (g *segment) emit(from []string, fn func(string, objects.CommitData) (bool, error)) (bool, error) {
	children := map[string]int{}
	for _, c := range g.commits {
		for _, p := range c.Parents {
			children[p]++
		}
	}
	var ready ages
	waits := map[string]bool{}
	for _, id := range from {
		if c, ok := g.commits[id]; ok && children[id] == 0 && !waits[id] {
			waits[id] = true
			ready.put(id, c)
		}
	}
	for len(ready) > 0 {
		id, c := ready.take()
		if more, err := fn(id, c); err != nil || !more {
			return false, err
		}
		for _, p := range c.Parents {
			children[p]--
			if parent, ok := g.commits[p]; ok && children[p] == 0 {
				ready.put(p, parent)
			}
		}
	}
	return true, nil
}
