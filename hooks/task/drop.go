package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDrop bounds one item of the drop box, in bytes as it is written: the
// largest text of a note, with every byte of it escaped.
const maxDrop = 32 << 20

// Drop is a change that a command in a sandbox could not record, for the next
// hook of its task, which runs outside.
type Drop struct {
	ID       string          `json:"id"` // a UUID: it makes the change be recorded once
	TaskKey  string          `json:"task_key"`
	ReviewID string          `json:"review_id,omitempty"`
	Kind     string          `json:"kind"` // what to do, such as "reconcile"
	Body     json.RawMessage `json:"body"` // in the form of the kind
	At       time.Time       `json:"at"`
}

// NoDropError says that there is no safe place for a drop box, and why.
type NoDropError struct {
	Reasons []string // one for each place that was tried
}

func (e *NoDropError) Error() string {
	return "no safe place to leave the change: " + strings.Join(e.Reasons, "; ")
}

// DropDirs are the places of this user's drop box in the order in which they
// are tried: in $TMPDIR, then in /tmp, where the temporary folder of a sandbox
// and that of the hooks outside may meet.
func DropDirs(env func(string) string) []string {
	name := "chatrail-" + userID()
	var dirs []string
	for _, temp := range []string{env("TMPDIR"), sharedTemp()} {
		if !filepath.IsAbs(temp) {
			continue
		}
		if dir := filepath.Join(temp, name); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// sharedTemp is /tmp, or what the system has in its place.
func sharedTemp() string {
	if filepath.IsAbs("/tmp") && isFolder("/tmp") { // not absolute on Windows
		return "/tmp"
	}
	return os.TempDir()
}

// fileName is the name of an item: the short task key first, so that a hook
// finds what is its own without opening anything.
func (d Drop) fileName() (string, error) {
	if !IsKey(d.TaskKey) {
		return "", fmt.Errorf("%q is not a task key", d.TaskKey)
	}
	review := d.ReviewID
	if prefix, ok := ReviewTask(review); !ok || prefix != Short(d.TaskKey) {
		// None, or one of the Python version, which has no task in it.
		review = Short(d.TaskKey) + "." + review
	}
	if !plainID(d.ID) || d.ReviewID != "" && !plainID(d.ReviewID) {
		return "", errors.New("the id of a change or of its review has characters that none of ours has")
	}
	return review + "." + d.ID + ".json", nil
}

// plainID tells whether an id may stand in a file name.
func plainID(id string) bool { return plain(strings.ReplaceAll(id, "-", "_"), 64) }

// openBox opens a drop box after looking at it: a real folder, ours, closed to
// everybody else. What was looked at and what is opened are compared, so that
// a folder put in its place in between is noticed.
func openBox(dir string) (*os.Root, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", dir)
	case !mine(info, dir):
		return nil, fmt.Errorf("%s belongs to another user", dir)
	case !closed(info):
		return nil, fmt.Errorf("%s is open to other users", dir)
	}
	box, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := box.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s was replaced while it was opened", dir)
	}
	if err != nil {
		box.Close()
		return nil, err
	}
	return box, nil
}
