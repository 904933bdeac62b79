package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"chatrail/refs"
)

// bundleDir is the name of a bundle's folder in a project.
const bundleDir = ".chatrail"

// DiscoverOptions bounds a search for the project bundle.
type DiscoverOptions struct {
	// State remembers the last tip of each place and which are trusted. The
	// zero Home remembers nothing.
	State Home
	// UserHome is the user's home directory, where the search ends without
	// looking at it; "" where it is not known.
	UserHome string
	// Foreign tells whether a folder belongs to another user; nil asks the
	// file system.
	Foreign func(dir string) bool
}

// Discover finds the project bundle of a working directory: in it, or in the
// nearest folder above it that has one, below the user's home directory and
// the root of the file system. At each folder a reference counts before a
// folder .chatrail. A bundle that is there and broken is returned with its
// cause in Place.Frozen, and so is a reference that this user saw and that is
// gone. It returns ErrNone where there is no bundle, and another error where
// that could not be told.
//
// A working directory that is a link counts as its target; one that is gone,
// as what is left of its path. Folders of other users are passed over, except
// for a bundle that this user trusts: in a container a folder often belongs to
// a user of the host. A submodule is a project of its own, so the search ends
// at its top and never takes the bundle of the project around it; a repository
// that merely lies inside another one's folder is searched upward like any
// folder. A linked work tree that has no .chatrail of its own shares that of
// the main one.
func Discover(cwd string, o DiscoverOptions) (Place, error) {
	dir, err := realFolder(cwd)
	if err != nil {
		return Place{}, err
	}
	w := walk{DiscoverOptions: o}
	if o.UserHome != "" {
		w.home, _ = os.Stat(o.UserHome)
	}
	if w.Foreign == nil {
		w.Foreign = func(dir string) bool { return !ownedByUser(dir) }
	}
	for {
		parent := filepath.Dir(dir)
		if parent == dir || w.isHome(dir) {
			return Place{}, ErrNone
		}
		if err := w.enter(dir); err != nil {
			return Place{}, err
		}
		p, err := w.look(dir)
		if !errors.Is(err, ErrNone) || w.endsAt(dir) {
			return p, err
		}
		dir = parent
	}
}

// walk is one search upward.
type walk struct {
	DiscoverOptions
	home    os.FileInfo // of the user's home directory, or nil
	repo    *refs.Repo  // that holds the present folder, or nil
	top     string      // the top of its work tree, or where it is stood in
	trusted map[string]trustedBundle
}

// enter finds the repository of a folder, unless it is still the one of the
// folder below.
func (w *walk) enter(dir string) error {
	if w.repo != nil && within(dir, w.top) {
		return nil
	}
	repo, err := refs.Discover(dir)
	if errors.Is(err, refs.ErrNotRepo) {
		w.repo, w.top = nil, ""
		return nil
	}
	if err != nil {
		return err
	}
	w.repo, w.top = repo, repo.WorkTree
	if !within(dir, w.top) {
		w.top = standingTop(dir, repo)
	}
	return nil
}

func (w *walk) isHome(dir string) bool {
	if w.home == nil {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(info, w.home)
}

// standingTop is where a repository is stood in outside a work tree: its own
// folder, or the one whose .git leads to it.
func standingTop(dir string, repo *refs.Repo) string {
	if within(dir, repo.GitDir) {
		return repo.GitDir
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil || filepath.Dir(d) == d {
			return d
		}
	}
}

// look finds the bundle of exactly this folder.
func (w *walk) look(dir string) (Place, error) {
	foreign := w.Foreign(dir)
	if w.repo != nil {
		p, err := w.lookAtRef(dir, foreign)
		if !errors.Is(err, ErrNone) {
			return p, err
		}
	}
	p, err := w.lookInFolder(dir, foreign)
	if !errors.Is(err, ErrNone) {
		return p, err
	}
	if main, ok := w.mainFolder(dir); ok && !w.isHome(main) {
		return w.lookInFolder(main, w.Foreign(main))
	}
	return Place{}, ErrNone
}

func (w *walk) lookAtRef(dir string, foreign bool) (Place, error) {
	name, ok := w.refOf(dir)
	if !ok {
		return Place{}, ErrNone
	}
	p := Place{Kind: KindGit, Path: w.repo.CommonDir, Ref: name, WorkTree: w.top}
	if (foreign || w.Foreign(p.Path)) && !w.trusts(p) {
		return Place{}, ErrNone
	}
	tip, err := w.repo.Read(name)
	known, seen := w.State.LoadView(p)
	if errors.Is(err, refs.ErrNoRef) && (!seen || known.Tip == "") {
		return Place{}, ErrNone
	}
	if err != nil && !errors.Is(err, refs.ErrNoRef) && !errors.Is(err, refs.ErrCorrupt) {
		return Place{}, err
	}
	var markErr error
	if p.Marker, markErr = w.repo.Marker(); markErr != nil && !errors.Is(markErr, refs.ErrCorrupt) {
		return Place{}, markErr
	}
	same := seen && known.Marker == p.Marker
	switch {
	case err == nil:
		if seen && known.Tip == tip {
			p.Root = known.Root
		}
	case errors.Is(err, refs.ErrCorrupt):
		p.Frozen = unreadableRef(name)
	case same:
		p.Root, p.Frozen = known.Root, goneRef(name, known.Tip)
	default: // another repository of this path had one
		return Place{}, ErrNone
	}
	return p, nil
}

// refOf is the reference that a bundle of this folder would be on.
func (w *walk) refOf(dir string) (string, bool) {
	if dir == w.top {
		return refs.Project(), true
	}
	if w.top != w.repo.WorkTree {
		return "", false
	}
	rel, err := w.repo.Rel(dir)
	if err != nil {
		return "", false
	}
	return refs.AtFolder(rel), true
}

func (w *walk) lookInFolder(dir string, foreign bool) (Place, error) {
	p := Place{Kind: KindDir, Path: filepath.Join(dir, bundleDir), WorkTree: dir}
	if _, err := os.Lstat(p.Path); err != nil {
		return Place{}, ErrNone
	}
	if (foreign || w.Foreign(p.Path)) && !w.trusts(p) {
		return Place{}, ErrNone
	}
	root, frozen, exists := examine(p.Path)
	if !exists {
		return Place{}, ErrNone
	}
	p.Root, p.Frozen = root, frozen
	return p, nil
}

// mainFolder is the folder of the main work tree that corresponds to one of a
// linked work tree.
func (w *walk) mainFolder(dir string) (string, bool) {
	if w.repo == nil || w.top != w.repo.WorkTree || w.repo.GitDir == w.repo.CommonDir ||
		filepath.Base(w.repo.CommonDir) != ".git" {
		return "", false
	}
	rel, err := filepath.Rel(w.top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.Join(filepath.Dir(w.repo.CommonDir), rel), true
}

// endsAt tells whether the search ends here: at the top of a submodule.
func (w *walk) endsAt(dir string) bool {
	if w.repo == nil || dir != w.top {
		return false
	}
	_, inside := Superproject(w.repo)
	return inside
}

func (w *walk) trusts(p Place) bool {
	if w.trusted == nil {
		w.trusted = w.State.loadTrust().Bundles
	}
	_, ok := w.trusted[p.ID()]
	return ok
}

// The causes for which a reference freezes a bundle.
func goneRef(name, tip string) string {
	if tip == "" {
		return fmt.Sprintf("the reference %s is gone", name)
	}
	return fmt.Sprintf("the reference %s is gone; it was at %s", name, tip)
}

func unreadableRef(name string) string {
	return fmt.Sprintf("the reference %s is there and cannot be read", name)
}
