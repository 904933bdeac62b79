package gitstore

import (
	"compress/zlib"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatrail/gitstore/objects"
)

// Bounds of the journal.
const (
	journalAge   = 24 * time.Hour // younger copies are kept in any case
	trimEvery    = time.Hour
	trimAtOnce   = 200            // copies looked at in one trim
	journalSize  = 64 << 20       // bytes of objects in one copy
	journalLimit = 2000           // objects of a revision above which no copy is made
	gcStale      = 12 * time.Hour // git itself takes an older gc.pid for a left-over
)

// journal keeps copies of recent revisions outside the repository: one file a
// revision, named by its commit, with the objects that it brought in git's
// canonical form. A collection at the wrong moment or a full disk can lose new
// objects; from the copy they come back with the same ids.
type journal struct {
	dir       string // "" for no journal
	commonDir string
	db        *objects.DB
}

// add writes a copy. It is not synced and its failure is nobody's: the
// revision itself is what counts.
func (j *journal) add(commit string, objs []objects.Object) {
	if j.dir == "" || len(objs) > journalLimit {
		return
	}
	var parts [][]byte
	for _, o := range objs {
		parts = append(parts, o.Canonical())
	}
	data, err := objects.Deflate(parts...)
	if err != nil || os.MkdirAll(j.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(j.dir, "new-*") // 0600
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if errors.Join(err, f.Close()) != nil || os.Rename(f.Name(), filepath.Join(j.dir, commit)) != nil {
		os.Remove(f.Name())
	}
}

// drop removes the copy of a revision that did not come to be.
func (j *journal) drop(commit string) {
	if j.dir != "" {
		os.Remove(filepath.Join(j.dir, commit))
	}
}

// read gives the objects of one copy. A copy that was cut off gives those that
// are whole.
func (j *journal) read(commit string) []objects.Object {
	f, err := os.Open(filepath.Join(j.dir, commit))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(z, journalSize))
	return j.db.Hash().ParseCanonical(data)
}

// copies lists the commits of which there is a copy, with their age.
func (j *journal) copies() map[string]time.Duration {
	if j.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return nil
	}
	ages := map[string]time.Duration{}
	for _, e := range entries {
		if !j.db.Hash().Valid(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			ages[e.Name()] = time.Since(info.ModTime())
		}
	}
	return ages
}

// recover gives the objects of the journal that the repository lacks, and
// writes them back. Where they cannot be written they can still be read.
func (j *journal) recover(ctx context.Context, r *objects.Reader) map[string]objects.Object {
	lost := map[string]objects.Object{}
	for commit := range j.copies() {
		for _, o := range j.read(commit) {
			if has, err := r.Has(ctx, o.ID); err == nil && !has {
				lost[o.ID] = o
			}
		}
	}
	j.db.Write(ctx, slices.Collect(maps.Values(lost)))
	return lost
}

// trim removes the copies that are a day old and whose objects are all stored,
// now and then and a bounded number at a time. While git collects, nothing
// counts as stored.
func (j *journal) trim(ctx context.Context, r *objects.Reader) {
	if j.dir == "" || j.collecting() || !j.due() {
		return
	}
	j.sweep()
	looked := 0
	for commit, age := range j.copies() {
		if age < journalAge {
			continue
		}
		if looked++; looked > trimAtOnce {
			return
		}
		var lost []objects.Object
		for _, o := range j.read(commit) {
			has, err := r.Has(ctx, o.ID)
			if err != nil {
				return
			}
			if !has {
				lost = append(lost, o)
			}
		}
		if len(lost) > 0 {
			j.db.Write(ctx, lost)
			continue
		}
		j.drop(commit)
	}
}

// sweep removes what processes left that were killed while they wrote a copy.
func (j *journal) sweep() {
	entries, _ := os.ReadDir(j.dir) // whatever cannot be listed stays
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "new-") && time.Since(info.ModTime()) > trimEvery {
			os.Remove(filepath.Join(j.dir, e.Name()))
		}
	}
}

// collecting says whether a git gc runs.
func (j *journal) collecting() bool {
	info, err := os.Stat(filepath.Join(j.commonDir, "gc.pid"))
	return err == nil && time.Since(info.ModTime()) < gcStale
}

// due says whether the last trim is long enough ago, and notes this one.
func (j *journal) due() bool {
	mark := filepath.Join(j.dir, "trimmed")
	info, err := os.Lstat(mark)
	switch {
	case err == nil && (!info.Mode().IsRegular() || time.Since(info.ModTime()) < trimEvery):
		return false
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false
	}
	return os.WriteFile(mark, []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600) == nil
}
