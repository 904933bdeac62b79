package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// PutDrop leaves a change in the first drop box that is safe and returns the
// path of the file, durable and complete. Leaving the same item again replaces
// it. It fails with a *NoDropError where no place is safe.
func PutDrop(ctx context.Context, env func(string) string, d Drop) (path string, err error) {
	name, err := d.fileName()
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	if len(data) > maxDrop {
		return "", fmt.Errorf("the change has %d bytes, and a drop box takes %d: shorten it", len(data), maxDrop)
	}
	var none NoDropError
	for _, dir := range DropDirs(env) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := putIn(dir, name, data); err != nil {
			none.Reasons = append(none.Reasons, err.Error())
			continue
		}
		return filepath.Join(dir, name), nil
	}
	return "", &none
}

func putIn(dir, name string, data []byte) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	box, err := openBox(dir)
	if err != nil {
		return err
	}
	defer box.Close()
	return replaceIn(box, name, data, true)
}

// CheckDrop fails with a *NoDropError where PutDrop would, whatever the change.
func CheckDrop(env func(string) string) error {
	var none NoDropError
	for _, dir := range DropDirs(env) {
		err := probe(dir)
		if err == nil {
			return nil
		}
		none.Reasons = append(none.Reasons, err.Error())
	}
	return &none
}

func probe(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	box, err := openBox(dir)
	if err != nil {
		return err
	}
	defer box.Close()
	name, err := writeTemp(box, nil, false)
	if err != nil {
		return err
	}
	return box.Remove(name)
}
