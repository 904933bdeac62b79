package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"chatrail/refs"
)

// What Content says of a path that has no bytes to digest.
const (
	Deleted = "deleted" // nothing that git would track is there
	Other   = "other"   // a pipe, a socket or a device
)

// Content is a short text that is equal as long as a path of a listing is: what
// kind of thing it is and a SHA-256 of it.
//
//	file:<hex>, exec:<hex>       its bytes
//	link:<hex>                   its target
//	commit:<id>, commit:<id>+MU  a repository inside: its HEAD ("none" without one), and Change.Inside
//	deleted, other
//
// root is the top of the work tree. Whether something is staged makes no
// difference. A path below a link is no path of this work tree: deleted.
func Content(root string, c Change) (string, error) {
	r := reader{ctx: context.Background(), root: root}
	return r.content(c)
}

// Bounds keep a huge untracked tree from being read to its end.
type Bounds struct {
	Paths int   // how many paths are read, 0 for all
	Bytes int64 // how many bytes are read, 0 for all
}

// Contents is Content for many paths: by path, as it stands in the listing. A
// path without an answer is missing and partial is set: because the context
// ended, because of the bounds, or because it cannot be read.
func Contents(ctx context.Context, root string, changes []Change, b Bounds) (contents map[string]string, partial bool) {
	contents = make(map[string]string, len(changes))
	r := reader{ctx: ctx, root: root}
	if b.Bytes > 0 {
		r.bytes = &b.Bytes
	}
	for _, c := range changes {
		if _, known := contents[c.Path]; known {
			continue
		}
		if ctx.Err() != nil || b.Paths > 0 && len(contents) == b.Paths {
			return contents, true
		}
		text, err := r.content(c)
		switch {
		case errors.Is(err, errBound):
			return contents, true
		case err != nil:
			partial = true
		default:
			contents[c.Path] = text
		}
	}
	return contents, partial
}

var errBound = errors.New("more bytes than were asked for")

// reader reads contents below one root.
type reader struct {
	ctx    context.Context
	root   string
	bytes  *int64          // what may still be read, nil for any number
	folder map[string]bool // whether a path is a folder, and no link to one
	buffer []byte
}

func (r *reader) content(c Change) (string, error) {
	path := strings.TrimSuffix(c.Path, "/")
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", fmt.Errorf("%q is no path inside a work tree", c.Path)
	}
	if !r.inFolders(path) {
		return Deleted, nil
	}
	full := filepath.Join(r.root, filepath.FromSlash(path))
	fi, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Deleted, nil
	case err != nil:
		return "", err
	case fi.IsDir():
		return repository(full, c)
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256([]byte(target))
		return "link:" + hex.EncodeToString(sum[:]), nil
	case !fi.Mode().IsRegular():
		return Other, nil
	}
	return r.file(full)
}

// inFolders reports whether all that leads to a path are folders. Neighbours
// share the answer.
func (r *reader) inFolders(path string) bool {
	at := strings.LastIndexByte(path, '/')
	if at < 0 {
		return true
	}
	parent := path[:at]
	if is, known := r.folder[parent]; known {
		return is
	}
	is := r.inFolders(parent)
	if is {
		// What cannot be looked at is an error of the path itself.
		fi, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(parent)))
		is = err == nil && fi.IsDir() || errors.Is(err, fs.ErrPermission)
	}
	if r.folder == nil {
		r.folder = map[string]bool{}
	}
	r.folder[parent] = is
	return is
}

// repository is what a folder in a listing is: a submodule, or a repository that
// is not tracked. Any other folder stands where something tracked is gone.
func repository(full string, c Change) (string, error) {
	repo, err := refs.At(full)
	if errors.Is(err, refs.ErrNotRepo) {
		return Deleted, nil
	}
	if err != nil {
		return "", err
	}
	head, err := repo.Head()
	if err != nil {
		return "", err
	}
	text := "commit:" + head.Commit
	if head.Commit == "" {
		text += "none"
	}
	if c.Inside != "" {
		text += "+" + c.Inside
	}
	return text, nil
}

// file digests the bytes of a file. It is opened without waiting, in case a pipe
// took its place.
func (r *reader) file(full string) (string, error) {
	f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Deleted, nil
		}
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return Other, nil
	}
	if r.buffer == nil {
		r.buffer = make([]byte, 128<<10)
	}
	sum := sha256.New()
	for {
		if err := r.ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(r.buffer)
		if r.bytes != nil {
			if *r.bytes -= int64(n); *r.bytes < 0 {
				return "", errBound
			}
		}
		sum.Write(r.buffer[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	kind := "file:"
	if fi.Mode()&0o100 != 0 {
		kind = "exec:"
	}
	return kind + hex.EncodeToString(sum.Sum(nil)), nil
}
