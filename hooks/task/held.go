package task

import (
	"context"
	"encoding/json"
	"time"
)

const heldFile = "held.json"

// Held is a tip that a remote has and that breaks a rule: it stays in the
// tracking namespace.
type Held struct {
	Place  string    `json:"place"` // id
	Ref    string    `json:"ref"`
	Remote string    `json:"remote"` // as people read it
	Track  string    `json:"track"`  // the tracking reference
	Tip    string    `json:"tip"`
	Why    string    `json:"why"` // one line
	Since  time.Time `json:"since"`
}

type heldList struct {
	Version int    `json:"version"`
	Held    []Held `json:"held"`
}

// maxHeld bounds the list: the oldest go first.
const maxHeld = 100

// Hold notes a tip that is not taken.
func (h Home) Hold(ctx context.Context, one Held) error {
	return h.editHeld(ctx, one, func(list []Held) []Held { return append(list, one) })
}

// Release forgets what was held of a reference and a remote.
func (h Home) Release(ctx context.Context, one Held) error {
	for _, has := range h.HeldBy(one.Place) {
		if has.Ref == one.Ref && has.Remote == one.Remote {
			return h.editHeld(ctx, one, func(list []Held) []Held { return list })
		}
	}
	return nil
}

// HeldBy are the tips that are held for the bundle at a place, by its id.
func (h Home) HeldBy(place string) []Held {
	var list heldList
	if data, err := h.ReadFile("", heldFile); err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	var held []Held
	for _, one := range list.Held {
		if one.Place == place {
			held = append(held, one)
		}
	}
	return held
}

func (h Home) editHeld(ctx context.Context, one Held, change func([]Held) []Held) error {
	return editFile(ctx, h, heldFile, func(list *heldList) {
		list.Version = 1
		var others []Held
		for _, has := range list.Held {
			if has.Place != one.Place || has.Ref != one.Ref || has.Remote != one.Remote {
				others = append(others, has)
			}
		}
		list.Held = change(others)
		list.Held = list.Held[max(0, len(list.Held)-maxHeld):]
	})
}
