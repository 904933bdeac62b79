package dir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"chatrail/bundle"

	"github.com/google/uuid"
)

// disk is every way in which this package changes the file system. Each method
// that returns nil has made its change survive a power loss, except rename and
// remove, which need a syncDir of their folder.
type disk interface {
	// create makes a new file with that content; exact sets the mode whatever
	// the umask says.
	create(path string, data []byte, mode fs.FileMode, exact bool) error
	// extend writes data at the end of a file of that size, in one write.
	extend(path string, size int64, data []byte) error
	truncate(path string, size int64) error
	rename(from, to string) error
	remove(path string) error
	// mkdir makes one folder.
	mkdir(path string, mode fs.FileMode) error
	syncDir(path string) error
}

var errNotRegular = errors.New("is not a regular file")

// errMoved says that the events file is not the one that was read.
var errMoved = errors.New("the events file changed under the lock")

// osDisk is the real one. Only tests that pull no plug go unsynced.
type osDisk struct{ unsynced bool }

func (d osDisk) create(path string, data []byte, mode fs.FileMode, exact bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if exact && err == nil {
		err = f.Chmod(mode)
	}
	if err := d.finish(f, err); err != nil {
		_ = os.Remove(path)
		return err
	}
	return nil
}

func (d osDisk) extend(path string, size int64, data []byte) error {
	f, err := openNoFollow(path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != size {
		err = errMoved
	}
	if err == nil {
		_, err = f.Write(data)
	}
	return d.finish(f, err)
}

func (d osDisk) truncate(path string, size int64) error {
	f, err := openNoFollow(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	return d.finish(f, f.Truncate(size))
}

func (osDisk) rename(from, to string) error { return replace(from, to) }
func (osDisk) remove(path string) error     { return os.Remove(path) }

func (d osDisk) mkdir(path string, mode fs.FileMode) error {
	if err := os.Mkdir(path, mode); err != nil {
		return err
	}
	return d.syncDir(filepath.Dir(path))
}

func (d osDisk) syncDir(path string) error {
	if d.unsynced {
		return nil
	}
	return syncDir(path)
}

// finish syncs and closes a file that was written with err.
func (d osDisk) finish(f *os.File, err error) error {
	if err == nil && !d.unsynced {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// regular takes what an open returned and refuses what is not a regular file.
func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readFile reads a regular file of at most max bytes, one more where it is
// longer.
func readFile(path string, max int64) ([]byte, error) {
	f, err := openNoFollow(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, max+1))
}

// tempPrefix begins the name of every file that is not yet, or no longer, a
// part of the bundle.
const tempPrefix = ".chatrail-tmp-"

func (s *Store) tempName() string { return filepath.Join(s.path, tempPrefix+uuid.NewString()) }

// modes of new files and folders.
func (o Options) fileMode() fs.FileMode {
	if o.Private {
		return 0o600
	}
	return 0o666
}

func (o Options) dirMode() fs.FileMode {
	if o.Private {
		return 0o700
	}
	return 0o777
}

// writeError gives a failed write its meaning.
func writeError(err error) error {
	if err != nil && unwritable(err) {
		return &bundle.UnwritableError{Err: err}
	}
	return err
}
