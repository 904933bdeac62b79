package merge

import (
	"slices"
)

// family tells apart what different machines named alike without knowing of each
// other: items with one id, or notes with one path. Of what was made side by side
// the group that was made first keeps the name, the others are named after the
// event that made them.
type family struct {
	g      *graph
	name   string
	runs   [][]int     // the nodes that made something of this name, in runs
	run    map[int]int // of each of them
	group  map[int]int // of each of them, within its run
	firsts [][]int     // the earliest of each group of each run
	rename func(name, mark string) string
	taken  func(name string) bool // somebody calls something else so
}

// newFamily groups creations by what says that they are the same. It returns nil
// where there is nothing to tell apart: no two were made side by side with a
// difference.
//
// What was made anew after it was gone is not side by side with what was there
// before. So creations are cut into runs, wherever all that follow have all that
// precede below them; a floor is such a cut, and so it changes nothing.
func newFamily(g *graph, name string, made []int, same func(int) string, rename func(name, mark string) string) *family {
	f := &family{g: g, name: name, run: map[int]int{}, group: map[int]int{}, rename: rename}
	slices.Sort(made) // parents first
	for k := 0; k < len(made); {
		end := k + 1
		for end < len(made) && !f.cut(made, end) {
			end++
		}
		f.add(slices.Clone(made[k:end]), same)
		k = end
	}
	if !slices.ContainsFunc(f.firsts, func(firsts []int) bool { return len(firsts) > 1 }) {
		return nil
	}
	return f
}

// cut tells whether all from k on have all before it below them.
func (f *family) cut(made []int, k int) bool {
	for _, j := range made[k:] {
		for _, i := range made[:k] {
			if !f.g.below(i, j) {
				return false
			}
		}
	}
	return true
}

// add makes a run of nodes and finds its groups: nodes that made the same, each
// side by side with all others of its group.
func (f *family) add(nodes []int, same func(int) string) {
	f.g.sort(nodes)
	var groups [][]int
	for _, i := range nodes {
		at := slices.IndexFunc(groups, func(members []int) bool {
			return same(members[0]) == same(i) && !slices.ContainsFunc(members, func(j int) bool { return !f.g.apart(i, j) })
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
		f.run[i], f.group[i] = len(f.runs), at
	}
	var firsts []int
	for _, members := range groups {
		firsts = append(firsts, members[0])
	}
	f.runs, f.firsts = append(f.runs, nodes), append(f.firsts, firsts)
}

// called is the name of what a node made, now.
func (f *family) called(maker int) string {
	run, group := f.run[maker], f.group[maker]
	if group == 0 {
		return f.name
	}
	first := f.firsts[run][group]
	for _, mark := range marks(f.g.nodes[first].Revision) {
		name := f.rename(f.name, mark)
		twice := slices.ContainsFunc(f.makers(), func(i int) bool {
			return !(f.run[i] == run && f.group[i] == group) && slices.Contains(f.aliasesOf(i), name)
		})
		if !twice && !f.taken(name) {
			return name
		}
	}
	return f.rename(f.name, f.g.nodes[first].ID)
}

func (f *family) makers() []int { return slices.Concat(f.runs...) }

// of is the node whose thing a node means by the family's name, -1 for what
// nobody in the region made.
func (f *family) of(node int) int {
	if _, ok := f.group[node]; ok {
		return node
	}
	for _, run := range slices.Backward(f.runs) {
		var below []int
		for _, i := range run {
			if f.g.under(i, node) {
				below = append(below, i)
			}
		}
		if len(below) == 0 {
			continue
		}
		top := f.g.maximal(below)
		for _, i := range top[1:] {
			if f.group[i] != f.group[top[0]] {
				return below[0] // above a merge, where the earliest has the name
			}
		}
		return top[0]
	}
	return -1
}

// now is the present name of what a node means by the family's name.
func (f *family) now(node int) string {
	if maker := f.of(node); maker >= 0 {
		return f.called(maker)
	}
	return f.name
}

// aliasesOf are the names that merges may give to what a node made.
func (f *family) aliasesOf(maker int) []string {
	var names []string
	for _, mark := range marks(f.g.nodes[maker].Revision) {
		names = append(names, f.rename(f.name, mark))
	}
	return names
}

// names resolves what nodes call things to what they are called now.
type names struct {
	g        *graph
	families map[string]*family
	aliases  map[string][]alias
	// made are the nodes that made something of a name themselves; floor tells
	// whether there is something of that name below all of them.
	made  map[string][]int
	floor func(name string) bool
}

type alias struct {
	family *family
	maker  int
}

func newNames(g *graph, made map[string][]int, floor func(string) bool) *names {
	return &names{g: g, families: map[string]*family{}, aliases: map[string][]alias{}, made: made, floor: floor}
}

func (n *names) add(f *family) {
	if f == nil {
		return
	}
	n.families[f.name] = f
	f.taken = func(name string) bool { return n.floor(name) || len(n.made[name]) > 0 }
	for _, maker := range f.makers() {
		for _, name := range f.aliasesOf(maker) {
			n.aliases[name] = append(n.aliases[name], alias{f, maker})
		}
	}
}

// now is the present name of what a node calls by this one. A name that a merge
// could have given is what it says only where nobody at or below the node made
// something of that name.
func (n *names) now(node int, name string) string {
	if f, ok := n.families[name]; ok {
		return f.now(node)
	}
	for _, a := range n.aliases[name] {
		own := n.floor(name) || slices.ContainsFunc(n.made[name], func(i int) bool { return n.g.under(i, node) })
		if n.g.below(a.maker, node) && !own {
			return a.family.called(a.maker)
		}
	}
	return name
}

// moved are the names by which a node means something that is called otherwise
// now.
func (n *names) moved(node int) map[string]string {
	var moved map[string]string
	for name, f := range n.families {
		if to := f.now(node); to != name {
			if moved == nil {
				moved = map[string]string{}
			}
			moved[name] = to
		}
	}
	return moved
}
