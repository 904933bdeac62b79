package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/draft"

	"github.com/google/uuid"
)

// Create makes a bundle at path, whose first event is genesis. It is built in a
// folder beside path and moved there in one step: whatever dies when, there is a
// whole bundle or none, and of several that create one at once one succeeds. What
// the dead left beside path goes with the next Create.
//
// path may be missing, with its parents, or an empty folder. Where there is a
// bundle the error is ErrExists, where there is a part of one a
// *bundle.FrozenError; other files, or a link, in its place are refused. An empty
// review id of genesis becomes bundle.ReviewGenesis.
func Create(ctx context.Context, path string, genesis bundle.Draft, opts Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := draft.Check(genesis); err != nil {
		return nil, err
	}
	if genesis.Meta.ReviewID == "" {
		genesis.Meta.ReviewID = bundle.ReviewGenesis
	}
	s := Open(path, opts)
	if err := s.create(ctx, genesis); err != nil {
		return nil, writeError(err)
	}
	return s, nil
}

// vacant refuses a path where something is.
func vacant(path string) error {
	shape, cause, err := inspect(path)
	switch {
	case err != nil:
		return err
	case shape == Complete:
		return fmt.Errorf("%s: %w", path, ErrExists)
	case shape == Partial:
		return &bundle.FrozenError{Cause: cause}
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil && missing(err):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: choose another place for the bundle, or move it away", path)
	}
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s holds other files: choose another place for the bundle, or move them away", path)
	}
	return err
}

// building ends the name of a folder in which a bundle is built, before a
// random part.
const building = ".chatrail-new-"

func (s *Store) create(ctx context.Context, genesis bundle.Draft) error {
	parent := filepath.Dir(s.path)
	if err := s.makeParents(parent); err != nil {
		return err
	}
	lock, err := wait(ctx, func() (*held, error) { return tryLockFolder(parent) })
	switch {
	case err == nil:
		defer lock.release()
		s.sweepBuilds(parent, time.Now())
	case errors.Is(err, errors.ErrUnsupported):
		// The move alone keeps it to one bundle. What looks left over may be at
		// work, unless it is old.
		s.sweepBuilds(parent, time.Now().Add(-time.Hour))
	default:
		return err
	}
	if err := vacant(s.path); err != nil {
		return err
	}
	temp := filepath.Join(parent, s.buildPrefix()+uuid.NewString())
	if err := s.build(temp, genesis); err != nil {
		_ = os.RemoveAll(temp)
		return err
	}
	if err := ctx.Err(); err != nil {
		_ = os.RemoveAll(temp)
		return err
	}
	if err := moveFolder(temp, s.path); err != nil {
		_ = os.RemoveAll(temp)
		if taken(err) {
			if occupied := vacant(s.path); occupied != nil {
				return occupied
			}
		}
		return err
	}
	return s.disk.syncDir(parent)
}

// buildPrefix begins the names of the folders in which this bundle is built. It
// is hidden like the bundle, and tells the bundles of one folder apart.
func (s *Store) buildPrefix() string {
	return "." + strings.TrimPrefix(filepath.Base(s.path), ".") + building
}

// sweepBuilds removes the folders of builders that died before a time. It is
// tidying only: what it cannot remove stays.
func (s *Store) sweepBuilds(parent string, before time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), s.buildPrefix()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// build writes a whole bundle to a new folder.
func (s *Store) build(temp string, genesis bundle.Draft) error {
	if err := s.disk.mkdir(temp, s.opts.dirMode()); err != nil {
		return err
	}
	b := Open(temp, s.opts)
	b.disk = s.disk
	var digests []bundle.NoteDigest
	for _, n := range genesis.Notes {
		if _, err := b.makeFolders(n.Path); err != nil {
			return err
		}
		if err := b.make(n.Path, n.Data); err != nil {
			return err
		}
		if err := b.disk.syncDir(filepath.Dir(b.file(n.Path))); err != nil {
			return err
		}
		digests = append(digests, bundle.NoteDigest{Path: n.Path, SHA256: draft.Digest(n.Data)})
	}
	event, err := draft.Event(genesis, nil, digests)
	if err != nil {
		return err
	}
	if err := b.make(bundle.EventsFile, append(event.Line, '\n')); err != nil {
		return err
	}
	for _, target := range []bundle.Target{bundle.TargetCompass, bundle.TargetRail} {
		data, err := encode(target, genesis.State)
		if err != nil {
			return err
		}
		if err := b.make(liveFile(target), data); err != nil {
			return err
		}
	}
	return b.disk.syncDir(temp)
}

// make writes a file that is not there yet.
func (s *Store) make(name string, data []byte) error {
	return s.disk.create(s.file(name), data, s.opts.fileMode(), s.opts.Private)
}

// makeParents makes a folder and those above it that are missing.
func (s *Store) makeParents(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil
	case err == nil || isNotDir(err):
		return fmt.Errorf("%s is not a folder: choose another place for the bundle", path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if up := filepath.Dir(path); up != path {
		if err := s.makeParents(up); err != nil {
			return err
		}
	}
	if err := s.disk.mkdir(path, s.opts.dirMode()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
