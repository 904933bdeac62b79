package task

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
)

// decodeLedger reads the bytes of a ledger.
func decodeLedger[T any](data []byte) (T, error) {
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return *new(T), errors.New("damaged")
	}
	return value, nil
}

// editLedger changes a file of a folder of the home under its lock. One that is
// damaged, or that fits does not want, is kept aside, and the change starts from
// an empty one.
func editLedger[T any](ctx context.Context, h Home, dir, name string, fits func(*T) bool, change func(*T)) error {
	unlock, err := h.Lock(ctx, dir+"-"+name)
	if err != nil {
		return err
	}
	defer unlock()
	var value T
	data, err := h.ReadFile(dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if value, err = decodeLedger[T](data); err != nil || !fits(&value) {
			if _, err := h.setAside(dir, name); err != nil {
				return err
			}
			value = *new(T)
		}
	}
	change(&value)
	if data, err = json.Marshal(value); err != nil {
		return err
	}
	return h.ReplaceFile(dir, name, data)
}
