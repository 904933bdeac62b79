package refs

import "fmt"

// Read is the id that a reference below refs/ has. It returns ErrNoRef where
// there is none, and ErrCorrupt where there is one that holds no id, a symbolic
// reference included. Linked work trees see the same references.
//
// It takes no lock: the answer was true at some moment during the call.
func (r *Repo) Read(name string) (string, error) {
	if !validName(name) {
		return "", fmt.Errorf("%q is no reference name", name)
	}
	if !r.hasFiles() {
		return r.readByGit(name)
	}
	v, err := r.lookup(name)
	switch {
	case err != nil:
		return "", err
	case v.absent():
		return "", fmt.Errorf("%w: %s", ErrNoRef, name)
	case v.target != "":
		return "", fmt.Errorf("%w: %s is a symbolic reference", ErrCorrupt, name)
	}
	return v.id, nil
}

// hasFiles reports whether references are files that we read ourselves.
func (r *Repo) hasFiles() bool { return r.RefStorage == "files" }

// lookup reads a reference without following it: loose, else packed, else loose
// again, because "git pack-refs" may have been undone by a new write between
// the two looks.
func (r *Repo) lookup(name string) (value, error) {
	v, err := r.loose(name)
	if err != nil || !v.absent() || perWorktree(name) {
		return v, err
	}
	p, closePacked, err := r.openPacked()
	if err != nil {
		return value{}, err
	}
	defer closePacked()
	if p != nil {
		id, err := p.lookup(name)
		if err != nil || id != "" {
			return value{id: id}, err
		}
	}
	return r.loose(name)
}
