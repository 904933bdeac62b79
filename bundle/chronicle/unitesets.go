package chronicle

import (
	"slices"
	"strconv"
)

// decideItems decides a list whose items unite.
func (m *merger) decideItems(start *side, key string) headWrite {
	items := m.items(*start.meta.texts(key), m.run, func(d *delta) []itemDelta { return d.sets[key] }, itself)
	if slices.Equal(items, *start.meta.texts(key)) {
		return headWrite{}
	}
	c := change{key: key}
	if len(items) > 0 {
		c.value = value{kind: list, list: items}
	}
	return headWrite{changes: []change{c}, version: m.tops[len(m.tops)-1]}
}

func itself(item string) string { return item }

// items unites a list. Each item is decided for itself; what stays keeps the
// order of the start, what the others add follows in the order of the versions.
// name makes one of the ways to write the same item.
func (m *merger) items(start []string, versions []int, of func(*delta) []itemDelta, name func(string) string) (items []string) {
	came, touched := map[string][]int{}, map[string][]int{}
	for _, v := range versions {
		for _, i := range of(m.deltas[v]) {
			n := name(i.item)
			if i.added {
				came[n] = append(came[n], v)
			}
			touched[n] = append(touched[n], v)
		}
	}
	stays := func(n string) bool {
		deciders := m.maximal(touched[n])
		return len(deciders) == 0 || slices.ContainsFunc(deciders, func(v int) bool { return slices.Contains(came[n], v) })
	}
	has := map[string]bool{}
	for _, item := range start {
		if n := name(item); stays(n) {
			items = append(items, item)
			has[n] = true
		}
	}
	for _, v := range versions {
		for _, i := range of(m.deltas[v]) {
			if n := name(i.item); i.added && !has[n] && stays(n) {
				items = append(items, i.item)
				has[n] = true
			}
		}
	}
	return items
}

// commitNames gives all ways to write a commit that occur one name: the longest
// of them.
func (m *merger) commitNames(start *side) func(string) string {
	ids := slices.Concat(start.meta.Hashes, m.base.meta.Hashes)
	for _, v := range m.run {
		for _, i := range m.deltas[v].sets["hash"] {
			ids = append(ids, i.item)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	names := make(map[string]string, len(ids))
	for i, id := range slices.Backward(ids) {
		names[id] = id
		if i+1 < len(ids) && len(ids[i+1]) > len(id) && SameCommit(id, ids[i+1]) {
			names[id] = names[ids[i+1]]
		}
	}
	return func(id string) string { return names[id] }
}

// decideHashes decides the stamps.
func (m *merger) decideHashes(start *side) headWrite {
	after := start.meta
	after.Hashes = m.items(start.meta.Hashes, m.run, func(d *delta) []itemDelta { return d.sets["hash"] }, m.commitNames(start))
	if slices.Equal(after.Hashes, start.meta.Hashes) {
		return headWrite{}
	}
	return headWrite{
		changes: hashChanges(&after, start.part("hash").present, start.part("hashes").present),
		version: m.tops[len(m.tops)-1],
	}
}

// decideStat sums what the versions added to the stat.
func (m *merger) decideStat(start *side) headWrite {
	sum := m.base.meta.Stat
	for _, v := range m.counted(m.commitNames(start)) {
		d := m.deltas[v].stat
		sum.Files += d.Files
		sum.Added += d.Added
		sum.Deleted += d.Deleted
	}
	c := change{key: "stat"}
	deciders := m.deciders(func(d *delta) bool { return d.key("stat") != nil })
	if slices.ContainsFunc(deciders, func(v int) bool { return m.deltas[v].key("stat").present }) {
		c.value = value{kind: mapping, keys: []string{"f", "a", "d"}}
		for _, n := range []int{sum.Files, sum.Added, sum.Deleted} {
			c.value.list = append(c.value.list, strconv.Itoa(max(0, n)))
		}
	}
	var after Stat
	after.set(c.value)
	if has := start.part("stat").present; has == (c.value.kind != empty) && after == start.meta.Stat {
		return headWrite{}
	}
	return headWrite{changes: []change{c}, version: m.tops[len(m.tops)-1]}
}

// counted are the versions whose share of the stat counts: of those side by side
// that stamped the same commits, or carried them over in the same way, the one
// that did most of it, or else the later.
func (m *merger) counted(name func(string) string) (vs []int) {
	stamped := map[int][]itemDelta{}
	of := map[itemDelta][]int{}
	for _, v := range m.changers(func(d *delta) bool { return d.key("stat") != nil || len(d.sets["hash"]) > 0 }) {
		for _, i := range m.deltas[v].sets["hash"] {
			i.item = name(i.item)
			stamped[v] = append(stamped[v], i)
		}
		for _, i := range stamped[v] {
			of[i] = append(of[i], v)
		}
		vs = append(vs, v)
	}
	again := func(v, w int) bool {
		switch {
		case !m.beside(v, w) || len(stamped[v]) > len(stamped[w]):
			return false
		case len(stamped[v]) == len(stamped[w]) && m.rank[v] > m.rank[w]:
			return false
		case len(stamped[v]) == 0:
			return m.deltas[v].after.meta.Stat == m.deltas[w].after.meta.Stat
		}
		return !slices.ContainsFunc(stamped[v], func(i itemDelta) bool { return !slices.Contains(stamped[w], i) })
	}
	return slices.DeleteFunc(vs, func(v int) bool {
		others := vs
		if len(stamped[v]) > 0 {
			others = of[stamped[v][0]]
		}
		return slices.ContainsFunc(others, func(w int) bool { return again(v, w) })
	})
}
