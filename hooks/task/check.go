package task

import (
	"errors"
	"io/fs"

	"chatrail/refs"
)

// Standing is what stands at a place now.
type Standing struct {
	// Place is the place as it was pinned, with the root revision and the
	// marker filled in where they are known by now.
	Place Place
	// Repo is the repository of a bundle on a reference, nil for a folder and
	// where there is none any more.
	Repo *refs.Repo
	// Tip is the id that the reference has, "" for a folder.
	Tip string
	// Frozen is the cause for which nothing may be written there, "" while the
	// same bundle stands there as far as can be told without reading objects.
	// Its wording is stable for one cause.
	Frozen string
	// AskRoot says that the cause is settled when the root revision of the
	// bundle turns out to be Place.Root: a repository that was cloned anew has
	// another marker and can have the same bundle.
	AskRoot bool
}

// Check tells whether what stands at a place is still the bundle that the
// place was made for. It goes by what is there now, so that a bundle that was
// repaired is no longer frozen. The error says that it could not be told.
//
// It reads no objects, so it compares the root revision only where a view of
// this very tip knows it; whoever opens the store compares it again.
func (h Home) Check(p Place) (Standing, error) {
	if p.Kind == KindGit {
		return h.checkRef(p)
	}
	s := Standing{Place: p}
	s.Place.Frozen = ""
	root, frozen, exists := examine(p.Path)
	switch {
	case !exists:
		s.Frozen = "the bundle folder is gone"
	case frozen != "":
		s.Frozen = frozen
	case p.Root != "" && p.Root != root:
		s.Frozen = "another bundle stands where that of this task was"
	default:
		s.Place.Root = root
	}
	return s, nil
}

func (h Home) checkRef(p Place) (Standing, error) {
	s := Standing{Place: p}
	s.Place.Frozen = ""
	repo, err := refs.At(p.Path)
	if errors.Is(err, refs.ErrNotRepo) || errors.Is(err, fs.ErrNotExist) {
		s.Frozen = "the repository of the bundle is gone"
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Repo = repo
	marker, err := repo.Marker()
	if err != nil && !errors.Is(err, refs.ErrCorrupt) {
		return s, err
	}
	s.Tip, err = repo.Read(p.Ref)
	switch {
	case err == nil:
		h.identify(&s, marker)
	case p.Marker != "" && marker != p.Marker:
		s.Frozen = foreignRepo
	case errors.Is(err, refs.ErrNoRef):
		s.Frozen = goneRef(p.Ref, h.KnownTip(p))
	case errors.Is(err, refs.ErrCorrupt):
		s.Frozen = unreadableRef(p.Ref)
	default:
		return s, err
	}
	return s, nil
}

const foreignRepo = "another repository stands where that of the bundle was"

// identify compares a bundle that can be read with the one that was pinned.
func (h Home) identify(s *Standing, marker string) {
	p := &s.Place
	v, seen := h.LoadView(*p)
	seen = seen && v.Tip == s.Tip && v.Root != ""
	switch {
	case seen && p.Root != "" && v.Root != p.Root:
		// Unless the history was joined with another one: that takes a look at it.
		s.Frozen, s.AskRoot = "another bundle stands on "+p.Ref, true
		return
	case p.Marker != "" && marker != p.Marker && !(seen && p.Root != ""):
		s.Frozen, s.AskRoot = foreignRepo, p.Root != ""
		return
	}
	p.Marker = marker
	if seen {
		p.Root = v.Root
	}
}
