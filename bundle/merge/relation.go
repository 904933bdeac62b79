package merge

import "context"

// Relation says what two histories have that the other lacks, counted in
// revisions that are no merges.
type Relation struct {
	OnlyA, OnlyB int
	// AUnderB and BUnderA tell whether one tip is at or below the other itself.
	AUnderB, BUnderA bool
	// Related tells whether they have a revision in common.
	Related bool
}

// Relate compares the histories of two tips.
func Relate(ctx context.Context, h History, a, b string) (Relation, error) {
	r, err := explore(ctx, h, []string{a, b})
	if err != nil {
		return Relation{}, err
	}
	underA, underB := r.under(a), r.under(b)
	rel := Relation{AUnderB: underB[a], BUnderA: underA[b], Related: r.floor() != ""}
	for id, link := range r.links {
		switch plain := len(link.Parents) < 2; {
		case underA[id] && underB[id]:
			rel.Related = true
		case plain && underA[id]:
			rel.OnlyA++
		case plain:
			rel.OnlyB++
		}
	}
	return rel, nil
}

// under are the revisions at or below one, of the region and its floor.
func (r *region) under(id string) map[string]bool {
	seen := map[string]bool{}
	for open := []string{id}; len(open) > 0; {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if link, ok := r.links[id]; ok {
			open = append(open, link.Parents...)
		}
	}
	return seen
}
