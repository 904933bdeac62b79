package merge

import (
	"context"
	"slices"
)

// region is the part of a history that a merge has to look at: everything that
// is at or above its heads and not at or below its floor. The floor is one
// revision that everything in the region has below it, so that what nobody in
// the region changed is as it was there.
type region struct {
	history History
	links   map[string]Link // of the region
	open    map[string]Link // seen, not yet part of it
	rooted  bool            // a line ended: nothing can be below all others
}

// explore reads down from the heads until one revision is below everything that
// was read. A head that is below another one is no head of its own.
func explore(ctx context.Context, h History, heads []string) (*region, error) {
	r := &region{history: h, links: map[string]Link{}, open: map[string]Link{}}
	if err := r.add(ctx, heads); err != nil {
		return nil, err
	}
	return r, r.settle(ctx)
}

// floor is the revision below everything in the region, "" where the region goes
// down to where the history begins.
func (r *region) floor() string {
	for id := range r.open {
		return id
	}
	return ""
}

// deeper takes the floor into the region and looks for the next one.
func (r *region) deeper(ctx context.Context) error {
	if err := r.take(ctx, r.floor()); err != nil {
		return err
	}
	return r.settle(ctx)
}

// beginning takes the first revision out of a region that goes down to it, where
// there is one: everything else has it below it. It is "" where several histories
// began apart.
func (r *region) beginning() string {
	first := ""
	for id, link := range r.links {
		if len(link.Parents) > 0 {
			continue
		}
		if first != "" {
			return ""
		}
		first = id
	}
	delete(r.links, first)
	return first
}

func (r *region) settle(ctx context.Context) error {
	for len(r.open) > 1 || len(r.open) == 1 && r.rooted {
		if err := r.take(ctx, youngest(r.open)); err != nil {
			return err
		}
	}
	return nil
}

func (r *region) take(ctx context.Context, id string) error {
	link := r.open[id]
	delete(r.open, id)
	r.links[id] = link
	r.rooted = r.rooted || len(link.Parents) == 0
	return r.add(ctx, link.Parents)
}

func (r *region) add(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, done := r.links[id]; done {
			continue
		}
		if _, waits := r.open[id]; waits {
			continue
		}
		link, err := r.history.Link(ctx, id)
		if err != nil {
			return err
		}
		r.open[id] = link
	}
	return nil
}

// youngest is the revision whose children have all been seen, as far as clocks
// tell. A clock that is wrong makes the region larger, never wrong: what is
// below the floor could only be in the region if a line from it to the root was,
// and then there is no floor.
func youngest(open map[string]Link) string {
	best := ""
	for id, link := range open {
		switch c := link.When.Compare(open[best].When); {
		case best == "", c > 0, c == 0 && id > best:
			best = id
		}
	}
	return best
}

// sorted lists the region, parents before children. Revisions without an order
// between them come in that of their ids.
func (r *region) sorted() []string {
	waits := map[string]int{} // parents in the region that are not listed yet
	children := map[string][]string{}
	var ready []string
	for id, link := range r.links {
		n := 0
		for _, p := range slices.Compact(slices.Sorted(slices.Values(link.Parents))) {
			if _, ok := r.links[p]; ok {
				n++
				children[p] = append(children[p], id)
			}
		}
		if waits[id] = n; n == 0 {
			ready = append(ready, id)
		}
	}
	slices.Sort(ready)
	list := make([]string, 0, len(r.links))
	for len(ready) > 0 {
		id := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		list = append(list, id)
		next := children[id]
		slices.Sort(next)
		for _, c := range next {
			if waits[c]--; waits[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	return list
}
