package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"chatrail/refs"
)

const trustFile = "trust.json"

type trustedBundle struct {
	Root  string    `json:"root"`
	Path  string    `json:"path,omitempty"` // for people who read the file
	Ref   string    `json:"ref,omitempty"`
	Mark  string    `json:"marker,omitempty"` // of the repository
	Since time.Time `json:"since"`
}

type trustList struct {
	Version int                      `json:"version"`
	Bundles map[string]trustedBundle `json:"bundles"` // by id of the place
	// Remotes are those whose words a person has taken into a bundle, by id of its
	// place: the marker of the repository and the URL, without a password.
	Remotes map[string][]knownRemote `json:"remotes,omitempty"`
}

type knownRemote struct {
	URL  string `json:"url"`
	Mark string `json:"marker,omitempty"`
}

// Trusted tells whether words of the bundle at a place may enter an agent's
// context by themselves: this user trusts the place with this root revision,
// or it is a private bundle of this home. A list that cannot be read trusts
// nothing.
func (h Home) Trusted(p Place, root string) bool {
	if h.owns(p) {
		return true
	}
	list := h.loadTrust().Bundles
	if entry, ok := list[p.ID()]; root == "" || ok {
		return root != "" && entry.Root == root
	}
	// A repository that was moved keeps its mark, which no clone carries along.
	for _, entry := range list {
		if p.Marker != "" && entry.Mark == p.Marker && entry.Ref == p.Ref && entry.Root == root {
			return !stillAt(entry.Path, entry.Mark) // a copy is another place
		}
	}
	return false
}

// stillAt tells whether the repository with a mark is where it was.
func stillAt(path, mark string) bool {
	repo, err := refs.At(path)
	if err != nil {
		return false
	}
	marker, err := repo.Marker()
	return err == nil && marker == mark
}

// Trust adds the bundle at a place, which needs its root revision: the place
// alone would trust whatever came to stand there.
func (h Home) Trust(ctx context.Context, p Place) error {
	if h.owns(p) {
		return nil
	}
	if p.Root == "" {
		return fmt.Errorf("the bundle at %s has no readable history to recognise it by: repair it first", p.Path)
	}
	return h.editTrust(ctx, func(list *trustList) {
		entry := trustedBundle{Root: p.Root, Path: p.Path, Ref: p.Ref, Mark: p.Marker, Since: time.Now().UTC().Truncate(time.Second)}
		if old, ok := list.Bundles[p.ID()]; ok && old.Root == p.Root {
			entry.Since = old.Since
		}
		list.Bundles[p.ID()] = entry
	})
}

// Untrust takes the bundle at a place off the list. A private bundle of this
// home stays trusted.
func (h Home) Untrust(ctx context.Context, p Place) error {
	return h.editTrust(ctx, func(list *trustList) {
		delete(list.Bundles, p.ID())
		delete(list.Remotes, p.ID())
	})
}

// RemoteKnown tells whether a person has taken words of a remote into the bundle
// at a place before.
func (h Home) RemoteKnown(p Place, url string) bool {
	return url != "" && slices.Contains(h.loadTrust().Remotes[p.ID()], knownRemote{url, p.Marker})
}

// KnowRemote notes that a person took words of a remote into a bundle.
func (h Home) KnowRemote(ctx context.Context, p Place, url string) error {
	if url == "" || h.RemoteKnown(p, url) {
		return nil
	}
	return h.editTrust(ctx, func(list *trustList) {
		if list.Remotes == nil {
			list.Remotes = map[string][]knownRemote{}
		}
		list.Remotes[p.ID()] = append(list.Remotes[p.ID()], knownRemote{url, p.Marker})
	})
}

func (h Home) loadTrust() trustList {
	var list trustList
	data, err := h.ReadFile("", trustFile)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return trustList{}
	}
	return list
}

func (h Home) editTrust(ctx context.Context, change func(*trustList)) error {
	return editFile(ctx, h, trustFile, func(list *trustList) {
		list.Version = 1
		if list.Bundles == nil {
			list.Bundles = map[string]trustedBundle{}
		}
		change(list)
	})
}

// editFile changes a JSON file of the home under its lock. A file that is
// damaged is kept aside, and the change starts from an empty one.
func editFile[T any](ctx context.Context, h Home, name string, change func(*T)) error {
	unlock, err := h.Lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	var value T
	data, err := h.ReadFile("", name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case json.Unmarshal(data, &value) != nil:
		if _, err := h.setAside("", name); err != nil {
			return err
		}
		value = *new(T)
	}
	change(&value)
	if data, err = json.MarshalIndent(value, "", "  "); err != nil {
		return err
	}
	return h.replace("", name, append(data, '\n'), true)
}
