package task

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxRead bounds what is read from one file of the state home.
const maxRead = 64 << 20

// Unwritable tells whether an error means that this process may not write
// there, or that there is no room, so that the text has to go elsewhere.
func Unwritable(err error) bool {
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, ErrNoHome} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// ReadFile reads a file of the state home, such as a ledger: dir is a
// slash-separated folder below the home, "" for the home itself. It fails with
// fs.ErrNotExist where there is none, and when anything on the way is a link.
func (h Home) ReadFile(dir, name string) ([]byte, error) {
	folder, err := h.openFolder(dir, false)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return readRegular(folder, name, maxRead)
}

// ReplaceFile writes a file of the state home by rename, without a sync, and
// makes its folder. It fails when anything on the way is a link.
func (h Home) ReplaceFile(dir, name string, data []byte) error {
	return h.replace(dir, name, data, false)
}

func (h Home) replace(dir, name string, data []byte, durable bool) error {
	folder, err := h.openFolder(dir, true)
	if err != nil {
		return err
	}
	defer folder.Close()
	return replaceIn(folder, name, data, durable)
}

// RemoveFile takes a file of the state home away, and its folder where that is
// empty then. It fails with fs.ErrNotExist where there is none, and when anything
// on the way is a link.
func (h Home) RemoveFile(dir, name string) error {
	folder, err := h.openFolder(dir, false)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := checkName(name); err != nil {
		return err
	}
	if err := folder.Remove(name); err != nil || dir == "" || strings.Contains(dir, "/") {
		return err
	}
	home, err := h.openFolder("", false)
	if err != nil {
		return err
	}
	defer home.Close()
	_ = home.Remove(dir) // one that holds something stays
	return nil
}

// openFolder opens a folder below the home, component by component, so that
// none of them can be a link. Only the home itself may be reached by one.
func (h Home) openFolder(dir string, create bool) (*os.Root, error) {
	if h.Dir == "" {
		return nil, ErrNoHome
	}
	root, err := os.OpenRoot(h.Dir)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(h.Dir, 0o700); err == nil {
			root, err = os.OpenRoot(h.Dir)
		}
	}
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return root, nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		next, err := openBelow(root, part, create)
		root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

func openBelow(parent *os.Root, name string, create bool) (*os.Root, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	info, err := parent.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := parent.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = parent.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, shapeError(parent, name, "a folder", info)
	}
	return parent.OpenRoot(name)
}

// readRegular reads a regular file of at most limit bytes. It looks before it
// opens: opening a named pipe would wait, and a link is not followed.
func readRegular(folder *os.Root, name string, limit int64) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, shapeError(folder, name, "a regular file", info)
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", filepath.Join(folder.Name(), name), limit)
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // one piece, where it does not grow meanwhile
	_, err = data.ReadFrom(io.LimitReader(f, limit))
	return data.Bytes(), err
}

func replaceIn(folder *os.Root, name string, data []byte, durable bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	if info, err := folder.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return shapeError(folder, name, "a regular file", info)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := writeTemp(folder, data, durable)
	if err != nil {
		return err
	}
	if err := folder.Rename(temp, name); err != nil {
		return errors.Join(err, folder.Remove(temp))
	}
	if durable {
		return syncFolder(folder)
	}
	return nil
}

// writeTemp writes a new 0600 file and returns its name, or leaves none.
func writeTemp(folder *os.Root, data []byte, durable bool) (string, error) {
	// The name need not be secret: O_EXCL refuses whatever stands there.
	name := ".tmp-" + strconv.FormatUint(rand.Uint64(), 36)
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		folder.Remove(name)
		return "", err
	}
	return name, nil
}

// setAside renames a file that cannot be read as what it should be, and
// returns its new path. A file that is gone is no error: somebody was first.
func (h Home) setAside(dir, name string) (string, error) {
	folder, err := h.openFolder(dir, false)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	aside := fmt.Sprintf("%s.damaged-%s-%s", name, time.Now().UTC().Format("20060102T150405"),
		strconv.FormatUint(uint64(rand.Uint32()), 36))
	if err := folder.Rename(name, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return filepath.Join(folder.Name(), aside), nil
}

// names lists a folder of the home; a folder that is not there has none.
func (h Home) names(dir string) ([]string, error) {
	folder, err := h.openFolder(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return namesIn(folder)
}

func namesIn(folder *os.Root) ([]string, error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") || !filepath.IsLocal(name) {
		return fmt.Errorf("%q is not a file name", name)
	}
	return nil
}

func shapeError(folder *os.Root, name, want string, info fs.FileInfo) error {
	is := "something else"
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		is = "a link"
	case info.IsDir():
		is = "a folder"
	case info.Mode().IsRegular():
		is = "a file"
	}
	return fmt.Errorf("%s is %s where %s should be: move it away", filepath.Join(folder.Name(), name), is, want)
}
