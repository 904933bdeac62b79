package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// NewFilter is a filter of what a person gives: a tag, the beginning of a task's
// key, and a day.
func NewFilter(tag, taskKey, since string) (chronicle.Filter, error) {
	f := chronicle.Filter{Tag: tag, Task: taskKey}
	if since == "" {
		return f, nil
	}
	var err error
	if f.Since, err = time.ParseInLocation(time.DateOnly, since, time.Local); err != nil {
		return f, &UsageError{fmt.Sprintf("%q is no day: write it as 2026-11-30", since)}
	}
	return f, nil
}

// Document is one note as it is.
type Document struct {
	chronicle.Item
	Text string `json:"text"`
}

// Read finds a note and reads it as it was at a revision ("": the tip); the
// active draft of the caller where name is "".
func (d *Desk) Read(ctx context.Context, s *Scope, name, at string) (doc *Document, warn, err error) {
	x, rev, warn, err := d.Notes(ctx, s, at)
	if err != nil {
		return nil, nil, err
	}
	n := Noting{Note: name, Task: s.Key, Adopted: s.Receipt.Adopted}
	item, found, err := n.target(x)
	if err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, &RefusedError{"no draft is open here: name a note, `chatrail list` shows them"}
	}
	data, err := s.Store.Note(ctx, rev.ID, item.Path)
	if errors.Is(err, bundle.ErrNotFound) {
		return nil, nil, &RefusedError{item.Path + " is no longer kept as it was then"}
	}
	if err != nil {
		return nil, nil, err
	}
	return &Document{Item: item, Text: string(data)}, warn, nil
}

// Commits finds the commits that are to be stamped, with their size: HEAD where
// none is named.
func (d *Desk) Commits(ctx context.Context, names []string) ([]chronicle.Commit, error) {
	if len(names) == 0 {
		names = []string{"HEAD"}
	}
	if d.Dir == "" {
		return nil, errGone
	}
	repo, err := refs.Discover(d.Dir)
	if errors.Is(err, refs.ErrNotRepo) {
		return nil, &RefusedError{"this folder is in no git repository, so there is no commit to stamp"}
	}
	if err != nil {
		return nil, err
	}
	sizes, err := worktree.Sizes(ctx, repo, names...)
	if err != nil {
		return nil, err
	}
	commits := make([]chronicle.Commit, 0, len(sizes))
	for _, s := range sizes {
		commits = append(commits, chronicle.Commit{ID: s.ID, Files: s.Files, Added: s.Added, Deleted: s.Deleted})
	}
	return commits, nil
}
