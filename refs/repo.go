package refs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Repo is a repository as it was found. It holds no open file, and its methods
// may be called from several goroutines at once.
type Repo struct {
	GitDir       string // absolute, without links; of a linked work tree its own
	CommonDir    string // absolute, without links; where references and objects are
	WorkTree     string // absolute, without links; "" in a bare repository and inside a git dir
	Bare         bool
	ObjectFormat string // "sha1" or "sha256"
	RefStorage   string // "files", or what git calls another one, as "reftable"

	shared  sharing
	owned   []string // paths whose owner git would check
	stand   string   // where git commands start, "" for the work tree or the git dir
	reached func(point)
}

// Discover finds the repository of a folder as git does in an environment
// without git variables: upward to the first .git that is one, to a bare
// repository, or to the end of the file system. An empty dir is the working
// directory.
//
// It returns ErrNotRepo, ErrUnsupported, or the error of a folder that cannot
// be looked at, such as a deleted working directory.
func Discover(dir string) (*Repo, error) {
	dir, err := startAt(dir)
	if err != nil {
		return nil, err
	}
	f, err := search(dir, noEnviron)
	if err != nil {
		return nil, err
	}
	return f.repo(dir, noEnviron)
}

// At is Discover without the way upward: it finds only a repository whose work
// tree begins in this folder, or whose git dir this folder is.
func At(dir string) (*Repo, error) {
	dir, err := startAt(dir)
	if err != nil {
		return nil, err
	}
	f, ok, err := examine(dir, noEnviron)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotRepo, dir)
	}
	return f.repo(dir, noEnviron)
}

// OwnedByOther reports whether git would want a safe.directory setting for this
// repository: its folder, its .git or its git dir belongs to another user.
// Under sudo the user who called it counts as the owner too. A repository that
// GIT_DIR named is never checked, as in git.
func (r *Repo) OwnedByOther() bool {
	for _, path := range r.owned {
		if !ownedByUser(path) {
			return true
		}
	}
	return false
}

// ZeroID is git's name for no object, as long as the ids of this repository.
func (r *Repo) ZeroID() string { return strings.Repeat("0", r.idLength()) }

func (r *Repo) idLength() int {
	if r.ObjectFormat == "sha256" {
		return 64
	}
	return 40
}

// Rel is the slash-separated path of a folder below the top of the work tree,
// "" for the top itself. It returns ErrOutside for any other folder.
func (r *Repo) Rel(dir string) (string, error) {
	dir, err := startAt(dir)
	if err != nil {
		return "", err
	}
	if r.WorkTree == "" {
		return "", fmt.Errorf("%w: %s has none", ErrOutside, r.GitDir)
	}
	top, err := os.Stat(r.WorkTree)
	if err != nil {
		return "", err
	}
	// Folders are compared, not their names: a file system may know one folder
	// under names that differ in case.
	rel := ""
	for at := dir; ; {
		if fi, err := os.Stat(at); err == nil && os.SameFile(fi, top) {
			return rel, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("%w: %s", ErrOutside, dir)
		}
		rel = path.Join(filepath.Base(at), rel)
		at = up
	}
}

// startAt is the absolute path of an existing folder, without links.
func startAt(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	fi, err := os.Stat(abs)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s is not a folder", abs)
	}
	return abs, nil
}

// Owned reports whether a path belongs to this user, as git asks it of a
// repository's folders.
func Owned(path string) bool { return ownedByUser(path) }
