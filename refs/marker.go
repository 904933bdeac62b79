package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Marker is the UUID that Exclusive gave to this repository, "" where it has
// none yet. It tells a repository from another one that stands at the same path
// later; a clone has its own, a copy of the folder carries it along. It returns
// ErrCorrupt for a marker that is no UUID.
func (r *Repo) Marker() (string, error) {
	data, err := readSmall(r.markerPath(), 64)
	if errors.Is(err, fs.ErrNotExist) || err != nil && isNotDir(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if len(data) != 37 || data[36] != '\n' || !isUUID(string(data[:36])) {
		return "", fmt.Errorf("%w: %s is no UUID", ErrCorrupt, r.markerPath())
	}
	return string(data[:36]), nil
}

func (r *Repo) markerPath() string { return filepath.Join(r.stateDir(), "id") }

// ensureMarker makes the marker where there is none, or none that can be read:
// a broken one says nothing that could be kept.
func (r *Repo) ensureMarker(ctx context.Context) error {
	if id, err := r.Marker(); id != "" || err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	lock, err := r.flock(ctx, filepath.Join(r.stateDir(), "id.flock"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if id, _ := r.Marker(); id != "" {
		return nil
	}
	temp := r.markerPath() + ".tmp"
	if err := r.writeNew(temp, newUUID()+"\n"); err != nil {
		return err
	}
	if err := replace(temp, r.markerPath()); err != nil {
		return err
	}
	return syncDir(r.stateDir())
}

// writeNew makes a file with a text in it, synced, in place of a leftover.
func (r *Repo) writeNew(path, text string) error {
	if err := removeIfThere(path); err != nil {
		return err
	}
	f, err := r.shared.create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return also(err, f.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// newUUID is a random one (version 4). It has to be different, not secret: the
// generator of the runtime, which the system seeds, costs no start-up.
func newUUID() string {
	a, b := rand.Uint64(), rand.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(0xc<<60) | 0x8<<60
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&(1<<48-1))
}

func isUUID(text string) bool {
	for i := range len(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (text[i] == '-') || !dash && !isHex(text[i:i+1]) {
			return false
		}
	}
	return len(text) == 36
}
