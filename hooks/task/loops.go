package task

import (
	"encoding/json"
	"fmt"
	"time"
)

// Loops is how many open loops a task had when somebody last looked: what a
// status line shows, which has no time to look itself.
type Loops struct {
	At    time.Time `json:"at"`
	Count int       `json:"count"`
}

// LoadLoops reads what is remembered of a task's open loops, false for nothing.
func (h Home) LoadLoops(key string) (Loops, bool) {
	var l Loops
	if !IsKey(key) {
		return l, false
	}
	data, err := h.ReadFile(cacheDir, loopsName(key))
	if err != nil || json.Unmarshal(data, &l) != nil || l.Count < 0 {
		return Loops{}, false
	}
	return l, true
}

// SaveLoops replaces what LoadLoops reads.
func (h Home) SaveLoops(key string, l Loops) error {
	if !IsKey(key) {
		return fmt.Errorf("%q is not a task key", key)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return h.ReplaceFile(cacheDir, loopsName(key), data)
}

func loopsName(key string) string { return "loops-" + key + ".json" }
