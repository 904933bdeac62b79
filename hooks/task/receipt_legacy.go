package task

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"chatrail/hooks/turn"
)

// legacyReceipt is version 1, as ChatRail 0.1 and 0.2 wrote it.
type legacyReceipt struct {
	TaskKey string `json:"task_key"`
	Bundle  *struct {
		Path string `json:"path"`
		Kind string `json:"kind"` // "local" or "project"
	} `json:"bundle"`
	Review *struct {
		ID       string `json:"id"`
		Status   string `json:"status"` // "pending" or "complete"
		Expected struct {
			Rail    string `json:"rail"`
			Compass string `json:"compass"`
		} `json:"expected"`
		StopBlocked bool   `json:"stop_blocked"`
		TurnID      string `json:"turn_id"`
	} `json:"review"`
	Warning string `json:"warning_fingerprint"`
}

// decodeLegacy continues a receipt of version 1. Its review expected the
// digests of the two whole truths; they are kept as the fields "rail" and
// "compass" beside no tip, so that an answer still finds its review.
func decodeLegacy(data []byte, keys map[string]json.RawMessage) (Receipt, error) {
	var old legacyReceipt
	if err := json.Unmarshal(data, &old); err != nil {
		return Receipt{}, errors.New("a value of the wrong type")
	}
	r := Receipt{Version: 1, TaskKey: old.TaskKey}
	if b := old.Bundle; b != nil {
		place := Place{Kind: KindDir, Path: filepath.Clean(b.Path), WorkTree: filepath.Dir(filepath.Clean(b.Path))}
		if b.Kind == "local" {
			place.Kind, place.WorkTree = KindPrivate, ""
		}
		r.Pin = &Pin{Place: place}
		if !filepath.IsAbs(b.Path) || b.Kind != "local" && b.Kind != "project" {
			return Receipt{}, errors.New("a pin that names no place")
		}
	}
	if o := old.Review; o != nil && o.ID != "" {
		r.Turn.Review = &turn.Review{
			ID: o.ID, Turn: o.TurnID, Status: turn.Pending, Blocked: o.StopBlocked,
			Fields: map[string]string{"rail": o.Expected.Rail, "compass": o.Expected.Compass},
		}
		if o.Status == "complete" {
			r.Turn.Review.Status = turn.Done
		}
	}
	if old.Warning != "" {
		r.Warned = []string{old.Warning}
	}
	r.Extra = unknown(keys, "version", "task_key", "bundle", "review", "warning_fingerprint")
	return r, nil
}
