package merge

import (
	"slices"

	"chatrail/bundle"
)

// place is where on the Rail an item stands; next is one of them.
type place int

const (
	nowhere place = iota
	onNext
	onRoute
	inOpen
	inParked
)

var placeNames = [...]string{"nowhere", "next", "the route", "the open list", "the parked list"}

// value is what a Rail says of one id. The zero value is that it does not stand
// there.
type value struct {
	place   place
	summary string
}

// valuesOf are all items of a Rail by their ids.
func valuesOf(r *bundle.Rail) map[string]value {
	values := make(map[string]value, 1+len(r.Route)+len(r.Open)+len(r.Parked))
	for _, p := range []place{onNext, onRoute, inOpen, inParked} {
		for _, item := range listOf(r, p) {
			values[item.ID] = value{p, item.Summary}
		}
	}
	return values
}

// listOf are the items at one place, in their order.
func listOf(r *bundle.Rail, p place) []bundle.Item {
	switch p {
	case onNext:
		if r.Next != nil {
			return []bundle.Item{*r.Next}
		}
	case onRoute:
		return r.Route
	case inOpen:
		return r.Open
	case inParked:
		return r.Parked
	}
	return nil
}

// itemsOf are all items of a Rail.
func itemsOf(r *bundle.Rail) []bundle.Item {
	return slices.Concat(listOf(r, onNext), r.Route, r.Open, r.Parked)
}

// touch is a change of one id by one node.
type touch struct {
	node          int
	id            string // as that node calls it
	before, after value
	follows       bool // it moved because another item did
}

func (t touch) creates() bool { return t.before.place == nowhere && t.after.place != nowhere }

// touchesOf lists the ids in which two Rails differ.
func touchesOf(old, now map[string]value, node int) []touch {
	var touches []touch
	for id, v := range now {
		if old[id] != v {
			touches = append(touches, touch{node: node, id: id, before: old[id], after: v})
		}
	}
	for id, v := range old {
		if _, stays := now[id]; !stays {
			touches = append(touches, touch{node: node, id: id, before: v})
		}
	}
	return touches
}
