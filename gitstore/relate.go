package gitstore

import (
	"bufio"
	"context"
	"strings"

	"chatrail/bundle/merge"
)

// Relate compares the histories of two tips of this repository, of which one may
// still have to be inspected. Git tells it from the shape of the histories alone;
// where it does not, as when an object is lost, every revision is read.
func (s *Store) Relate(ctx context.Context, a, b string) (merge.Relation, error) {
	if rel, err := s.gitRelate(ctx, a, b); err == nil {
		return rel, nil
	}
	l := s.loader()
	defer l.Close()
	return merge.Relate(ctx, s.past(l, a, b), a, b)
}

func (s *Store) gitRelate(ctx context.Context, a, b string) (merge.Relation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := s.db.Git(ctx, "rev-list", "--left-right", "--boundary", "--parents", a+"..."+b, "--")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return merge.Relation{}, err
	}
	if err := cmd.Start(); err != nil {
		return merge.Relation{}, err
	}
	rel := merge.Relation{AUnderB: true, BUnderA: true}
	for lines := bufio.NewReader(out); ; {
		id, parents, err := listedCommit(lines)
		if err != nil {
			break
		}
		plain := 1
		if strings.Contains(parents, " ") {
			plain = 0 // merges do not count
		}
		switch id[0] {
		case '<':
			rel.AUnderB = false
			rel.OnlyA += plain
		case '>':
			rel.BUnderA = false
			rel.OnlyB += plain
		default:
			rel.Related = true // both have it
		}
	}
	rel.Related = rel.Related || rel.AUnderB || rel.BUnderA
	return rel, cmd.Wait()
}
