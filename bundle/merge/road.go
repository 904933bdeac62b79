package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"chatrail/bundle"
)

// decided is what stands for one id of the Rail.
type decided struct {
	id    string
	value value
	by    int // the node whose word it is, -1 where nobody in the region changed it
	since int // of an item on next: the node that put it there, -1 likewise
}

// aside is a value that does not stand.
type aside struct {
	field string // "north", "compass", or the id of an item
	item  bool   // it is the id of an item
	nodes []int  // whose word it was, earliest first
	text  string // of the open item
	// settle is the id of the open item.
	settle string
}

// road decides the items of the Rail.
type road struct {
	g       *graph
	names   *names
	settled map[string]bool // ids of items that somebody who had them touched
	slots   []int           // nodes that put something else on next, or nothing
	items   map[string]decided
	asides  []aside
	dropped []decided // live by the last word on them, and left out by a merge since
	heads   []int
	present map[int]map[string]bool // of each head
}

func newRoad(g *graph, floor *bundle.State) *road {
	r := &road{g: g, settled: map[string]bool{}, items: map[string]decided{}}
	if floor != nil {
		for id, v := range valuesOf(&floor.Rail) {
			r.items[id] = decided{id, v, -1, -1}
		}
	}
	byID := r.read()
	r.look()
	now := map[string][]touch{}
	holds := map[string]map[int]bool{} // the nodes whose word a name has already
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		for _, t := range byID[id] {
			name := r.names.now(t.node, id)
			if holds[name][t.node] {
				name = id // one node cannot mean one thing by two names
			}
			if holds[name] == nil {
				holds[name] = map[int]bool{}
			}
			holds[name][t.node] = true
			now[name] = append(now[name], t)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		r.decide(name, now[name])
	}
	return r
}

// read collects what nodes changed, by the ids that they use.
func (r *road) read() map[string][]touch {
	byID := map[string][]touch{}
	seen := map[*bundle.Rail]map[string]value{}
	values := func(rail *bundle.Rail) map[string]value {
		if seen[rail] == nil {
			seen[rail] = valuesOf(rail)
		}
		return seen[rail]
	}
	for i, n := range r.g.nodes {
		if sameRail(&n.before.Rail, &n.State.Rail) {
			continue
		}
		if idOf(n.before.Rail.Next) != idOf(n.State.Rail.Next) {
			r.slots = append(r.slots, i)
		}
		for _, t := range touchesOf(values(&n.before.Rail), values(&n.State.Rail), i) {
			t.follows = follows(t, n)
			byID[t.id] = append(byID[t.id], t)
			r.settled[t.id] = r.settled[t.id] || !t.creates()
		}
	}
	made := map[string][]int{}
	summaries := map[string]map[int]string{}
	for id, touches := range byID {
		for _, t := range touches {
			if t.creates() {
				made[id] = append(made[id], t.node)
				if summaries[id] == nil {
					summaries[id] = map[int]string{}
				}
				summaries[id][t.node] = t.after.summary
			}
		}
	}
	floor := maps.Clone(r.items)
	r.names = newNames(r.g, made, func(id string) bool { _, ok := floor[id]; return ok })
	for id, nodes := range made {
		if len(nodes) > 1 {
			r.names.add(newFamily(r.g, id, slices.Clone(nodes), func(i int) string { return summaries[id][i] }, newID))
		}
	}
	return byID
}

// follows tells whether an item moved only because another one did: it was
// pushed from next onto the route, or came to next when what stood there was
// finished or put away. That is no word about the item.
func follows(t touch, n *node) bool {
	if t.before.summary != t.after.summary {
		return false
	}
	switch {
	case t.before.place == onNext && t.after.place == onRoute:
		return n.State.Rail.Next != nil
	case t.before.place == onRoute && t.after.place == onNext:
		old := n.before.Rail.Next
		return old != nil && !slices.ContainsFunc(n.State.Rail.Route, func(i bundle.Item) bool { return i.ID == old.ID })
	}
	return false
}

// decide lets the changes that no other change has below it decide an id: the
// latest that leaves it standing. What only followed another item gives way to
// every word; and so does, to a removal, a word that says what the removal
// already knew.
func (r *road) decide(id string, touches []touch) {
	said := map[int]touch{}
	nodes := make([]int, 0, len(touches))
	for _, t := range touches {
		said[t.node] = t
		nodes = append(nodes, t.node)
	}
	top := r.g.maximal(nodes)
	if slices.ContainsFunc(top, func(i int) bool { return !said[i].follows }) {
		top = slices.DeleteFunc(top, func(i int) bool { return said[i].follows })
	}
	var known []value // by those who removed it
	for _, i := range top {
		if said[i].after.place == nowhere {
			known = append(known, said[i].before)
		}
	}
	live := slices.DeleteFunc(slices.Clone(top), func(i int) bool {
		return said[i].after.place == nowhere || slices.Contains(known, said[i].after)
	})
	top = slices.DeleteFunc(slices.Clone(live), func(i int) bool { return r.overruled(id, i) })
	if len(top) == 0 {
		delete(r.items, id)
		if len(live) > 0 && len(known) == 0 {
			by := live[len(live)-1]
			r.dropped = append(r.dropped, decided{id, said[by].after, by, -1})
		}
		return
	}
	by := top[len(top)-1]
	r.items[id] = decided{id, said[by].after, by, r.placed(by, touches)}
	if isSettle(id) {
		return // who settles what was set aside twice has settled it
	}
	r.asides = append(r.asides, losers(top, func(i int) value { return said[i].after }, func(v value, nodes []int) aside {
		// Named as whoever lost called it: that name stays, whatever comes to stand.
		called := said[nodes[0]].id
		return aside{field: called, item: true, nodes: nodes, text: r.g.itemWords(called, v, nodes[0])}
	})...)
}

// overruled tells whether a merge above a word came out otherwise, and somebody has
// written upon it: one of the heads above the word does not have the item. It was
// taken for removed there, or there was no room for it.
func (r *road) overruled(id string, i int) bool {
	return slices.ContainsFunc(r.heads, func(h int) bool { return r.g.below(i, h) && !r.present[h][id] })
}

// look notes which items the heads have, by their present names.
func (r *road) look() {
	r.heads, r.present = r.g.heads(), map[int]map[string]bool{}
	for _, h := range r.heads {
		r.present[h] = map[string]bool{}
		for _, item := range itemsOf(&r.g.nodes[h].State.Rail) {
			r.present[h][r.names.now(h, item.ID)] = true
		}
	}
}

// placed is the node that put an item on next, at or below the one whose word
// stands: to word it anew does not place it. Of several the last, by causation
// first: a placing that others were made upon is past, whatever its clock said.
func (r *road) placed(by int, touches []touch) int {
	var nodes []int
	for _, t := range touches {
		if t.after.place == onNext && t.before.place != onNext && r.g.under(t.node, by) {
			nodes = append(nodes, t.node)
		}
	}
	if len(nodes) == 0 {
		return -1
	}
	last := r.g.maximal(nodes)
	return last[len(last)-1]
}

// losers makes one aside of each value, of nodes that stand side by side, other
// than that of the last.
func losers[T comparable, A any](top []int, said func(int) T, word func(T, []int) A) []A {
	nodes := map[T][]int{}
	var order []T
	for _, i := range top {
		v := said(i)
		if _, ok := nodes[v]; !ok {
			order = append(order, v)
		}
		nodes[v] = append(nodes[v], i)
	}
	var asides []A
	for _, v := range order {
		if v != said(top[len(top)-1]) {
			asides = append(asides, word(v, nodes[v]))
		}
	}
	return asides
}

// derive adds the open items that keep what was set aside. One that somebody
// touched is settled: what they said of it stands. It returns the asides that are
// not settled, in the order of their events, with their items.
func (r *road) derive(all []aside) (asides []aside, fresh []decided) {
	slices.SortStableFunc(all, func(a, b aside) int {
		return cmp.Or(r.g.compare(a.nodes[0], b.nodes[0]), strings.Compare(a.field, b.field))
	})
	for _, a := range all {
		prefix := settlePrefix
		if a.item {
			prefix += "item-"
		}
		prefix += within(a.field) + "-"
		settled := false
		for _, i := range a.nodes {
			for _, mark := range marks(r.g.nodes[i].Revision) {
				settled = settled || r.settled[prefix+mark]
			}
		}
		if settled {
			continue
		}
		for _, mark := range marks(r.g.nodes[a.nodes[0]].Revision) {
			if _, taken := r.items[prefix+mark]; !taken {
				a.settle = prefix + mark
				break
			}
		}
		if a.settle == "" {
			continue
		}
		d := decided{a.settle, value{inOpen, a.text}, a.nodes[0], -1}
		r.items[d.id] = d
		asides, fresh = append(asides, a), append(fresh, d)
	}
	return asides, fresh
}

// rail puts the decided items in order.
func (r *road) rail(north string, fresh []decided) bundle.Rail {
	rail := bundle.Rail{North: north}
	ahead := r.next(&rail)
	listed := map[string]bool{}
	lists := map[place][]bundle.Item{}
	add := func(d decided) {
		if !listed[d.id] {
			listed[d.id] = true
			lists[d.value.place] = append(lists[d.value.place], bundle.Item{ID: d.id, Summary: d.value.summary})
		}
	}
	if rail.Next != nil {
		listed[rail.Next.ID] = true
	}
	for _, p := range []place{onRoute, inOpen, inParked} {
		for _, h := range r.heads {
			for _, item := range listOf(&r.g.nodes[h].State.Rail, p) {
				if d, ok := r.items[r.names.now(h, item.ID)]; ok && d.value.place == p {
					add(d)
				}
			}
		}
	}
	// What no head lists there: it has lost next in this merge, or nobody has seen
	// it before.
	var front []bundle.Item
	for _, d := range ahead {
		if !listed[d.id] {
			listed[d.id] = true
			front = append(front, bundle.Item{ID: d.id, Summary: d.value.summary})
		}
	}
	lists[onRoute] = append(front, lists[onRoute]...)
	var rest []decided
	for id, d := range r.items {
		if !listed[id] && !slices.ContainsFunc(fresh, func(f decided) bool { return f.id == id }) {
			rest = append(rest, d)
		}
	}
	slices.SortFunc(rest, r.latest)
	for _, d := range append(rest, fresh...) {
		add(d)
	}
	rail.Route, rail.Open, rail.Parked = lists[onRoute], lists[inOpen], lists[inParked]
	if rail.Next == nil && len(rail.Route) > 0 && r.vacated() {
		rail.Next, rail.Route = &rail.Route[0], rail.Route[1:]
	}
	return rail
}

// vacated tells whether next came to be empty by the merge alone: none of the last
// to decide about it has emptied it.
func (r *road) vacated() bool {
	return len(r.slots) > 0 && !slices.ContainsFunc(r.g.maximal(r.slots), func(i int) bool { return r.g.nodes[i].State.Rail.Next == nil })
}

// next chooses among the items that were placed on next: the one placed latest.
// The others go onto the route; they are returned, the latest first. An item
// whose place somebody above gave to another, or to none, has lost it.
func (r *road) next(rail *bundle.Rail) []decided {
	var placed, lost []decided
	for _, d := range r.items {
		if d.value.place != onNext {
			continue
		}
		displaced := d.by >= 0 && slices.ContainsFunc(r.slots, func(s int) bool {
			return r.g.below(d.by, s) && r.names.now(s, idOf(r.g.nodes[s].State.Rail.Next)) != d.id
		})
		if displaced {
			lost = append(lost, d)
		} else {
			placed = append(placed, d)
		}
	}
	placed = r.latestPlaced(placed)
	if len(placed) > 0 {
		rail.Next = &bundle.Item{ID: placed[0].id, Summary: placed[0].value.summary}
		lost = append(lost, placed[1:]...)
	}
	lost = r.latestPlaced(lost)
	for i := range lost {
		lost[i].value.place = onRoute
		r.items[lost[i].id] = lost[i]
	}
	return lost
}

// latestPlaced orders items by who put them on next, the latest first: where one
// of two has the other below it that decides, else their events do.
func (r *road) latestPlaced(items []decided) []decided {
	left := slices.Clone(items)
	slices.SortFunc(left, func(a, b decided) int {
		a.by, b.by = a.since, b.since
		return r.latest(a, b)
	})
	ordered := make([]decided, 0, len(left))
	for len(left) > 0 {
		at := slices.IndexFunc(left, func(d decided) bool {
			return !slices.ContainsFunc(left, func(e decided) bool {
				return d.since >= 0 && e.since >= 0 && r.g.below(d.since, e.since)
			})
		})
		ordered = append(ordered, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return ordered
}

// latest orders decisions by the event that made them, the latest first and what
// nobody changed at the end.
func (r *road) latest(a, b decided) int {
	switch {
	case a.by >= 0 && b.by >= 0:
		return cmp.Or(r.g.compare(b.by, a.by), strings.Compare(a.id, b.id))
	case a.by < 0 && b.by < 0:
		return strings.Compare(a.id, b.id)
	}
	return b.by - a.by
}

func idOf(item *bundle.Item) string {
	if item == nil {
		return ""
	}
	return item.ID
}

func sameRail(a, b *bundle.Rail) bool {
	return (a.Next == nil) == (b.Next == nil) && (a.Next == nil || *a.Next == *b.Next) &&
		slices.Equal(a.Route, b.Route) && slices.Equal(a.Open, b.Open) && slices.Equal(a.Parked, b.Parked)
}
