package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Found is a change that waits in a drop box.
type Found struct {
	Drop
	Path string
}

// Refused is something in the way of a change that waits: it is neither read
// nor removed.
type Refused struct {
	Path   string
	Reason string
}

// PendingDrop tells whether something waits for a task in a drop box. It costs
// two looks at the file system where nothing does.
func PendingDrop(env func(string) string, key string) bool {
	for _, dir := range DropDirs(env) {
		box, err := openBox(dir)
		if err != nil {
			continue
		}
		names, err := namesIn(box)
		box.Close()
		if err == nil && slices.ContainsFunc(names, func(name string) bool { return isDropOf(name, key) }) {
			return true
		}
	}
	return false
}

// CollectDrops reads what waits for a task, oldest first. What carries the name
// of this task and is not what PutDrop writes is refused, and so is a drop box
// that is not safe. The same id may come from both places.
func CollectDrops(env func(string) string, key string) ([]Found, []Refused) {
	var found []Found
	var refused []Refused
	if !IsKey(key) {
		return nil, nil
	}
	for _, dir := range DropDirs(env) {
		box, err := openBox(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			refused = append(refused, Refused{Path: dir, Reason: err.Error()})
			continue
		}
		names, err := namesIn(box)
		if err != nil {
			refused = append(refused, Refused{Path: dir, Reason: err.Error()})
		}
		for _, name := range sorted(names) {
			if !isDropOf(name, key) {
				continue
			}
			path := filepath.Join(dir, name)
			if d, err := readDrop(box, name, key); err != nil {
				refused = append(refused, Refused{Path: path, Reason: err.Error()})
			} else {
				found = append(found, Found{Drop: d, Path: path})
			}
		}
		box.Close()
	}
	slices.SortStableFunc(found, func(a, b Found) int { return a.At.Compare(b.At) })
	return found, refused
}

// RemoveDrop removes an item after it was recorded. One that is gone is no
// error.
func RemoveDrop(f Found) error {
	box, err := openBox(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	defer box.Close()
	if err := box.Remove(filepath.Base(f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func isDropOf(name, key string) bool { return strings.HasPrefix(name, Short(key)+".") }

func readDrop(box *os.Root, name, key string) (Drop, error) {
	info, err := box.Lstat(name)
	if err != nil {
		return Drop{}, err
	}
	switch {
	case !info.Mode().IsRegular():
		return Drop{}, errors.New("not a regular file")
	case !mine(info, filepath.Join(box.Name(), name)):
		return Drop{}, errors.New("belongs to another user")
	case linkCount(info) != 1:
		return Drop{}, errors.New("has a second name elsewhere")
	case info.Size() > maxDrop:
		return Drop{}, fmt.Errorf("has more than %d bytes", maxDrop)
	}
	data, err := readRegular(box, name, maxDrop)
	if err != nil {
		return Drop{}, err
	}
	var d Drop
	if err := json.Unmarshal(data, &d); err != nil {
		return Drop{}, errors.New("is not a change that ChatRail left")
	}
	if d.TaskKey != key {
		return Drop{}, errors.New("is of another task")
	}
	if want, err := d.fileName(); err != nil || want != name {
		return Drop{}, errors.New("has a name that does not fit what it holds")
	}
	return d, nil
}

// UnsafeDrops lists the drop boxes of this user that are there and not safe to
// use.
func UnsafeDrops(env func(string) string) []Refused {
	var list []Refused
	for _, dir := range DropDirs(env) {
		box, err := openBox(dir)
		switch {
		case err == nil:
			box.Close()
		case !errors.Is(err, fs.ErrNotExist):
			list = append(list, Refused{Path: dir, Reason: err.Error()})
		}
	}
	return list
}
