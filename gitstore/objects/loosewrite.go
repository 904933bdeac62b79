package objects

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// atOnce is how many files are written, and then synced, together: a file
// system makes many durable at little more than the price of one.
const atOnce = 32

// looseWriter writes loose objects below one objects directory. Nothing of it
// counts before sync was called.
type looseWriter struct {
	hash  Hash
	dir   string
	share func(path string) error // gives a new file or directory its mode
	dirs  map[string]bool         // directories to sync
}

// tempObject is a loose object before it has its name.
type tempObject struct {
	id   string
	file *os.File
}

// write stores objects that are not there yet.
func (w *looseWriter) write(objs []Object) error {
	for chunk := range slices.Chunk(objs, atOnce) {
		if err := w.writeChunk(chunk); err != nil {
			return err
		}
	}
	return nil
}

func (w *looseWriter) writeChunk(objs []Object) (err error) {
	var temps []tempObject
	defer func() {
		for _, t := range temps {
			t.file.Close()
			os.Remove(t.file.Name()) // where it was not renamed
		}
	}()
	for _, o := range objs {
		if w.fresh(o.ID) {
			continue
		}
		file, err := w.temp(o)
		if err != nil {
			return err
		}
		temps = append(temps, tempObject{o.ID, file})
	}
	err = inParallel(temps, func(t tempObject) error { return t.file.Sync() })
	for _, t := range temps {
		if err == nil {
			err = w.place(t)
		}
	}
	return err
}

// fresh says that an object is there and whole, and makes it young: an old one
// could be what a collection that is running now is about to remove.
func (w *looseWriter) fresh(id string) bool {
	if _, err := w.hash.readLoose(w.dir, id); err != nil {
		return false
	}
	now := time.Now()
	return os.Chtimes(loosePath(w.dir, id), now, now) == nil
}

// temp writes a temporary file beside the place of the object. git's own
// clean-up knows its name.
func (w *looseWriter) temp(o Object) (*os.File, error) {
	content, err := compress(o)
	if err != nil {
		return nil, err
	}
	file, err := w.create(filepath.Dir(loosePath(w.dir, o.ID)))
	if err != nil {
		return nil, err
	}
	// Its failure is no reason to refuse the object, as it is none for git on a
	// file system without modes.
	_ = w.share(file.Name())
	if _, err := file.Write(content); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return file, nil
}

// create makes a file in a directory and, where that is missing, the directory.
// One that git finds empty may go between our making and using it.
func (w *looseWriter) create(dir string) (file *os.File, err error) {
	for range 10 {
		name := filepath.Join(dir, "tmp_obj_"+strconv.FormatUint(rand.Uint64(), 36))
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return file, err
		}
		if err := w.mkdir(dir); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func (w *looseWriter) mkdir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if err == nil {
		_ = w.share(dir)
		w.dirs[w.dir] = true
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// place gives a synced file its name. Where it cannot have it, because somebody
// else wrote the same object and holds it open, theirs is as good.
func (w *looseWriter) place(t tempObject) error {
	if err := t.file.Close(); err != nil {
		return err
	}
	path := loosePath(w.dir, t.id)
	if err := os.Rename(t.file.Name(), path); err != nil {
		if _, readErr := w.hash.readLoose(w.dir, t.id); readErr != nil {
			return err
		}
	}
	w.dirs[filepath.Dir(path)] = true
	return nil
}

// sync makes the new names durable. A directory that is gone was emptied by git
// into a pack, which git has synced.
func (w *looseWriter) sync() error {
	var dirs []string
	for dir := range w.dirs {
		dirs = append(dirs, dir)
	}
	return inParallel(dirs, func(dir string) error {
		if err := syncDir(dir); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// inParallel calls fn for every item, a bounded number at a time.
func inParallel[T any](items []T, fn func(T) error) error {
	errs := make([]error, len(items))
	turns := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, item := range items {
		turns <- struct{}{}
		all.Go(func() {
			errs[i] = fn(item)
			<-turns
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}
