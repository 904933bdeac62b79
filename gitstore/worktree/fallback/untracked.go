package fallback

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"chatrail/refs"
)

// walk looks for what is not tracked. It does not enter what is ignored, nor
// other repositories.
type walk struct {
	top       string
	tracked   map[string]filemode.FileMode
	folders   map[string]bool // that something tracked lies in
	untracked []string
}

// untracked lists the files that are neither in the index nor ignored, and the
// repositories inside, with a slash behind them.
func untracked(repo *refs.Repo, set settings, idx *index.Index) []string {
	w := &walk{top: repo.WorkTree, tracked: map[string]filemode.FileMode{}, folders: map[string]bool{}}
	for _, e := range idx.Entries {
		w.tracked[e.Name] = e.Mode
		for at := strings.LastIndexByte(e.Name, '/'); at > 0 && !w.folders[e.Name[:at]]; at = strings.LastIndexByte(e.Name[:at], '/') {
			w.folders[e.Name[:at]] = true
		}
	}
	w.folder(nil, sharedRules(repo, set))
	return w.untracked
}

func (w *walk) folder(parts []string, known rules) {
	full := filepath.Join(w.top, filepath.Join(parts...))
	entries, err := os.ReadDir(full)
	if err != nil {
		return // git warns and goes on
	}
	// Clipped, so that siblings do not write over each other's rules.
	known = slices.Clip(append(known, folderRules(full, parts)...))
	for _, entry := range entries {
		if entry.Name() == ".git" {
			continue
		}
		below := slices.Concat(parts, []string{entry.Name()})
		path := strings.Join(below, "/")
		mode, tracked := w.tracked[path]
		switch {
		case entry.IsDir():
			if mode == filemode.Submodule || known.ignore(below, true) {
				continue
			}
			if w.folders[path] || !isRepository(filepath.Join(full, entry.Name())) {
				w.folder(below, known)
			} else if !tracked { // where a tracked file was, its change says it
				w.untracked = append(w.untracked, path+"/")
			}
		case tracked, !entry.Type().IsRegular() && entry.Type() != fs.ModeSymlink, known.ignore(below, false):
		default:
			w.untracked = append(w.untracked, path)
		}
	}
}

// isRepository reports whether a folder is the work tree of a repository, be it
// of a kind that we do not know.
func isRepository(full string) bool {
	if _, err := os.Lstat(filepath.Join(full, ".git")); err != nil {
		return false
	}
	_, err := refs.At(full)
	return err == nil || errors.Is(err, refs.ErrUnsupported)
}
