package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// nearby is how many commits are looked at in place before git is asked to go
// through the rest.
const nearby = 16

// minPrefix is the length of the shortest prefix that names a revision.
const minPrefix = 4

// errEnough ends a search in place without a result.
var errEnough = errors.New("enough")

// Tip reads the newest revision and checks that its event explains it.
func (s *Store) Tip(ctx context.Context) (*bundle.Revision, error) {
	l := s.loader()
	defer l.Close()
	id, gone := s.tip()
	if id == "" {
		return nil, gone
	}
	r, err := l.healthy(ctx, id)
	if gone != nil {
		err = gone
	}
	if r == nil {
		return nil, err
	}
	return r.revision(), err
}

// Read reads one revision, the tip or one below it, by its id or a unique
// prefix of it.
func (s *Store) Read(ctx context.Context, id string) (*bundle.Revision, error) {
	l := s.loader()
	defer l.Close()
	full, err := s.resolve(ctx, l, id)
	if err != nil {
		return nil, err
	}
	r, err := l.load(ctx, full)
	if r == nil {
		return nil, err
	}
	return r.revision(), err
}

// Root is the id of the root revision. Where histories were joined it is the
// oldest of several roots.
func (s *Store) Root(ctx context.Context) (string, error) {
	roots, err := s.Roots(ctx)
	if err != nil {
		return "", err
	}
	return roots[0], nil
}

// Roots lists the root revisions, the oldest first: one, or more where
// histories were joined.
func (s *Store) Roots(ctx context.Context) ([]string, error) {
	l := s.loader()
	defer l.Close()
	tip, err := s.readable()
	if err != nil {
		return nil, err
	}
	var roots []string
	collect := func(id string, c objects.CommitData) (bool, error) {
		if len(c.Parents) == 0 {
			roots = append(roots, id)
		}
		return true, nil
	}
	err = l.descend(ctx, tip, limited(collect))
	if errors.Is(err, errEnough) {
		roots = nil
		if err = s.revList(ctx, tip, "--max-parents=0", func(id string) bool { roots = append(roots, id); return true }); err != nil {
			roots = nil
			err = l.descend(ctx, tip, collect)
		}
	}
	if err != nil {
		return nil, err
	}
	return l.oldestFirst(ctx, roots)
}

// BeganBefore tells whether a revision is below the tip, and no beginning of the
// history came in since then: its roots are those of the tip. What stands below
// the revision is not looked at.
func (s *Store) BeganBefore(ctx context.Context, known string) (bool, error) {
	tip, err := s.readable()
	if err != nil {
		return false, err
	}
	if below := s.straight(ctx, tip, known); below {
		return true, nil
	}
	if s.db.Git(ctx, "merge-base", "--is-ancestor", known, tip).Run() != nil {
		return false, ctx.Err()
	}
	began := false
	err = s.revList(ctx, tip, "--max-parents=0", func(string) bool { began = true; return false }, "^"+known)
	return err == nil && !began, err
}

// straight tells whether a commit is close below the tip, and everything comes
// together there: no clock and no git is asked.
func (s *Store) straight(ctx context.Context, tip, known string) bool {
	l := s.loader()
	defer l.Close()
	found, n, open := false, 0, map[string]bool{}
	err := l.descend(ctx, tip, func(id string, c objects.CommitData) (bool, error) {
		delete(open, id)
		if id == known {
			found = len(open) == 0
			return false, nil
		}
		for _, p := range c.Parents {
			open[p] = true
		}
		n++
		return n <= 4*nearby && len(c.Parents) > 0, nil
	})
	return err == nil && found
}

// limited ends a descent after the nearby commits.
func limited(fn func(string, objects.CommitData) (bool, error)) func(string, objects.CommitData) (bool, error) {
	n := 0
	return func(id string, c objects.CommitData) (bool, error) {
		if n++; n > nearby {
			return false, errEnough
		}
		return fn(id, c)
	}
}

func (l *loader) oldestFirst(ctx context.Context, ids []string) ([]string, error) {
	var left ages
	for _, id := range ids {
		c, err := l.commit(ctx, id)
		if err != nil {
			return nil, err
		}
		left.put(id, slim(c))
	}
	sorted := make([]string, len(ids))
	for i := len(ids) - 1; i >= 0; i-- {
		sorted[i], _ = left.take()
	}
	return sorted, nil
}

// resolve gives the full id of the revision that id, or a prefix of it, names:
// the tip or one of its ancestors.
func (s *Store) resolve(ctx context.Context, l *loader, id string) (string, error) {
	tip, err := s.readable()
	if err != nil {
		return "", err
	}
	id = strings.ToLower(id)
	if id == tip {
		return tip, nil
	}
	if len(id) < minPrefix || len(id) > s.db.Hash().Len() || strings.Trim(id, "0123456789abcdef") != "" {
		return "", notFound(id)
	}
	m := match{prefix: id, full: s.db.Hash().Valid(id)}
	visit := func(candidate string, _ objects.CommitData) (bool, error) { return m.add(candidate), nil }
	err = l.descend(ctx, tip, limited(visit))
	if errors.Is(err, errEnough) {
		if err = s.revList(ctx, tip, "--topo-order", m.add); err != nil {
			err = l.descend(ctx, tip, visit)
		}
	}
	if err != nil && (m.found == "" || asFrozen(err) == nil) {
		return "", err
	}
	return m.result()
}

// match collects what a prefix could mean.
type match struct {
	prefix string
	full   bool // the prefix is a whole id
	found  string
	double bool
}

// add says whether to go on.
func (m *match) add(id string) bool {
	if strings.HasPrefix(id, m.prefix) && id != m.found {
		m.double = m.found != ""
		m.found = id
	}
	return !m.double && !(m.full && m.found != "")
}

func (m *match) result() (string, error) {
	switch {
	case m.double:
		return "", &bundle.RuleError{Field: "revision", Value: `"` + m.prefix + `"`, Rule: "names several revisions: give more characters"}
	case m.found == "":
		return "", notFound(m.prefix)
	}
	return m.found, nil
}

func notFound(id string) error {
	return fmt.Errorf("revision %q: %w", bundle.OneLine(id, 64), bundle.ErrNotFound)
}

// revList lets git list the ancestors of a commit, the commit first, until fn
// returns false.
func (s *Store) revList(ctx context.Context, tip, option string, fn func(id string) bool, more ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := s.db.Git(ctx, append(append([]string{"rev-list", option, tip}, more...), "--")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if !fn(lines.Text()) {
			cancel()
			cmd.Wait()
			return nil
		}
	}
	return cmd.Wait()
}
