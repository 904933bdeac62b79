package task

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// spooledDir keeps what was recorded later: nothing is deleted by itself.
const spooledDir = spoolDir + "/done"

// spoolTime has no dash and sorts by time.
const spoolTime = "20060102T150405.000000Z"

// Spooled is text that could not be recorded where it belongs. Its form is its
// writer's; the id makes that it is recorded once.
type Spooled struct {
	ID   string // letters, digits, '_', '.' and '-'
	At   time.Time
	Ext  string // "json" or "txt"
	Path string // for messages
	name string
}

// Spool keeps text durably and returns the path to say. An id that is in the
// spool already, or was recorded from it, is not written again.
func (h Home) Spool(at time.Time, id, ext string, data []byte) (path string, err error) {
	name := at.UTC().Format(spoolTime) + "-" + id + "." + ext
	item, ok := parseSpooled(name)
	if !ok {
		return "", fmt.Errorf("%q cannot name a file of the spool", name)
	}
	for _, dir := range []string{spoolDir, spooledDir} {
		there, err := h.spooled(dir)
		if err != nil {
			return "", err
		}
		for _, other := range there {
			if other.ID == item.ID {
				return other.Path, nil
			}
		}
	}
	if err := h.replace(spoolDir, name, data, true); err != nil {
		return "", err
	}
	return filepath.Join(h.Dir, spoolDir, name), nil
}

// SpoolList lists what waits in the spool, oldest first.
func (h Home) SpoolList() ([]Spooled, error) { return h.spooled(spoolDir) }

// SpoolPrefix begins the ids of what waits to be recorded for a task.
func SpoolPrefix(key string) string { return Short(key) + "." }

// SpoolOf lists what waits to be recorded for a task, oldest first. It is the
// hot path's question: one look at a folder that is mostly not there.
func (h Home) SpoolOf(key string) ([]Spooled, error) {
	all, err := h.spooled(spoolDir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s Spooled) bool { return !strings.HasPrefix(s.ID, SpoolPrefix(key)) }), nil
}

// SpoolRead reads one item of the spool.
func (h Home) SpoolRead(s Spooled) ([]byte, error) { return h.ReadFile(spoolDir, s.name) }

// SpoolDone moves an item that was recorded to spool/done. One that another
// process moved before is no error.
func (h Home) SpoolDone(s Spooled) error {
	done, err := h.openFolder(spooledDir, true)
	if err != nil {
		return err
	}
	done.Close()
	folder, err := h.openFolder(spoolDir, false)
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Rename(s.name, filepath.Join("done", s.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (h Home) spooled(dir string) ([]Spooled, error) {
	names, err := h.names(dir)
	if err != nil {
		return nil, err
	}
	var all []Spooled
	for _, name := range sorted(names) {
		if item, ok := parseSpooled(name); ok {
			item.Path = filepath.Join(h.Dir, filepath.FromSlash(dir), name)
			all = append(all, item)
		}
	}
	return all, nil
}

func parseSpooled(name string) (Spooled, bool) {
	ext := filepath.Ext(name)
	stamp, id, _ := strings.Cut(strings.TrimSuffix(name, ext), "-")
	at, err := time.Parse(spoolTime, stamp)
	if err != nil || ext != ".json" && ext != ".txt" || !plain(strings.ReplaceAll(id, "-", "_"), 128) {
		return Spooled{}, false
	}
	return Spooled{ID: id, At: at, Ext: ext[1:], name: name}, true
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
