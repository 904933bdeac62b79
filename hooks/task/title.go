package task

import (
	"path/filepath"
	"strings"

	"chatrail/refs"
)

// Title is what a person calls the bundle at a place.
func (p Place) Title() string {
	// All work trees of a repository see one bundle, so it has one name.
	folder := filepath.Base(p.WorkTree)
	if p.Kind == KindGit {
		folder = filepath.Base(p.Path)
		if folder == ".git" || folder == ".bare" {
			folder = filepath.Base(filepath.Dir(p.Path))
		}
		folder = strings.TrimSuffix(folder, ".git")
	}
	last := p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]
	if name, ok := refs.Decode(last); ok {
		last = name
	}
	switch {
	case p.Kind == KindPrivate:
		return "private bundle of task " + Short(filepath.Base(p.Path))
	case p.Kind == KindDir || p.Ref == refs.Project():
		return "project bundle of " + folder
	case strings.HasPrefix(p.Ref, refs.Namespace+"at/"):
		return "project bundle of " + last + " in " + folder
	}
	return "own road " + last + " in " + folder
}
