package refs

import (
	"fmt"
	"strings"
)

// Head is where a work tree stands.
type Head struct {
	Branch   string // "main"; the whole name for a reference outside refs/heads/; "" when detached
	Commit   string // "" when unborn
	Detached bool   // HEAD holds an id
	Unborn   bool   // the branch has no commit yet
}

// maxSymrefs is how many symbolic references git follows.
const maxSymrefs = 5

// Head reads HEAD of this work tree and follows it. The branch is the last name
// of a chain of symbolic references. It returns ErrCorrupt where HEAD holds
// neither an id nor the name of a reference, or a chain does not end.
func (r *Repo) Head() (Head, error) {
	if !r.hasFiles() {
		return r.headByGit()
	}
	v, err := r.loose("HEAD")
	if err != nil {
		return Head{}, err
	}
	if v.absent() {
		return Head{}, fmt.Errorf("%w: HEAD is missing", ErrCorrupt)
	}
	if v.id != "" {
		return Head{Commit: v.id, Detached: true}, nil
	}
	for range maxSymrefs {
		name := v.target
		if v, err = r.lookup(name); err != nil {
			return Head{}, err
		}
		if v.target == "" {
			return Head{Branch: shortName(name), Commit: v.id, Unborn: v.absent()}, nil
		}
	}
	return Head{}, fmt.Errorf("%w: HEAD leads through too many symbolic references", ErrCorrupt)
}

func shortName(name string) string { return strings.TrimPrefix(name, "refs/heads/") }
