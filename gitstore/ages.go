package gitstore

import (
	"container/heap"

	"chatrail/gitstore/objects"
)

// ages are commits of which the youngest is taken first. A history can be made
// as wide as long, so finding it must not mean to look at all of them.
type ages []aged

type aged struct {
	id string
	c  objects.CommitData
}

func (a *ages) put(id string, c objects.CommitData) { heap.Push((*ageHeap)(a), aged{id, c}) }

func (a *ages) take() (string, objects.CommitData) {
	top := heap.Pop((*ageHeap)(a)).(aged)
	return top.id, top.c
}

// younger orders commits by their time, and by their ids where that is the same.
func (a aged) younger(b aged) bool {
	if !a.c.Committer.When.Equal(b.c.Committer.When) {
		return a.c.Committer.When.After(b.c.Committer.When)
	}
	return a.id > b.id
}

type ageHeap []aged

func (h ageHeap) Len() int           { return len(h) }
func (h ageHeap) Less(i, j int) bool { return h[i].younger(h[j]) }
func (h ageHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ageHeap) Push(x any)        { *h = append(*h, x.(aged)) }

func (h *ageHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
