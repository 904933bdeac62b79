package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"chatrail/hooks/task"
)

// wiredDir is the folder of the state home that remembers what was put in.
const wiredDir = "wired"

// record remembers what an installation put into one file. It holds nothing of
// what else is in there. Without it an uninstallation still finds what is ours,
// and leaves empty objects or arrays behind that were there before.
type record struct {
	Path   string   `json:"path"`
	Before string   `json:"before"` // digests of the whole file
	After  string   `json:"after"`
	Put    []splice `json:"put"` // counted in the text before
	// Made are the objects and arrays that were made, Rules the permissions.
	Made  [][]string `json:"made"`
	Rules []string   `json:"rules,omitempty"`
	// Created says that there was no file, Folders which folders were missing.
	Created bool     `json:"created,omitempty"`
	Folders []string `json:"folders,omitempty"`
}

func recordName(path string) string { return digest([]byte(path))[:32] + ".json" }

// recall returns what is remembered about a file, nil for nothing.
func recall(home task.Home, path string) *record {
	raw, err := home.ReadFile(wiredDir, recordName(path))
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Path != path {
		return nil
	}
	return &r
}

// remember writes a record; where that cannot be done, what it would be for is
// done less well, and nothing else.
func remember(home task.Home, r *record) {
	if raw, err := json.Marshal(r); err == nil {
		_ = home.ReplaceFile(wiredDir, recordName(r.Path), raw)
	}
}

// forget takes a record away.
func forget(home task.Home, path string) {
	if recall(home, path) != nil {
		_ = home.RemoveFile(wiredDir, recordName(path))
	}
}

// undo takes what was put into a file out again, by what is remembered. It fails
// where the file is no longer as it was left, unless all of it is still there in
// its order; whether what comes out then is sound is for the caller to see.
func (r *record) undo(text []byte) ([]byte, bool) {
	list := slices.Clone(r.Put)
	slices.SortStableFunc(list, func(a, b splice) int { return a.At - b.At })
	if digest(text) == r.After {
		grown := 0
		for i, s := range list {
			from := s.At + grown
			if from < 0 || from > len(text) || !strings.HasPrefix(string(text[from:]), s.Text) {
				return nil, false
			}
			grown += len(s.Text)
			list[i] = splice{At: from, cut: len(s.Text)}
		}
		before := apply(text, list)
		return before, digest(before) == r.Before
	}
	at := 0
	for i, s := range list {
		// A lone comma says nothing about where it came from.
		from := strings.Index(string(text[at:]), s.Text)
		if len(s.Text) < 8 || from < 0 {
			return nil, false
		}
		list[i] = splice{At: at + from, cut: len(s.Text)}
		at += from + len(s.Text)
	}
	return apply(text, list), len(list) > 0
}
