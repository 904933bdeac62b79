package merge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
)

// noteTouch is a note that one node wrote.
type noteTouch struct {
	node int
	path string // as that node calls it
}

// notes decides every note that somebody wrote in the region.
func (p *part) notes(ctx context.Context, res *Result, asides *[]Aside) error {
	g := p.graph
	byPath := map[string][]int{}
	for i, n := range g.nodes {
		for _, at := range n.Wrote {
			byPath[at] = append(byPath[at], i)
		}
	}
	called, err := p.noteNames(ctx, byPath)
	if err != nil {
		return err
	}
	now := map[string][]noteTouch{}
	holds := map[string]map[int]bool{}
	for _, at := range slices.Sorted(maps.Keys(byPath)) {
		for _, i := range byPath[at] {
			name := called.now(i, at)
			if holds[name][i] {
				name = at // one node cannot mean one note by two names
			}
			if holds[name] == nil {
				holds[name] = map[int]bool{}
			}
			holds[name][i] = true
			now[name] = append(now[name], noteTouch{i, at})
		}
	}
	if p.failed != nil {
		return p.failed
	}
	for _, at := range slices.Sorted(maps.Keys(now)) {
		touches := now[at]
		slices.SortFunc(touches, func(a, b noteTouch) int { return a.node - b.node })
		note, lost, err := p.note(ctx, called, at, touches)
		if err != nil {
			return err
		}
		if note.From != "" && len(called.families) == 0 {
			note.Side = p.side(res.Parents, note.From)
		}
		res.Notes = append(res.Notes, note)
		*asides = append(*asides, lost...)
	}
	slices.SortFunc(res.Notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(*asides, func(a, b Aside) int {
		if a.Field != "note" || b.Field != "note" {
			return 0 // the others come first and in order
		}
		return strings.Compare(a.ID, b.ID)
	})
	return nil
}

// noteNames finds the paths that were given twice. Notes with the same bytes are
// one.
func (p *part) noteNames(ctx context.Context, byPath map[string][]int) (*names, error) {
	made := map[string][]int{}
	floor := func(at string) bool {
		if p.floor == "" {
			return false
		}
		has, err := p.history.HasNote(ctx, p.floor, at)
		p.failed = errors.Join(p.failed, err)
		return has
	}
	n := newNames(p.graph, made, floor)
	content := map[string]map[int]string{}
	paths := slices.Sorted(maps.Keys(byPath))
	for _, at := range paths {
		if p.oneChain(byPath[at]) {
			continue
		}
		if err := p.makers(ctx, at, byPath[at], made, content); err != nil {
			return nil, err
		}
		if len(made[at]) > 1 {
			n.add(newFamily(p.graph, at, slices.Clone(made[at]), func(i int) string { return content[at][i] }, newPath))
		}
	}
	// Whether a name that a merge could have given was made by somebody counts too.
	for _, at := range paths {
		if n.aliases[at] != nil && made[at] == nil {
			if err := p.makers(ctx, at, byPath[at], made, content); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// makers finds the nodes that made a note of a path, and what they made.
func (p *part) makers(ctx context.Context, at string, nodes []int, made map[string][]int, content map[string]map[int]string) error {
	content[at] = map[int]string{}
	for _, i := range nodes {
		had, err := p.had(ctx, i, at)
		if err != nil {
			return err
		}
		if had {
			continue
		}
		data, err := p.history.Note(ctx, p.graph.nodes[i].ID, at)
		if err != nil {
			return err
		}
		made[at] = append(made[at], i)
		content[at][i] = string(data)
	}
	return nil
}

// side is a head at or above a revision.
func (p *part) side(heads []string, id string) string {
	n := p.graph.nodes[p.graph.at[id]]
	i := slices.IndexFunc(heads, func(h string) bool { return saw(p.graph.seen[h], n) })
	return heads[i]
}

// oneChain tells whether nodes lie in one line.
func (p *part) oneChain(nodes []int) bool {
	for _, i := range nodes[1:] {
		if p.graph.nodes[i].chain != p.graph.nodes[nodes[0]].chain {
			return false
		}
	}
	return true
}

// had tells whether a note was there before a node wrote it.
func (p *part) had(ctx context.Context, i int, at string) (bool, error) {
	parents := p.graph.nodes[i].Parents
	if len(parents) == 0 {
		return false, nil
	}
	return p.history.HasNote(ctx, parents[0], at)
}

// note decides one note.
func (p *part) note(ctx context.Context, called *names, at string, touches []noteTouch) (Note, []Aside, error) {
	g := p.graph
	paths := map[int]string{}
	nodes := make([]int, 0, len(touches))
	for _, t := range touches {
		paths[t.node] = t.path
		nodes = append(nodes, t.node)
	}
	if top := g.maximal(nodes); len(top) == 1 {
		i := top[0]
		note := Note{Path: at, From: g.nodes[i].ID, FromPath: paths[i]}
		moved := called.moved(i)
		if len(moved) == 0 {
			return note, nil, nil
		}
		before, err := p.history.Note(ctx, note.From, note.FromPath)
		if err != nil {
			return Note{}, nil, err
		}
		if after := chronicle.Rename(before, moved); string(after) != string(before) {
			note = Note{Path: at, Data: after}
		}
		return note, nil, nil
	}
	versions := make([]chronicle.Version, len(nodes))
	chains := map[int][]int{} // the versions so far, in the order of their chain
	for k, i := range nodes {
		n := g.nodes[i]
		v := chronicle.Version{Time: n.Time, ID: n.EventID}
		var err error
		if v.After, err = p.history.Note(ctx, n.ID, paths[i]); err != nil {
			return Note{}, nil, err
		}
		if len(n.Parents) > 0 {
			if v.Before, err = p.history.Note(ctx, n.Parents[0], paths[i]); err != nil && !errors.Is(err, bundle.ErrNotFound) {
				return Note{}, nil, err
			}
		}
		if moved := called.moved(i); len(moved) > 0 {
			v.After = chronicle.Rename(v.After, moved)
			if v.Before != nil {
				v.Before = chronicle.Rename(v.Before, moved)
			}
		}
		// Of each chain the highest is enough: the others are below that one.
		for _, below := range chains {
			m, _ := slices.BinarySearchFunc(below, i, func(m, i int) int {
				if saw(g.nodes[i].seen, g.nodes[nodes[m]]) {
					return -1
				}
				return 1
			})
			if m > 0 {
				v.Below = append(v.Below, below[m-1])
			}
		}
		slices.Sort(v.Below)
		chains[n.chain] = append(chains[n.chain], k)
		versions[k] = v
	}
	var base []byte
	if p.floor != "" {
		var err error
		if base, err = p.history.Note(ctx, p.floor, at); err != nil && !errors.Is(err, bundle.ErrNotFound) {
			return Note{}, nil, err
		}
	}
	united, err := chronicle.Unite(base, versions)
	if err != nil {
		return Note{}, nil, err
	}
	var asides []Aside
	for _, a := range united.SetAside {
		asides = append(asides, Aside{Field: "note", ID: at, Event: versions[a.Version].ID})
	}
	return Note{Path: at, Data: united.Data}, asides, nil
}
