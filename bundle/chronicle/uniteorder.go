package chronicle

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// history is the order of versions: their causality, and beside it a rank for
// those that are side by side.
type history struct {
	versions []Version
	below    []bitset
	rank     []int // by time, then id
}

// bitset is a set of versions.
type bitset []uint64

func (b bitset) has(v int) bool { return b[v/64]&(1<<(v%64)) != 0 }
func (b bitset) add(v int)      { b[v/64] |= 1 << (v % 64) }
func (b bitset) join(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

func newHistory(versions []Version) (*history, error) {
	h := &history{versions: versions, below: make([]bitset, len(versions)), rank: make([]int, len(versions))}
	byRank := make([]int, len(versions))
	for i, v := range versions {
		byRank[i] = i
		if v.After == nil {
			return nil, fmt.Errorf("version %d of the note has no content", i)
		}
		h.below[i] = make(bitset, (len(versions)+63)/64)
		for _, j := range slices.Backward(v.Below) {
			if j < 0 || j >= i {
				return nil, fmt.Errorf("version %d of the note has version %d below it, which does not come before it", i, j)
			}
			if !h.below[i].has(j) {
				h.below[i].add(j)
				h.below[i].join(h.below[j])
			}
		}
	}
	slices.SortFunc(byRank, func(i, j int) int {
		a, b := &versions[i], &versions[j]
		if order := cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)); order != 0 {
			return order
		}
		return cmp.Or(bytes.Compare(a.After, b.After), bytes.Compare(a.Before, b.Before))
	})
	for rank, i := range byRank {
		h.rank[i] = rank
	}
	return h, nil
}

func (h *history) byRank(a, b int) int { return h.rank[a] - h.rank[b] }

// beside tells two versions of which neither has the other below it.
func (h *history) beside(a, b int) bool {
	return a != b && !h.below[a].has(b) && !h.below[b].has(a)
}

// maximal are those of some versions that no other of them has below it, the
// latest last.
func (h *history) maximal(vs []int) (tops []int) {
	if len(vs) == 0 {
		return nil
	}
	vs = slices.Clone(vs)
	slices.Sort(vs) // parents first
	covered := make(bitset, len(h.below[0]))
	for _, v := range slices.Backward(vs) {
		if !covered.has(v) {
			tops = append(tops, v)
		}
		covered.join(h.below[v])
	}
	slices.SortFunc(tops, h.byRank)
	return tops
}

// runs cuts the versions wherever all that follow have all that precede below
// them, each run in order of rank. There is one way to do that, so it does not
// matter at which of the cuts a merge begins.
func (h *history) runs() (runs [][]int) {
	n := len(h.versions)
	order := make([]int, n)
	size := make([]int, n)
	for i := range order {
		order[i], size[i] = i, h.below[i].count()
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(size[a]-size[b], a-b) })
	// least[k] is how far the order is below every version from k on.
	least := make([]int, n+1)
	least[n] = n
	for k := n - 1; k >= 0; k-- {
		have, limit := 0, min(k, least[k+1])
		for have < limit && h.below[order[k]].has(order[have]) {
			have++
		}
		least[k] = have
	}
	start := 0
	for k := 1; k <= n; k++ {
		if k == n || least[k] >= k {
			run := slices.Clone(order[start:k])
			slices.SortFunc(run, h.byRank)
			runs = append(runs, run)
			start = k
		}
	}
	return runs
}
