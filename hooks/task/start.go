package task

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chatrail/hooks/turn"
)

// LockStart takes the lock under which the session starts of a task are answered
// one after the other. It is taken before the lock of the task, never after it.
func (h Home) LockStart(ctx context.Context, key string) (unlock func(), err error) {
	if !IsKey(key) {
		return nil, fmt.Errorf("%q is not a task key", key)
	}
	unlock, err = h.Lock(ctx, startLock(key))
	if err == nil {
		h.touchLock(startLock(key) + ".lock")
	}
	return unlock, err
}

// StartHeld is when that lock was last taken.
func (h Home) StartHeld(key string) (time.Time, bool) {
	folder, err := h.openFolder(locksDir, false)
	if err != nil {
		return time.Time{}, false
	}
	defer folder.Close()
	info, err := folder.Lstat(startLock(key) + ".lock")
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func startLock(key string) string { return "start-" + key }

// touchLock sets the time of a lock's file; where that fails the time is older.
func (h Home) touchLock(name string) {
	folder, err := h.openFolder(locksDir, false)
	if err != nil {
		return
	}
	defer folder.Close()
	now := time.Now()
	_ = folder.Chtimes(name, now, now)
}

// LoadAnswered reads which session start of a task was last answered without the
// lock of the task, while somebody else held it; the zero mark for none.
func (h Home) LoadAnswered(key string) turn.Mark {
	var m turn.Mark
	if data, err := h.ReadFile(cacheDir, answeredName(key)); err == nil && json.Unmarshal(data, &m) != nil {
		return turn.Mark{}
	}
	return m
}

// SaveAnswered replaces what LoadAnswered reads, under the lock of LockStart.
func (h Home) SaveAnswered(key string, m turn.Mark) error {
	if !IsKey(key) {
		return fmt.Errorf("%q is not a task key", key)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return h.ReplaceFile(cacheDir, answeredName(key), data)
}

func answeredName(key string) string { return "start-" + key + ".json" }
