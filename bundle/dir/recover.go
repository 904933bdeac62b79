package dir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
)

// tornPrefix begins the name of a file that a half-written line was moved to. A
// UTC time follows.
const tornPrefix = bundle.EventsFile + ".torn-"

// recover finishes what a writer that died left behind: a half-written last
// line is set aside, a line break that is missing is added, the live files get
// the state of the last event, temporary files go. It reports whether it changed
// anything that a reader sees.
func (tx *transaction) recover() (changed bool, err error) {
	events := tx.s.file(bundle.EventsFile)
	if tx.torn > 0 {
		if err := tx.setAside(); err != nil {
			return false, err
		}
		if err := tx.s.disk.truncate(events, tx.end); err != nil {
			return false, err
		}
		changed = true
	}
	if tx.unended {
		if err := tx.s.disk.extend(events, tx.fileSize(), []byte("\n")); err != nil {
			return false, err
		}
		changed = true
	}
	if err := tx.s.sweep(); err != nil {
		return false, err
	}
	if len(tx.pending) > 0 {
		staged, err := tx.stageLive(tx.last.State, tx.pending)
		if err == nil {
			err = staged.place()
		}
		if err != nil {
			staged.drop()
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// setAside copies the half-written line to a file beside the events.
func (tx *transaction) setAside() error {
	f, err := openNoFollow(tx.s.file(bundle.EventsFile), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	data := make([]byte, tx.torn)
	if _, err := f.ReadAt(data, tx.end); err != nil && err != io.EOF {
		return err
	}
	base := tx.s.file(tornPrefix + time.Now().UTC().Format("20060102T150405Z"))
	name := base
	for n := 2; ; n++ {
		err := tx.s.disk.create(name, data, tx.s.opts.fileMode(), false)
		if err == nil {
			return tx.s.disk.syncDir(tx.s.path)
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// sweep removes the temporary files of writers that died. Only the holder of
// the lock has any.
func (s *Store) sweep() error {
	names, err := s.filesWith(tempPrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.disk.remove(s.file(name)); err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

func (s *Store) filesWith(prefix string) ([]string, error) {
	entries, err := os.ReadDir(s.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
