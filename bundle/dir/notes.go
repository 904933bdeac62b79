package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// noteFolders hold the notes.
var noteFolders = [...]string{"entries", "tasks"}

// Notes lists the notes of a revision, sorted: of the newest one the present
// files, of an older one what the history recorded up to it.
func (s *Store) Notes(ctx context.Context, id string) ([]string, error) {
	recorded, newest, err := s.notesAt(ctx, id)
	if err != nil {
		return nil, err
	}
	paths := slices.Sorted(maps.Keys(recorded))
	if newest {
		return s.noteFiles(recorded)
	}
	return paths, nil
}

// Note reads a note as it was at a revision. The bytes of an older one are only
// there while the present file still has them, else the error is
// bundle.ErrNotFound.
func (s *Store) Note(ctx context.Context, id, path string) ([]byte, error) {
	if err := draft.CheckNotePath(path); err != nil {
		return nil, err
	}
	recorded, newest, err := s.notesAt(ctx, id)
	if err != nil {
		return nil, err
	}
	digest, ok := recorded[path]
	if !ok && !newest {
		return nil, noteNotFound(path)
	}
	data, err := s.readNote(path)
	if err != nil {
		return nil, err
	}
	if !newest && draft.Digest(data) != digest {
		return nil, noteNotFound(path)
	}
	return data, nil
}

// EachNote goes through the notes of a revision. See bundle.Store. A stamp of
// the newest revision is what the file system knows of the file, that of an
// older one the recorded digest.
func (s *Store) EachNote(ctx context.Context, id string, want func(bundle.NoteRef) bool, fn func(bundle.NoteRef, []byte) error) error {
	recorded, newest, err := s.notesAt(ctx, id)
	if err != nil {
		return err
	}
	paths := slices.Sorted(maps.Keys(recorded))
	if newest {
		if paths, err = s.noteFiles(recorded); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		ref := bundle.NoteRef{Path: path, Stamp: recorded[path]}
		if newest {
			if ref.Stamp, err = fileStamp(s.file(path)); missing(err) {
				continue // gone since it was listed
			}
			if err != nil {
				return err
			}
		}
		if !want(ref) {
			continue
		}
		data, err := s.readNote(path)
		gone := errors.Is(err, bundle.ErrNotFound)
		switch {
		case newest && gone:
			continue
		case gone:
			data = nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case !newest && draft.Digest(data) != recorded[path]:
			data = nil
		}
		if err := fn(ref, data); err != nil {
			return err
		}
	}
	return nil
}

func noteNotFound(path string) error { return fmt.Errorf("note %q: %w", path, bundle.ErrNotFound) }

// readNote reads the present file of a note.
func (s *Store) readNote(path string) ([]byte, error) {
	if cause := s.linkOnTheWay(path); cause != "" {
		return nil, &bundle.FrozenError{Cause: cause}
	}
	f, err := openNoFollow(s.file(path), os.O_RDONLY)
	if errors.Is(err, errNotRegular) || err != nil && missing(err) {
		return nil, noteNotFound(path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// linkOnTheWay is the cause to freeze where the file of a note, or a folder on
// the way to it, is a link.
func (s *Store) linkOnTheWay(path string) string {
	top, _, _ := strings.Cut(path, "/")
	for at := 0; at >= 0; {
		next := strings.IndexByte(path[at:], '/')
		part := path
		if next >= 0 {
			part, at = path[:at+next], at+next+1
		} else {
			at = -1
		}
		if linked(s.file(part)) {
			return linkCause(top)
		}
	}
	return ""
}

func linkCause(top string) string { return "a file or folder of " + top + "/ is a link" }

// linkedNote is the cause to freeze where there is a link among the notes.
func (s *Store) linkedNote() string {
	_, err := s.noteFiles(nil)
	var frozen *bundle.FrozenError
	if errors.As(err, &frozen) {
		return frozen.Cause
	}
	return ""
}

// noteFiles lists the present files that are notes, sorted: those that the
// history knows, and every Markdown file that a person put there. Hidden files
// and folders are somebody else's, such as an editor's, and so are those that
// this process may not read. A link is a *bundle.FrozenError beside the list.
func (s *Store) noteFiles(recorded map[string]string) ([]string, error) {
	var paths []string
	var link error
	for _, top := range noteFolders {
		err := filepath.WalkDir(s.file(top), func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				if missing(err) || errors.Is(err, fs.ErrPermission) {
					return nil
				}
				return err
			}
			switch {
			case strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.Type()&fs.ModeSymlink != 0:
				link = &bundle.FrozenError{Cause: linkCause(top)}
				return nil
			case !d.Type().IsRegular():
				return nil
			}
			rel, err := filepath.Rel(s.path, file)
			if err != nil {
				return err
			}
			path := filepath.ToSlash(rel)
			_, known := recorded[path]
			if (known || strings.HasSuffix(path, ".md")) && draft.CheckNotePath(path) == nil {
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	return paths, link
}

// changedNotes lists the notes whose present bytes no event recorded. A note
// that a person removed is none of them: there is nothing to keep.
func (s *Store) changedNotes(ctx context.Context, recorded map[string]string) ([]bundle.NoteDigest, error) {
	paths, err := s.noteFiles(recorded)
	if err != nil {
		return nil, err
	}
	var changed []bundle.NoteDigest
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := s.readNote(path)
		if errors.Is(err, bundle.ErrNotFound) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if digest := draft.Digest(data); digest != recorded[path] {
			changed = append(changed, bundle.NoteDigest{Path: path, SHA256: digest})
		}
	}
	return changed, nil
}

// makeFolders makes the folders of a note that are missing and returns them,
// outermost first.
func (s *Store) makeFolders(path string) (made []string, err error) {
	for at, c := range path {
		if c != '/' {
			continue
		}
		folder := s.file(path[:at])
		switch info, err := os.Lstat(folder); {
		case err == nil && info.IsDir():
			continue
		case err == nil:
			return made, fmt.Errorf("note %q: a file is in the place of its folder", path)
		case !missing(err):
			return made, err
		}
		if err := s.disk.mkdir(folder, s.opts.dirMode()); err != nil {
			return made, err
		}
		made = append(made, folder)
	}
	return made, nil
}
