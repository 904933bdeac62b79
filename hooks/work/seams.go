package work

import (
	"context"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

func (d *Desk) memory(ctx context.Context, p task.Place) ([]chronicle.Obligation, error) {
	return nil, nil
}

type declarations struct{}

func (declarations) holds(path, content string) bool { return false }

func (d *Desk) declarations(repo *refs.Repo) (declarations, error) { return declarations{}, nil }
