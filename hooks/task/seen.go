package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Seen is when a hook of a host was last called for an event.
type Seen struct {
	Host, Event string
	At          time.Time
}

// Touch remembers that a hook of this host was called for this event just now.
// Names come from outside, so only letters, digits, '_' and '.' are taken.
func (h Home) Touch(host, event string) error {
	name := host + "-" + event
	if _, _, ok := splitSeen(name); !ok {
		return fmt.Errorf("%q is not the name of a host and an event", name)
	}
	folder, err := h.openFolder(seenDir, true)
	if err != nil {
		return err
	}
	defer folder.Close()
	info, err := folder.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return shapeError(folder, name, "a regular file", info)
	}
	now := time.Now()
	return folder.Chtimes(name, now, now)
}

// Seen lists which hooks were called, and when last.
func (h Home) Seen() ([]Seen, error) {
	folder, err := h.openFolder(seenDir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := namesIn(folder)
	if err != nil {
		return nil, err
	}
	var all []Seen
	for _, name := range sorted(names) {
		host, event, ok := splitSeen(name)
		if !ok {
			continue
		}
		if info, err := folder.Lstat(name); err == nil && info.Mode().IsRegular() {
			all = append(all, Seen{Host: host, Event: event, At: info.ModTime()})
		}
	}
	return all, nil
}

func splitSeen(name string) (host, event string, ok bool) {
	host, event, ok = strings.Cut(name, "-")
	return host, event, ok && plain(host, 32) && plain(event, 64)
}

// plain tells whether a name has only characters that are harmless in a file
// name everywhere, and does not begin with a dot.
func plain(s string, most int) bool {
	if s == "" || len(s) > most || s[0] == '.' {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
