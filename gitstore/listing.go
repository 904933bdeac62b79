package gitstore

import (
	"bufio"
	"context"
	"slices"
	"strings"

	"chatrail/gitstore/objects"
)

// listing is the part of a history that is not below what is known.
type listing struct {
	ids   []string        // parents before their children
	new   map[string]bool // the same
	known map[string]bool // parents of these that are known
	roots []string        // of the ids those without a parent
}

// listNew lists what is below tip and not below known. Git does it in one go;
// where it does not answer, or gives up over a history that is not whole, the
// commits are read here, which finds the reason. own reads what is known.
func (s *Store) listNew(ctx context.Context, l, own *loader, tip string, known []string) (*listing, error) {
	list, err := s.gitListNew(ctx, tip, known)
	if asFrozen(err) != nil {
		return nil, err
	}
	if err == nil || ctx.Err() != nil {
		return list, ctx.Err()
	}
	return l.walkNew(ctx, own, tip, known)
}

func newListing() *listing {
	return &listing{new: map[string]bool{}, known: map[string]bool{}}
}

func (n *listing) add(id string, root bool) {
	n.ids = append(n.ids, id)
	n.new[id] = true
	if root {
		n.roots = append(n.roots, id)
	}
}

func (s *Store) gitListNew(ctx context.Context, tip string, known []string) (*listing, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := append([]string{"rev-list", "--topo-order", "--reverse", "--parents", "--boundary", tip, "--not"}, known...)
	cmd := s.db.Git(ctx, append(args, "--")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	list := newListing()
	lines := bufio.NewReader(out)
	for {
		id, rest, err := listedCommit(lines)
		if err != nil {
			break
		}
		if known, ok := strings.CutPrefix(id, "-"); ok {
			list.known[known] = true
			continue
		}
		// What would have to be read for such a merge is not worth it.
		if strings.Count(rest, " ") >= maxParents {
			cancel()
			cmd.Wait()
			return nil, tooManyParents(id)
		}
		list.add(id, rest == "")
	}
	return list, cmd.Wait()
}

// listedCommit reads a line: an id, and the ids of its parents.
func listedCommit(lines *bufio.Reader) (id, parents string, err error) {
	line, err := lines.ReadString('\n')
	if err != nil {
		return "", "", err
	}
	id, parents, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	return strings.Clone(id), parents, nil
}

// walkNew is listNew by reading the commits.
func (l *loader) walkNew(ctx context.Context, own *loader, tip string, known []string) (*listing, error) {
	list := newListing()
	below := map[string]bool{}
	for _, from := range known {
		if below[from] {
			continue
		}
		err := own.descend(ctx, from, func(id string, _ objects.CommitData) (bool, error) {
			below[id] = true
			return true, nil
		})
		if asFrozen(err) != nil {
			err = knownError{err}
		}
		if err != nil {
			return nil, err
		}
	}
	// Each step is a commit whose parents are yet to be listed.
	type step struct {
		id   string
		left []string
		root bool
	}
	var steps []step
	enter := func(id string) error {
		if below[id] {
			list.known[id] = true
			return nil
		}
		if list.new[id] {
			return nil
		}
		c, err := l.commit(ctx, id)
		if err != nil {
			return err
		}
		if len(c.Parents) > maxParents {
			return tooManyParents(id)
		}
		list.new[id] = true // also before its turn comes, or it would be entered twice
		steps = append(steps, step{id, slim(c).Parents, len(c.Parents) == 0})
		return nil
	}
	if err := enter(tip); err != nil {
		return nil, err
	}
	for len(steps) > 0 {
		last := &steps[len(steps)-1]
		if len(last.left) > 0 {
			next := last.left[0]
			last.left = last.left[1:]
			if err := enter(next); err != nil {
				return nil, err
			}
			continue
		}
		list.add(last.id, last.root)
		steps = steps[:len(steps)-1]
	}
	return list, nil
}

// explains says whether the parents of a commit, read by us, are where git said
// that they are.
func (n *listing) explains(parents []string) bool {
	return !slices.ContainsFunc(parents, func(p string) bool { return !n.new[p] && !n.known[p] })
}
