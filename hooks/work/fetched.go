package work

import (
	"context"
	"slices"

	"chatrail/hooks/words"
	"chatrail/refs"
)

// Fetched is what a remote has of ours.
type Fetched struct {
	Remote string       `json:"remote"`
	Listed bool         `json:"listed"` // asked for, not brought here
	Refs   []FetchedRef `json:"refs"`
}

// FetchedRef is one reference of a remote.
type FetchedRef struct {
	Ref  string `json:"ref"`
	Name string `json:"name"`
	Tip  string `json:"tip"`
	Here bool   `json:"here"` // the same is here
}

// Lines say what a remote has.
func (f *Fetched) Lines() []string {
	if len(f.Refs) == 0 {
		return []string{words.Harmless(f.Remote) + " has no orientation."}
	}
	var lines []string
	for _, r := range f.Refs {
		line := r.Tip[:min(12, len(r.Tip))] + "  " + words.Harmless(r.Name)
		if r.Here {
			line += "  (the same here)"
		}
		lines = append(lines, line)
	}
	if !f.Listed {
		lines = append(lines, "Fetched, nothing here was changed. `chatrail sync` makes both sides even.")
	}
	return lines
}

// Fetch brings what a remote has into the tracking namespace, or only lists it.
// Nothing else changes.
func (d *Desk) Fetch(ctx context.Context, o SyncOptions, list bool) (*Fetched, error) {
	repo, err := d.shareable()
	if err != nil {
		return nil, err
	}
	remote, err := repo.Remote(ctx, o.Remote)
	if err != nil {
		return nil, err
	}
	ctx, cancel := o.bounded(ctx)
	defer cancel()
	t := o.transfer()
	var found []refs.Ref
	if list || o.DryRun {
		found, err = repo.Advertised(ctx, remote, t)
	} else if found, err = repo.Fetch(ctx, remote, nil, t); err == nil {
		for i := range found {
			found[i].Name, _ = remote.Theirs(found[i].Name)
		}
	}
	if err != nil {
		return nil, plainly(err)
	}
	f := &Fetched{Remote: remote.String(), Listed: list || o.DryRun, Refs: []FetchedRef{}}
	for _, ref := range found {
		name := roadName(ref.Name)
		if len(o.Roads) > 0 && !slices.Contains(o.Roads, name) {
			continue
		}
		id, _ := repo.Read(ref.Name) // none: it is not here
		f.Refs = append(f.Refs, FetchedRef{Ref: ref.Name, Name: name, Tip: ref.ID, Here: id == ref.ID})
	}
	return f, nil
}
