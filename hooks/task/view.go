package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// viewVersion is the form of a cached view. Another one is a miss.
const viewVersion = 1

// View is what a hook says of a bundle without opening it: made whenever the
// bundle was read or written, valid while the tip is the same.
type View struct {
	Version int    `json:"version"` // filled in by SaveView
	Place   string `json:"place"`   // id of the place, filled in by SaveView
	Tip     string `json:"tip"`     // the newest revision
	Root    string `json:"root,omitempty"`
	Marker  string `json:"marker,omitempty"` // of the repository

	// The last event: when, and by which task and agent, on which branch.
	When   time.Time `json:"when"`
	Task   string    `json:"task,omitempty"`
	Agent  string    `json:"agent,omitempty"`
	Branch string    `json:"branch,omitempty"`

	Named   bool   `json:"named"`   // a North has been named
	Default bool   `json:"default"` // still in the default state
	Frozen  string `json:"frozen,omitempty"`

	// FirstNorth is the North as it was first worded, "" while it still is so;
	// FirstUnknown says that it is not known.
	FirstNorth   string `json:"first_north,omitempty"`
	FirstUnknown bool   `json:"first_unknown,omitempty"`

	Fields map[string]string `json:"fields,omitempty"` // field to short digest
	Lines  []Line            `json:"lines,omitempty"`  // the orientation, prepared
	Stamp  DirStamp          `json:"stamp,omitzero"`   // of a bundle in a folder
}

// Line is one field of an orientation, as it is to be said.
type Line struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// LoadView reads the cached view of the bundle at a place. A file that is
// missing, damaged, of another version or of another place is a miss.
func (h Home) LoadView(p Place) (View, bool) {
	id := p.ID()
	data, err := h.ReadFile(cacheDir, id+".json")
	if err != nil {
		return View{}, false
	}
	v, err := decodeView(data)
	if err != nil || v.Place != id {
		return View{}, false
	}
	return v, true
}

func decodeView(data []byte) (View, error) {
	var v View
	if err := json.Unmarshal(data, &v); err != nil {
		return View{}, err
	}
	if v.Version != viewVersion {
		return View{}, fmt.Errorf("a view of version %d", v.Version)
	}
	return v, nil
}

// SaveView replaces the cached view of a place as Discover or Check returned
// it. A view without a tip, made when the bundle could not be read, keeps the
// tip that is known of the same repository: it tells a reference that is gone
// from one that never was.
func (h Home) SaveView(p Place, v View) error {
	v.Version, v.Place, v.Marker = viewVersion, p.ID(), p.Marker
	if v.Tip == "" {
		if old, ok := h.LoadView(p); ok && old.Marker == v.Marker {
			v.Tip, v.Root = old.Tip, old.Root
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return h.ReplaceFile(cacheDir, v.Place+".json", data)
}

// Fresh tells whether a view shows what stands at its place now. One of a
// frozen bundle never is, so that a repair is seen at once.
func (v View) Fresh(s Standing) bool {
	if v.Place != s.Place.ID() || v.Frozen != "" || s.Frozen != "" || v.Tip == "" {
		return false
	}
	if s.Place.Root != "" && v.Root != "" && s.Place.Root != v.Root {
		return false
	}
	if s.Place.Kind == KindGit {
		return v.Tip == s.Tip // an id of a commit stands for its whole history
	}
	stamp, err := StampDir(s.Place.Path)
	return err == nil && stamp == v.Stamp
}

// KnownTip is the last tip that this user's commands saw at a place in this
// repository, "" where none is known.
func (h Home) KnownTip(p Place) string {
	v, ok := h.LoadView(p)
	if !ok || v.Marker != p.Marker {
		return ""
	}
	return v.Tip
}

// LoadPrefix reads what a backend remembers about the part of a place's
// history that it verified. Where there is nothing, it returns nil.
func (h Home) LoadPrefix(p Place) ([]byte, error) {
	data, err := h.ReadFile(cacheDir, p.ID()+".prefix.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// LoadNotes reads what is remembered of the notes of the bundle at a place. Where
// there is nothing, it returns nil.
func (h Home) LoadNotes(p Place) ([]byte, error) {
	data, err := h.ReadFile(cacheDir, p.ID()+".notes.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// SaveNotes replaces what LoadNotes reads.
func (h Home) SaveNotes(p Place, data []byte) error {
	return h.ReplaceFile(cacheDir, p.ID()+".notes.json", data)
}

// SavePrefix replaces what LoadPrefix reads.
func (h Home) SavePrefix(p Place, data []byte) error {
	return h.ReplaceFile(cacheDir, p.ID()+".prefix.json", data)
}
