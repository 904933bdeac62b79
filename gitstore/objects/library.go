package objects

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// library reads packs without the git program. It loads whole pack indexes,
// which is why it comes last.
type library struct {
	storages []*filesystem.Storage // of each objects directory
}

// openLibrary reads below dirs, which are objects directories: the repository's
// own and, resolved as git does it, those it borrows from.
func openLibrary(dirs []string) *library {
	l := &library{}
	for _, dir := range dirs {
		if filepath.Base(dir) != "objects" {
			continue
		}
		l.storages = append(l.storages, filesystem.NewStorageWithOptions(
			packsOnly{osfs.New(filepath.Dir(dir), osfs.WithBoundOS())},
			cache.NewObjectLRU(4*cache.MiByte),
			filesystem.Options{LargeObjectThreshold: MaxSize}))
	}
	return l
}

// packsOnly hides everything but packs: the loose objects were looked at
// before, in bounds that the library does not keep, and the alternates are
// known.
type packsOnly struct{ billy.Filesystem }

// Open opens a file of a pack.
func (p packsOnly) Open(name string) (billy.File, error) {
	if !strings.HasPrefix(filepath.ToSlash(name), "objects/pack/") {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return p.Filesystem.Open(name)
}

// get reads one object.
func (l *library) get(id string) (Object, error) {
	for _, storage := range l.storages {
		found, err := storage.EncodedObject(plumbing.AnyObject, plumbing.NewHash(id))
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return Object{}, err
		}
		return read(found, id)
	}
	return Object{}, ErrMissing
}

func read(found plumbing.EncodedObject, id string) (Object, error) {
	if tooLarge(Kind(found.Type().String()), found.Size()) {
		return Object{}, ErrTooLarge
	}
	r, err := found.Reader()
	if err != nil {
		return Object{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return Object{}, err
	}
	o := SHA1.Object(Kind(found.Type().String()), data)
	if o.ID != id {
		return Object{}, ErrMissing
	}
	return o, nil
}
