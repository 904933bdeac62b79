package task

import (
	"encoding/json"
	"fmt"

	"chatrail/hooks/turn"
)

// LoadSaid reads what a task that is not pinned yet remembers of its session
// start: what was said, so that a resume says only what changed since, and a
// start that is delivered twice says nothing again. It returns false where
// nothing is known, or the memory is damaged: then everything is said again.
func (h Home) LoadSaid(key string) (turn.State, bool) {
	if !IsKey(key) {
		return turn.State{}, false
	}
	data, err := h.ReadFile(cacheDir, saidName(key))
	var said turn.State
	if err != nil || json.Unmarshal(data, &said) != nil {
		return turn.State{}, false
	}
	return said, true
}

// SaveSaid replaces what LoadSaid reads. A session start writes no receipt:
// what it said is a cache like any other.
func (h Home) SaveSaid(key string, said turn.State) error {
	if !IsKey(key) {
		return fmt.Errorf("%q is not a task key", key)
	}
	data, err := json.Marshal(said)
	if err != nil {
		return err
	}
	return h.ReplaceFile(cacheDir, saidName(key), data)
}

func saidName(key string) string { return "said-" + key + ".json" }
