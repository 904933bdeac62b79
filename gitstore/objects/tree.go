package objects

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// Modes of tree entries, as git writes them.
const (
	ModeFile = "100644"
	ModeDir  = "40000"
)

// Entry is one name in a tree.
type Entry struct {
	Mode string // octal digits without leading zeros
	Name string
	ID   string
}

// sortKey orders entries as git does: a directory as if its name ended in a
// slash.
func (e Entry) sortKey() string {
	if e.Mode == ModeDir {
		return e.Name + "/"
	}
	return e.Name
}

// EncodeTree makes the data of a tree. It sorts entries in place. Names must be
// valid and unique, ids full.
func EncodeTree(entries []Entry) ([]byte, error) {
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	var b bytes.Buffer
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if !validName(e.Name) || seen[e.Name] {
			return nil, errors.New("tree with an invalid or double name")
		}
		seen[e.Name] = true
		raw, err := hex.DecodeString(e.ID)
		if err != nil || len(raw) == 0 {
			return nil, errors.New("tree with an invalid id")
		}
		b.WriteString(e.Mode)
		b.WriteByte(' ')
		b.WriteString(e.Name)
		b.WriteByte(0)
		b.Write(raw)
	}
	return b.Bytes(), nil
}

func validName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.EqualFold(name, ".git") &&
		!strings.ContainsAny(name, "/\x00")
}

// validMode accepts octal digits as git writes them, without a zero in front.
func validMode(mode string) bool {
	return mode != "" && mode[0] != '0' && len(mode) <= len(ModeFile) && strings.Trim(mode, "01234567") == ""
}

// DecodeTree reads the data of a tree. It refuses what git's own check refuses:
// unsorted, double or invalid names, and modes that are none, with ErrBroken.
func (h Hash) DecodeTree(data []byte) ([]Entry, error) {
	var entries []Entry
	seen := map[string]bool{}
	last := ""
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || len(rest) < h.Len()/2 || !validMode(mode) || !validName(name) || seen[name] {
			return nil, ErrBroken
		}
		e := Entry{Mode: mode, Name: name, ID: hex.EncodeToString(rest[:h.Len()/2])}
		if last >= e.sortKey() {
			return nil, ErrBroken
		}
		last = e.sortKey()
		seen[name] = true
		entries = append(entries, e)
		data = rest[h.Len()/2:]
	}
	return entries, nil
}
