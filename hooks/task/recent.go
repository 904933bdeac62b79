package task

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"chatrail/refs"
)

// Folder is what a working directory is a part of, by which a later session is
// told from one in another place: the work tree, so that each linked one is a
// place of its own, or the git directory; outside a repository the directory
// itself. It is without links, and "" where nothing can be told.
func Folder(cwd string) string {
	if cwd == "" {
		return ""
	}
	repo, err := refs.Discover(cwd)
	switch {
	case err == nil && repo.WorkTree != "":
		return repo.WorkTree
	case err == nil:
		return repo.GitDir
	case !errors.Is(err, refs.ErrNotRepo):
		return ""
	}
	real, err := realFolder(cwd)
	if err != nil {
		return ""
	}
	return real
}

// RecentReceipts lists the keys of at most n tasks, the one whose receipt was
// written last first.
func (h Home) RecentReceipts(n int) ([]string, error) {
	folder, err := h.openFolder(receiptsDir, false)
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
	type one struct {
		key string
		at  time.Time
	}
	var all []one
	for _, name := range names {
		key, ok := strings.CutSuffix(name, ".json")
		if !ok || !IsKey(key) {
			continue
		}
		if info, err := folder.Lstat(name); err == nil {
			all = append(all, one{key, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.key, b.key)) })
	keys := make([]string, 0, min(n, len(all)))
	for _, o := range all[:min(n, len(all))] {
		keys = append(keys, o.key)
	}
	return keys, nil
}
