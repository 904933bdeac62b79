package install

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keptFolder is the folder beside the hooks that holds those which were there
// before, each under its own name.
const keptFolder = "chatrail-kept"

// slot is the place of one hook.
type slot struct{ dir, hook string }

func (s slot) path() string { return filepath.Join(s.dir, s.hook) }
func (s slot) kept() string { return filepath.Join(s.dir, keptFolder, s.hook) }

// standing is what is in a slot.
type standing struct {
	missing    bool
	text       []byte // of a file, nil for a link
	author     authorship
	executable bool
}

// maxHook bounds the text of a hook that could be ours.
const maxHook = 1 << 20

func (s slot) look() (standing, error) {
	fi, err := os.Lstat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return standing{missing: true}, nil
	case err != nil:
		return standing{}, err
	case fi.Mode()&fs.ModeSymlink != 0:
		return standing{}, nil
	case !fi.Mode().IsRegular():
		return standing{}, &RefusedError{s.path() + " is neither a file nor a link: move it away first"}
	case fi.Size() > maxHook:
		return standing{}, nil
	}
	text, err := os.ReadFile(s.path())
	if err != nil {
		return standing{}, err
	}
	return standing{text: text, author: author(s.hook, text), executable: fi.Mode().Perm()&0o111 != 0}, nil
}

// holds tells whether a hook is kept.
func (s slot) holds() bool {
	_, err := os.Lstat(s.kept())
	return err == nil
}

// keep makes a second name for what is in the slot, so that there is no moment
// without it; what was kept before is replaced. A link that is relative counts
// from the folder below.
func (s slot) keep(share func(path string) error) error {
	below := filepath.Join(s.dir, keptFolder)
	if err := os.Mkdir(below, 0o777); err == nil {
		if err := share(below); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return replace(s.kept(), func(name string) error {
		if target, err := os.Readlink(s.path()); err == nil {
			if !filepath.IsAbs(target) {
				target = "../" + target
			}
			return os.Symlink(target, name)
		}
		if os.Link(s.path(), name) == nil {
			return nil
		}
		return copyFile(s.path(), name)
	})
}

// restore puts back what was kept, or leaves the place empty where nothing was:
// the slot, or where a hook manager moved ours.
func (s slot) restore(place string) error {
	target, err := os.Readlink(s.kept())
	switch {
	case err == nil:
		if !filepath.IsAbs(target) {
			var ok bool
			if target, ok = strings.CutPrefix(target, "../"); !ok {
				return &RefusedError{s.kept() + " was changed since it was kept: put it back by hand"}
			}
		}
		if err := replace(place, func(name string) error { return os.Symlink(target, name) }); err != nil {
			return err
		}
		err = os.Remove(s.kept())
	case s.holds():
		err = os.Rename(s.kept(), place)
	default:
		err = os.Remove(place)
	}
	return errors.Join(err, SyncFolder(s.dir))
}

// unmoved tells whether what is kept and what is in the slot are one and the
// same: an installation or a removal that was killed half way, or a manager that
// wrote its hook once more.
func (s slot) unmoved() bool {
	kept, err := os.Lstat(s.kept())
	if err != nil {
		return false
	}
	now, err := os.Lstat(s.path())
	if err != nil || kept.Mode() != now.Mode() {
		return false
	}
	if os.SameFile(kept, now) {
		return true
	}
	if a, err := os.Readlink(s.kept()); err == nil {
		b, err := os.Readlink(s.path())
		return err == nil && (a == b || a == "../"+b)
	}
	a, errA := os.ReadFile(s.kept())
	b, errB := os.ReadFile(s.path())
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// write puts a text into the slot.
func (s slot) write(text []byte, share func(path string) error) error {
	return replace(s.path(), func(name string) error {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Sync(), f.Close(), share(name))
	})
}

// copyFile stands in where there are no hard links.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(fi.Mode().Perm()), out.Sync(), out.Close(), os.Chtimes(to, fi.ModTime(), fi.ModTime()))
}
