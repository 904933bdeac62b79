package task

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

const (
	declaredDir     = "declared"
	declaredVersion = 1
	// MaxDeclared bounds the paths of one ledger: the oldest go.
	MaxDeclared = 20_000
)

// Project names a work tree: what is remembered of its paths belongs to no other
// work tree of the same repository.
type Project struct {
	CommonDir string `json:"common_dir"`
	WorkTree  string `json:"work_tree"`
}

// ID names the project in the state home: 32 hex digits.
func (p Project) ID() string {
	sum := sha256.Sum256([]byte("chatrail-project-v1\x00" + p.CommonDir + "\x00" + p.WorkTree))
	return hex.EncodeToString(sum[:16])
}

// PathKey stands for a path of a work tree, whatever its bytes. A path is text of
// somebody's, and none is kept where a digest will do.
func PathKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:16])
}

// Declaration says that a changed path, with this content, is work on something.
type Declaration struct {
	Content string    `json:"content"`         // see worktree.Content
	Items   []string  `json:"items,omitempty"` // none: work on no item
	Review  string    `json:"review,omitempty"`
	Head    string    `json:"head,omitempty"` // of the work tree when it was last declared
	At      time.Time `json:"at"`
}

// Declared is the ledger of the declared paths of one project.
type Declared struct {
	Version int `json:"version"`
	Project
	Paths map[string]Declaration `json:"paths"` // by PathKey
}

// TreeState is the changed paths of a project with their contents, as a review saw
// them.
type TreeState struct {
	Project
	Contents map[string]string `json:"contents"` // by PathKey
	// Whole says that no other path is changed: what was declared of others is
	// forgotten.
	Whole bool `json:"whole,omitempty"`
}

// LoadDeclared reads the ledger of a project, an empty one where there is none.
// A ledger that cannot be understood is an error.
func (h Home) LoadDeclared(p Project) (Declared, error) {
	data, err := h.ReadFile(declaredDir, p.ID()+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return Declared{}, nil
	}
	if err != nil {
		return Declared{}, err
	}
	return decodeDeclared(data, p)
}

func decodeDeclared(data []byte, p Project) (Declared, error) {
	l, err := decodeLedger[Declared](data)
	if err == nil && (l.Version != declaredVersion || l.Project != p) {
		err = errors.New("of another version or another project")
	}
	if err != nil {
		return Declared{}, fmt.Errorf("the ledger of declared paths cannot be read (%w)", err)
	}
	return l, nil
}

// Declare records the changed paths of a project as work on what d names. Of a
// path that was declared with the same content it keeps what it was declared as,
// and what was declared later than d stands.
// A ledger that cannot be understood is kept aside and begun anew.
func (h Home) Declare(ctx context.Context, f TreeState, d Declaration) error {
	return editLedger(ctx, h, declaredDir, f.ID()+".json", func(l *Declared) bool {
		return l.Version == declaredVersion && l.Project == f.Project
	}, func(l *Declared) {
		l.Version, l.Project = declaredVersion, f.Project
		l.record(f, d)
	})
}

func (l *Declared) record(f TreeState, d Declaration) {
	paths := make(map[string]Declaration, len(f.Contents))
	if !f.Whole {
		for path, old := range l.Paths {
			paths[path] = old
		}
	}
	for path, content := range f.Contents {
		next := d
		next.Content = content
		if old, ok := l.Paths[path]; ok {
			same := old.Content == content && (len(old.Items) > 0 || len(d.Items) == 0)
			switch {
			case old.At.After(d.At):
				next = old
			case same:
				next = old
				next.Head, next.At = d.Head, d.At
			}
		}
		paths[path] = next
	}
	l.Paths = paths
	l.trim(MaxDeclared)
}

// trim forgets the oldest declarations beyond a number.
func (l *Declared) trim(most int) {
	if len(l.Paths) <= most {
		return
	}
	order := make([]string, 0, len(l.Paths))
	for path := range l.Paths {
		order = append(order, path)
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(l.Paths[b].At.Compare(l.Paths[a].At), cmp.Compare(a, b))
	})
	for _, path := range order[most:] {
		delete(l.Paths, path)
	}
}
