package bundle

import (
	"fmt"
	"slices"
)

// fallbackID names an item whose text has no character fit for an id.
const fallbackID = "item"

// maxID is the length, in characters, of an id that we make, but for a number
// that keeps it apart from another.
const maxID = 32

// road is the items of a Rail while a short form moves them about. Its lists
// are copies.
type road struct {
	next                *Item
	route, open, parked []Item
	ids                 map[string]bool // in use before, or made since
}

func newRoad(r Rail) *road {
	road := &road{
		next:   r.Next,
		route:  slices.Clone(r.Route),
		open:   slices.Clone(r.Open),
		parked: slices.Clone(r.Parked),
		ids:    map[string]bool{},
	}
	for _, item := range road.standing() {
		road.ids[item.ID] = true
	}
	for _, item := range r.Parked {
		road.ids[item.ID] = true
	}
	return road
}

// standing lists what is not parked.
func (r *road) standing() []Item {
	var items []Item
	if r.next != nil {
		items = append(items, *r.next)
	}
	return slices.Concat(items, r.route, r.open)
}

// park moves an item to the end of parked and reports whether it was next.
func (r *road) park(id string) (wasNext bool, err error) {
	item, found := Item{}, r.next != nil && r.next.ID == id
	if found {
		wasNext = true
		item, r.next = *r.next, nil
	}
	if !found {
		item, found = take(&r.route, id)
	}
	if !found {
		item, found = take(&r.open, id)
	}
	if !found {
		return false, unknownID("park", id, "next, route or open", r.standing())
	}
	r.parked = append(r.parked, item)
	return wasNext, nil
}

// take removes the item with an id from a list.
func take(list *[]Item, id string) (Item, bool) {
	i := indexByID(*list, id)
	if i < 0 {
		return Item{}, false
	}
	item := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return item, true
}

func indexByID(items []Item, id string) int {
	return slices.IndexFunc(items, func(i Item) bool { return i.ID == id })
}

// lead puts front at the head of the road. Where front is empty and what was
// next has moved away, the head of the route follows.
func (r *road) lead(front []Item, moved bool) {
	if len(front) == 0 && !moved {
		return
	}
	line := front
	if r.next != nil {
		line = append(line, *r.next)
	}
	line = append(line, r.route...)
	r.next, r.route = nil, nil
	if len(line) > 0 {
		r.next, r.route = &line[0], line[1:]
	}
}

// named takes the item that text names from the route, or makes a new one.
func (r *road) named(text string) Item {
	if i := slices.IndexFunc(r.route, func(i Item) bool { return i.is(text) }); i >= 0 {
		item := r.route[i]
		r.route = slices.Delete(r.route, i, i+1)
		return item
	}
	return r.newItem(text)
}

// is reports whether text names the item.
func (i Item) is(text string) bool { return i.Summary == text || i.ID == text }

func (r *road) newItem(summary string) Item {
	base := Slug(summary, maxID)
	if base == "" {
		base = fallbackID
	}
	id := base
	for n := 2; r.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	r.ids[id] = true
	return Item{ID: id, Summary: summary}
}
