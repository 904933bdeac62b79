package work

import (
	"slices"

	"chatrail/bundle"
	"chatrail/bundle/merge"
)

// Unsettled is an item that keeps what a merge set aside.
type Unsettled struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
}

// unsettledItems are those of a Rail, wherever somebody put them.
func unsettledItems(r bundle.Rail) []Unsettled {
	items := slices.Concat(r.Route, r.Open, r.Parked)
	if r.Next != nil {
		items = append(items, *r.Next)
	}
	var list []Unsettled
	for _, i := range items {
		if merge.IsSetAside(i) {
			list = append(list, Unsettled{i.ID, i.Summary})
		}
	}
	return list
}
