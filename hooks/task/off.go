package task

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

const offFile = "off.json"

type offList struct {
	Version int                  `json:"version"`
	Places  map[string]time.Time `json:"places"` // id of the place to since when
}

// Pause is why ChatRail is paused.
type Pause string

// The reasons of a pause.
const (
	NotPaused    Pause = ""
	PausedByEnv  Pause = "CHATRAIL is off in this process"
	PausedTask   Pause = "this task is paused"
	PausedBundle Pause = "this bundle is paused"
)

// Off tells whether the environment pauses this process: CHATRAIL is off, 0,
// false or no.
func Off(env func(string) string) bool {
	switch strings.ToLower(strings.TrimSpace(env("CHATRAIL"))) {
	case "off", "0", "false", "no":
		return true
	}
	return false
}

// Paused tells whether ChatRail is paused for this process, this task or the
// bundle it is pinned to, and which of them it is.
func (h Home) Paused(env func(string) string, r Receipt) Pause {
	switch {
	case Off(env):
		return PausedByEnv
	case r.Paused:
		return PausedTask
	case r.Pin != nil && h.PlaceOff(r.Pin.Place):
		return PausedBundle
	}
	return NotPaused
}

// PlaceOff tells whether the bundle at a place is paused.
func (h Home) PlaceOff(p Place) bool {
	data, err := h.ReadFile("", offFile)
	var list offList
	if err != nil || json.Unmarshal(data, &list) != nil {
		return false
	}
	_, off := list.Places[p.ID()]
	return off
}

// SetPlaceOff pauses the bundle at a place for all its tasks, or lets it go on.
// A single task is paused by its receipt.
func (h Home) SetPlaceOff(ctx context.Context, p Place, off bool) error {
	return editFile(ctx, h, offFile, func(list *offList) {
		list.Version = 1
		if list.Places == nil {
			list.Places = map[string]time.Time{}
		}
		if !off {
			delete(list.Places, p.ID())
		} else if list.Places[p.ID()].IsZero() {
			list.Places[p.ID()] = time.Now().UTC().Truncate(time.Second)
		}
	})
}
