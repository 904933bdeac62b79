package task

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Names of the three files that make a folder a bundle.
const (
	compassFile = "working.compass.yaml"
	railFile    = "conversation.rail.yaml"
	eventsFile  = "orientation.events.jsonl"
)

// Bounds of what is read of a bundle in a folder on the way of every turn. A
// live file is at most 64 KiB; one far beyond is not a bundle's.
const (
	maxLive      = 1 << 20
	maxFirstLine = 1 << 20
	stampTail    = 4 << 10
)

// DirStamp tells whether a bundle in a folder is still what a view was made
// from: any recorded change appends to the events, any other one changes the
// bytes of a live file.
type DirStamp struct {
	CompassSHA string `json:"compass_sha256"` // of the bytes of the file
	RailSHA    string `json:"rail_sha256"`
	EventsSize int64  `json:"events_size"` // in bytes
	EventsTail string `json:"events_tail"` // SHA-256 of the last 4 KiB
}

// StampDir reads the stamp of the bundle in a folder.
func StampDir(path string) (DirStamp, error) {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return DirStamp{}, err
	}
	defer folder.Close()
	var stamp DirStamp
	if stamp.CompassSHA, err = digestOf(folder, compassFile); err != nil {
		return DirStamp{}, err
	}
	if stamp.RailSHA, err = digestOf(folder, railFile); err != nil {
		return DirStamp{}, err
	}
	events, err := openRegular(folder, eventsFile)
	if err != nil {
		return DirStamp{}, err
	}
	defer events.Close()
	info, err := events.Stat()
	if err != nil {
		return DirStamp{}, err
	}
	stamp.EventsSize = info.Size()
	from := max(0, info.Size()-stampTail)
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(events, from, info.Size()-from)); err != nil {
		return DirStamp{}, err
	}
	stamp.EventsTail = hex.EncodeToString(hash.Sum(nil))
	return stamp, nil
}

func digestOf(folder *os.Root, name string) (string, error) {
	data, err := readRegular(folder, name, maxLive)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func openRegular(folder *os.Root, name string) (*os.File, error) {
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, shapeError(folder, name, "a regular file", info)
	}
	return folder.Open(name)
}

// examine looks at the folder of a bundle. It returns the id of its root
// revision, or the cause for which nothing may be written there. exists is
// false where there is no folder, or one with nothing in it, as a killed init
// leaves it.
func examine(path string) (root, frozen string, exists bool) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", false
	case err != nil:
		return "", "the bundle folder cannot be read: " + reason(err), true
	case info.Mode()&fs.ModeSymlink != 0:
		return "", "the bundle folder is a link, and links are not followed", true
	case !info.IsDir():
		return "", "there is a file where the bundle folder should be", true
	}
	folder, err := os.OpenRoot(path)
	if err != nil {
		return "", "the bundle folder cannot be read: " + reason(err), true
	}
	defer folder.Close()
	if cause := incomplete(folder); cause != "" {
		names, err := namesIn(folder)
		return "", cause, err != nil || len(names) > 0
	}
	root, cause := rootEvent(folder)
	return root, cause, true
}

func incomplete(folder *os.Root) string {
	for _, name := range []string{compassFile, railFile, eventsFile} {
		info, err := folder.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "the bundle folder is incomplete: " + name + " is missing"
		case err != nil:
			return name + " cannot be read: " + reason(err)
		case !info.Mode().IsRegular():
			return name + " is not a regular file"
		}
	}
	return ""
}

// rootEvent reads the id of the first event, which is the identity of a bundle
// in a folder.
func rootEvent(folder *os.Root) (id, frozen string) {
	f, err := openRegular(folder, eventsFile)
	if err != nil {
		return "", eventsFile + " cannot be read: " + reason(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxFirstLine)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", eventsFile + " cannot be read: " + reason(err)
	}
	var event struct {
		ID string `json:"event_id"`
	}
	if len(line) == 0 {
		return "", eventsFile + " has no event"
	}
	if json.Unmarshal(line, &event) != nil || event.ID == "" {
		return "", "the first line of " + eventsFile + " is not an event"
	}
	return event.ID, ""
}

// reason is the bare cause of an error of the file system, without the path,
// so that one cause has one wording.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return fmt.Sprint(err)
}
