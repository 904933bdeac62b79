package work

import (
	"errors"
	"os"
	"path/filepath"

	"chatrail/hooks/task"
	"chatrail/refs"
)

// target is the place that init means, whether a bundle is there or not.
func (d *Desk) target(here bool) (task.Place, *refs.Repo, error) {
	user, _ := task.UserHome(d.Env)
	repo, err := refs.Discover(d.Dir)
	switch {
	case errors.Is(err, refs.ErrNotRepo):
		folder, err := filepath.EvalSymlinks(d.Dir)
		if err != nil {
			return task.Place{}, nil, err
		}
		if isHome(folder, user) {
			return task.Place{}, nil, &RefusedError{"the home directory is no project: change to the project's folder"}
		}
		return task.Place{Kind: task.KindDir, Path: filepath.Join(folder, ".chatrail"), WorkTree: folder}, nil, nil
	case err != nil:
		return task.Place{}, nil, err
	case repo.OwnedByOther():
		return task.Place{}, nil, &RefusedError{"this repository belongs to another user: ask them to run `chatrail init`"}
	}
	p := task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: refs.Project(), WorkTree: repo.WorkTree}
	if here && repo.WorkTree != "" {
		rel, err := repo.Rel(d.Dir)
		if err != nil {
			return task.Place{}, nil, err
		}
		if rel != "" && rel != "." {
			p.Ref = refs.AtFolder(rel)
		}
	}
	if p.Ref == refs.Project() && isHome(repo.WorkTree, user) {
		return task.Place{}, nil, &RefusedError{"the home directory is no project, even as a repository: change to a folder in it and use `chatrail init --here`"}
	}
	return p, repo, nil
}

func isHome(folder, home string) bool {
	if folder == "" || home == "" {
		return false
	}
	a, err := os.Stat(folder)
	if err != nil {
		return false
	}
	b, err := os.Stat(home)
	return err == nil && os.SameFile(a, b)
}
