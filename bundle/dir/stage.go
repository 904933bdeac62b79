package dir

import (
	"os"
	"path/filepath"
	"slices"

	"chatrail/bundle"
)

// staged are files that are written and synced under temporary names.
type staged struct {
	s     *Store
	moves []move
}

// move is one staged file: where it is, and where it belongs.
type move struct{ temp, to string }

// add stages a file. What is at its place now lends it its mode.
func (st *staged) add(to string, data []byte) error {
	mode, exact := st.s.opts.fileMode(), st.s.opts.Private
	if info, err := os.Lstat(to); err == nil && !st.s.opts.Private {
		mode, exact = info.Mode().Perm(), true
	}
	temp := st.s.tempName()
	if err := st.s.disk.create(temp, data, mode, exact); err != nil {
		return err
	}
	st.moves = append(st.moves, move{temp, to})
	return nil
}

// place puts the files where they belong, in their order, and then syncs their
// folders. A power loss may keep any of them; the last event explains each mix.
func (st *staged) place() error {
	var folders []string
	for len(st.moves) > 0 {
		m := st.moves[0]
		if err := st.s.disk.rename(m.temp, m.to); err != nil {
			return err
		}
		if folder := filepath.Dir(m.to); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		st.moves = st.moves[1:]
	}
	for _, folder := range folders {
		if err := st.s.disk.syncDir(folder); err != nil {
			return err
		}
	}
	return nil
}

// drop removes what was not placed.
func (st *staged) drop() {
	for _, m := range st.moves {
		_ = st.s.disk.remove(m.temp)
	}
	st.moves = nil
}

// stageLive stages the live files of a state for some targets, Compass first.
func (tx *transaction) stageLive(state bundle.State, targets []bundle.Target) (*staged, error) {
	st := &staged{s: tx.s}
	for _, target := range targets {
		data, err := encode(target, state)
		if err != nil {
			return st, err
		}
		if err := st.add(tx.s.file(liveFile(target)), data); err != nil {
			return st, err
		}
	}
	return st, nil
}

func encode(t bundle.Target, s bundle.State) ([]byte, error) {
	if t == bundle.TargetCompass {
		return bundle.EncodeCompass(s.Compass)
	}
	return bundle.EncodeRail(s.Rail)
}
