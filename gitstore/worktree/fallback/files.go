package fallback

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// files compares the index with the files of a work tree.
type files struct {
	ctx     context.Context
	top     string
	set     settings
	written time.Time       // when the index was
	folders map[string]bool // whether a path is a folder, and no link to one
}

func newFiles(ctx context.Context, top string, set settings, idx *index.Index) *files {
	return &files{ctx: ctx, top: top, set: set, written: idx.ModTime, folders: map[string]bool{"": true}}
}

// compare is the path of an entry with git's second letter for it.
func (f *files) compare(e *index.Entry) worktree.Change {
	c := worktree.Change{Path: e.Name, State: " "}
	if e.SkipWorktree {
		return c
	}
	full := filepath.Join(f.top, filepath.FromSlash(e.Name))
	fi, err := os.Lstat(full)
	switch {
	case missing(err) || !f.inFolders(e.Name):
		c.State = "D"
	case err != nil: // what cannot be looked at is nothing that git lists
	case e.Mode == filemode.Submodule && !e.IntentToAdd:
		f.submodule(&c, full, fi, e)
	case fi.IsDir() && e.Mode != filemode.Submodule:
		c.State = "D"
		if commitOf(full) != "" {
			c.State = "T" // a repository took the place
		}
	case e.IntentToAdd:
		c.State = "A"
	case kind(f.mode(fi, e)) != kind(e.Mode):
		c.State = "T"
	case executable(f.mode(fi, e)) != executable(e.Mode) || !f.sameContent(full, fi, e):
		c.State = "M"
	}
	return c
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// inFolders reports whether all that leads to a path are folders.
func (f *files) inFolders(path string) bool {
	parent := path[:max(strings.LastIndexByte(path, '/'), 0)]
	is, known := f.folders[parent]
	if !known {
		fi, err := os.Lstat(filepath.Join(f.top, filepath.FromSlash(parent)))
		is = f.inFolders(parent) && (err == nil && fi.IsDir() || errors.Is(err, fs.ErrPermission))
		f.folders[parent] = is
	}
	return is
}

// mode is what git would give to what is there: anything that is no link counts
// as a file.
func (f *files) mode(fi fs.FileInfo, e *index.Entry) filemode.FileMode {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return filemode.Symlink
	case !f.set.symlinks && e.Mode == filemode.Symlink && fi.Mode().IsRegular():
		return e.Mode
	case !f.set.fileMode && kind(e.Mode) == kind(filemode.Regular):
		return e.Mode
	case fi.Mode()&0o100 != 0:
		return filemode.Executable
	}
	return filemode.Regular
}

// sameContent trusts the size and the time that the index remembers, unless the
// file may have been written after them in the same moment.
func (f *files) sameContent(full string, fi fs.FileInfo, e *index.Entry) bool {
	sameSize := uint32(fi.Size()) == e.Size
	if sameSize && fi.ModTime().Equal(e.ModifiedAt) && fi.ModTime().Before(f.written) {
		return true
	}
	if !sameSize && e.Size != 0 { // git writes a 0 where it does not trust the rest
		return false
	}
	id, err := blob(full, fi)
	return err == nil && id == e.Hash
}

// blob is the id of a file or a link. A file is opened without waiting, in case
// a pipe took its place.
func blob(full string, fi fs.FileInfo) (plumbing.Hash, error) {
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		return plumbing.ComputeHash(plumbing.BlobObject, []byte(target)), err
	}
	f, err := openFile(full)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer f.Close()
	h := plumbing.NewHasher(plumbing.BlobObject, fi.Size())
	if _, err := io.Copy(h, f); err != nil {
		return plumbing.ZeroHash, err
	}
	return h.Sum(), nil
}

var errNoFile = errors.New("not a file")

func openFile(full string) (*os.File, error) {
	f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(errNoFile, err)
	}
	return f, nil
}

// submodule compares the commit that a submodule stands at, and what is changed
// in it. One that is not checked out is as it should be.
func (f *files) submodule(c *worktree.Change, full string, fi fs.FileInfo, e *index.Entry) {
	c.Submodule = true
	if !fi.IsDir() {
		c.State = "T"
		return
	}
	repo, err := refs.At(full)
	if err != nil || repo.WorkTree == "" {
		return
	}
	head, err := repo.Head()
	if err != nil || head.Commit == "" {
		return
	}
	if repo.WorkTree == full { // it may say that its files are elsewhere, even here
		changes, _ := changed(f.ctx, repo) // what cannot be read has no changes that could be told
		c.Inside = inside(changes)
	}
	if head.Commit != e.Hash.String() || c.Inside != "" {
		c.State = "M"
	}
}

// inside sums up the changes in a submodule as worktree.Change has it.
func inside(changes []worktree.Change) string {
	var modified, untracked string
	for _, c := range changes {
		if c.State == "??" || c.State == " M" && c.Inside == "U" {
			untracked = "U"
		} else {
			modified = "M"
		}
	}
	return modified + untracked
}

// commitOf is where the repository in a folder stands, "" if there is none.
func commitOf(full string) string {
	repo, err := refs.At(full)
	if err != nil || repo.WorkTree == "" {
		return ""
	}
	head, err := repo.Head()
	if err != nil {
		return ""
	}
	return head.Commit
}
