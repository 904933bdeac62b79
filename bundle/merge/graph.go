package merge

import (
	"cmp"
	"slices"

	"chatrail/bundle"
)

// node is one revision of the region that is no merge.
type node struct {
	*Revision
	before *bundle.State // of its parent, nil where the history begins
	chain  int
	pos    int // in its chain, from 1
	seen   []int
}

// graph is the order of causation among the nodes of a region. It is kept as
// vectors over chains, of which there are about as many as machines that wrote:
// each node knows how far up each chain it has seen.
type graph struct {
	nodes  []*node // parents before children
	chains [][]int // indexes of nodes
	at     map[string]int
	seen   map[string][]int // of every revision of the region, merges too
}

func newGraph(r *region, ids []string, revs map[string]*Revision) *graph {
	g := &graph{at: map[string]int{}, seen: map[string][]int{}}
	for _, id := range ids {
		rev := revs[id]
		var seen []int
		for _, p := range rev.Parents {
			seen = join(seen, g.seen[p])
		}
		if len(rev.Parents) < 2 {
			n := &node{Revision: rev, seen: seen}
			if len(rev.Parents) == 1 {
				n.before = &revs[rev.Parents[0]].State
			}
			g.place(n)
			seen = n.seen
		}
		g.seen[id] = seen
	}
	return g
}

// place puts a node at the end of a chain whose end it has seen, or starts one.
func (g *graph) place(n *node) {
	n.chain = slices.IndexFunc(n.seen, func(pos int) bool { return pos > 0 })
	for n.chain >= 0 && n.chain < len(n.seen) && n.seen[n.chain] < len(g.chains[n.chain]) {
		n.chain++
	}
	if n.chain < 0 || n.chain >= len(n.seen) {
		n.chain = len(g.chains)
		g.chains = append(g.chains, nil)
	}
	n.pos = len(g.chains[n.chain]) + 1
	grown := make([]int, max(len(n.seen), n.chain+1))
	copy(grown, n.seen)
	grown[n.chain] = n.pos
	n.seen = grown
	i := len(g.nodes)
	g.chains[n.chain] = append(g.chains[n.chain], i)
	g.nodes = append(g.nodes, n)
	g.at[n.ID] = i
}

// join is the larger of two vectors in each place. It may return one of them.
func join(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	var joined []int
	for i, pos := range b {
		if pos > a[i] {
			if joined == nil {
				joined = slices.Clone(a)
			}
			joined[i] = pos
		}
	}
	if joined == nil {
		return a
	}
	return joined
}

// under tells whether node i is node j or below it.
func (g *graph) under(i, j int) bool { return saw(g.nodes[j].seen, g.nodes[i]) }

// below tells whether node i is below node j, and not the same.
func (g *graph) below(i, j int) bool { return i != j && g.under(i, j) }

// apart tells whether neither of two nodes is below the other.
func (g *graph) apart(i, j int) bool { return !g.under(i, j) && !g.under(j, i) }

func saw(seen []int, n *node) bool { return n.chain < len(seen) && seen[n.chain] >= n.pos }

// maximal are the nodes that no other of these has below it.
func (g *graph) maximal(nodes []int) []int {
	last := map[int]int{} // the highest of each chain
	for _, i := range nodes {
		if j, ok := last[g.nodes[i].chain]; !ok || g.nodes[i].pos > g.nodes[j].pos {
			last[g.nodes[i].chain] = i
		}
	}
	var top []int
	for _, i := range last {
		covered := false
		for _, j := range last {
			covered = covered || g.below(i, j)
		}
		if !covered {
			top = append(top, i)
		}
	}
	g.sort(top)
	return top
}

// sort orders nodes by their events, the earliest first.
func (g *graph) sort(nodes []int) {
	slices.SortFunc(nodes, g.compare)
}

// compare is the order of events where causation does not decide: their times,
// then their ids.
func (g *graph) compare(i, j int) int {
	a, b := g.nodes[i], g.nodes[j]
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.EventID, b.EventID), cmp.Compare(a.ID, b.ID))
}

// heads are the nodes that no node has below it, the newest first.
func (g *graph) heads() []int {
	var ends []int
	for _, c := range g.chains {
		ends = append(ends, c[len(c)-1])
	}
	heads := g.maximal(ends)
	slices.Reverse(heads)
	return heads
}
