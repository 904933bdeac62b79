package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// memoryDir holds what became of notes in the memory of agents, one file a
// project.
const memoryDir = "memory"

// LoadMemory reads the ledger of a project's memory. Where there is none, it
// returns nil.
func (h Home) LoadMemory(id string) ([]byte, error) {
	data, err := h.ReadFile(memoryDir, id+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// MemoryPath is where the ledger with this id is kept, for messages.
func (h Home) MemoryPath(id string) string { return filepath.Join(h.Dir, memoryDir, id+".json") }

// EditMemory changes the ledger of a project's memory under its lock, so that of
// writers side by side none is lost. change is given what is there and returns
// what is to be there, nil for no change; damaged says that what was there could
// not be read, and EditMemory keeps it and returns its new path in aside.
func (h Home) EditMemory(ctx context.Context, id string, change func(old []byte) (data []byte, damaged bool, err error)) (aside string, err error) {
	if len(id) != 32 || !isHex(id) {
		return "", fmt.Errorf("%q cannot name a ledger", id)
	}
	unlock, err := h.Lock(ctx, memoryDir+"-"+id)
	if err != nil {
		return "", err
	}
	defer unlock()
	old, err := h.LoadMemory(id)
	if err != nil {
		return "", err
	}
	data, damaged, err := change(old)
	if err != nil || data == nil {
		return "", err
	}
	if damaged {
		if aside, err = h.setAside(memoryDir, id+".json"); err != nil {
			return "", err
		}
	}
	return aside, h.replace(memoryDir, id+".json", data, true)
}
