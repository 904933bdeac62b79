package wire

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"chatrail/hooks/install"
)

// aloneError says why a file is left alone.
type aloneError struct{ why string }

func (e *aloneError) Error() string { return e.why }

// errChanged says that somebody wrote the file meanwhile.
var errChanged = errors.New("it is being changed by another program: try again")

// file is a file as it was read.
type file struct {
	path    string // as it is named
	real    string // where links lead
	missing bool
	text    []byte
	info    fs.FileInfo
}

// readFile reads a file that may be edited: a regular one, through links, that
// its owner may write and that is not beyond all measure.
func readFile(path string) (*file, error) {
	f := &file{path: path, real: path}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if exists(path) {
			return nil, &aloneError{"it is a link that leads nowhere"}
		}
		f.missing = true
		f.real, err = reach(path)
		return f, err
	}
	if err != nil {
		return nil, &aloneError{"it cannot be reached: " + strings.TrimPrefix(short(err), "EvalSymlinks: ")}
	}
	f.real = real
	if f.info, err = os.Stat(real); err != nil {
		return nil, &aloneError{short(err)}
	}
	switch {
	case !f.info.Mode().IsRegular():
		return nil, &aloneError{"it is no file"}
	case f.info.Size() > maxFile:
		return nil, &aloneError{"it is larger than " + strconv.Itoa(maxFile>>10) + " KiB"}
	case f.info.Mode().Perm()&0o200 == 0:
		return nil, &aloneError{"it is read-only"}
	case names(f.info) > 1:
		return nil, &aloneError{"it has other names (hard links), which would keep the old text"}
	}
	in, err := os.Open(real)
	if err != nil {
		return nil, &aloneError{short(err)}
	}
	defer in.Close()
	if f.text, err = io.ReadAll(io.LimitReader(in, maxFile+1)); err != nil {
		return nil, &aloneError{short(err)}
	}
	return f, nil
}

// reach is where a file that is not there would be, with the links on the way.
func reach(path string) (string, error) {
	dir := filepath.Dir(path)
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !exists(dir) && dir != path:
		if real, err = reach(dir); err != nil {
			return "", err
		}
	case err != nil:
		return "", &aloneError{"its folder cannot be reached: " + short(err)}
	default:
		if info, err := os.Stat(real); err == nil && !info.IsDir() {
			return "", &aloneError{"its folder is a file"}
		}
	}
	return filepath.Join(real, filepath.Base(path)), nil
}

// short is an error of the file system without the path, which is said anyway.
func short(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// barred says why a file that could be read cannot be replaced, as far as that can
// be told without writing, "" for no reason.
func (f *file) barred() string {
	dir, what := filepath.Dir(f.real), "its folder cannot be written: "
	for !exists(dir) && filepath.Dir(dir) != dir {
		dir, what = filepath.Dir(dir), "its folder cannot be made: "
	}
	if err := mayWrite(dir); err != nil {
		return what + short(err)
	}
	if f.info != nil && !mayOwn(f.info) {
		return "it belongs to another user"
	}
	return ""
}

// step is called between the steps of a change; tests end the program there.
var step = func(string) {}

// write puts a text in the place of what was read: whole or not at all, in the
// file that links lead to, with its mode and owner, and only if nobody wrote it
// meanwhile.
func (f *file) write(text []byte, private bool) (err error) {
	folderMode, mode := fs.FileMode(0o777), fs.FileMode(0o666)
	if private {
		folderMode, mode = 0o700, 0o600
	}
	if f.info != nil {
		mode &= f.info.Mode().Perm() // never readable by more than the file is, not even half done
	}
	dir := filepath.Dir(f.real)
	made, err := makeFolders(dir, folderMode)
	if err != nil {
		return &aloneError{"its folder cannot be made: " + short(err)}
	}
	defer func() {
		if err != nil {
			removeFolders(made)
		}
	}()
	install.Sweep(dir)
	name := filepath.Join(dir, install.HalfDoneName())
	step("begin")
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return &aloneError{"its folder cannot be written: " + short(err)}
	}
	defer os.Remove(name) // gone when all went well
	step("created")
	_, err = out.Write(text)
	if f.info != nil {
		err = errors.Join(err, own(out, f.info), out.Chmod(f.info.Mode().Perm()), attributes(out.Name(), f.real))
	}
	step("written")
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return &aloneError{short(err)}
	}
	step("synced")
	if err := f.unchanged(); err != nil {
		return err
	}
	if err := os.Rename(name, f.real); err != nil {
		return &aloneError{short(err)}
	}
	step("renamed")
	_ = install.SyncFolder(dir) // it is done, whatever a file system thinks of this
	return nil
}

// unchanged looks once more, just before the change.
func (f *file) unchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.missing != f.missing || now.real != f.real || !bytes.Equal(now.text, f.text) || f.info != nil && !os.SameFile(now.info, f.info) {
		return errChanged
	}
	return nil
}

// plain tells whether the name is the file's own, not a link to it.
func (f *file) plain() bool {
	info, err := os.Lstat(f.path)
	return err == nil && info.Mode().IsRegular()
}

// remove takes a file away that was ours alone, and the folders that were made
// for it while nothing else is in them.
func (f *file) remove(folders []string) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(f.path); err != nil {
		return &aloneError{short(err)}
	}
	step("removed")
	_ = install.SyncFolder(filepath.Dir(f.real))
	f.tidy(folders)
	return nil
}

// tidy takes away what a killed installation left beside a file, and the folders
// that were made for it while nothing else is in them.
func (f *file) tidy(folders []string) {
	install.Sweep(filepath.Dir(f.real))
	removeFolders(folders)
}

// missingFolders are the folders that would be made for a path, innermost last.
func missingFolders(dir string) []string {
	if exists(dir) || filepath.Dir(dir) == dir {
		return nil
	}
	return append(missingFolders(filepath.Dir(dir)), dir)
}

// makeFolders makes what is missing of a path, and returns it, innermost last.
func makeFolders(dir string, mode fs.FileMode) ([]string, error) {
	if exists(dir) {
		return nil, nil
	}
	made, err := makeFolders(filepath.Dir(dir), mode)
	if err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return made, err
	}
	return append(made, dir), nil
}

// removeFolders removes folders while they are empty, innermost first.
func removeFolders(dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		_ = os.Remove(dirs[i]) // refused while something is in it
	}
}
