package install

import (
	"bytes"
	"os"
	"path/filepath"
)

// managers write hooks by themselves, and write them anew at times of their own.
var managers = []struct {
	mark string // in the text of their hooks
	note string // what a person has to know, "" where nothing
}{
	{preCommit, ""}, // keeps what it finds beside its own, and runs it
	{"lefthook", "lefthook moves this hook aside when it is installed anew, also by itself: run `chatrail install git` again then"},
	{"overcommit", "overcommit replaces this hook when it is installed anew: run `chatrail install git` again then"},
	{"husky", ""}, // of version 4; later ones are known by their folder
}

// preCommit is in every hook of the manager of that name.
const preCommit = "pre-commit.com"

// huskyNote is for the folder that husky fills from version 9 on.
const huskyNote = "husky writes this folder anew whenever it is installed: run `chatrail install git` again then"

func isHusky(dir string) bool {
	return filepath.Base(dir) == "_" && filepath.Base(filepath.Dir(dir)) == ".husky"
}

// managed is the manager that wrote a hook, -1 for none.
func managed(path string) int {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxHook {
		return -1
	}
	for i, m := range managers {
		if bytes.Contains(text, []byte(m.mark)) {
			return i
		}
	}
	return -1
}

// sameManager tells whether what is kept is an older text of the manager that
// wrote what is in the slot: it was generated, and nothing is lost with it.
func (s slot) sameManager() bool {
	m := managed(s.path())
	return m >= 0 && m == managed(s.kept())
}

// aside is where a manager moved ours when it took the place, "" for nowhere:
// pre-commit to NAME.legacy, which it runs, lefthook to NAME.old.
func (s slot) aside() string {
	for _, suffix := range []string{legacy, ".old"} {
		fi, err := os.Lstat(s.path() + suffix)
		if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxHook {
			continue
		}
		if text, err := os.ReadFile(s.path() + suffix); err == nil && author(s.hook, text) == ours {
			return s.path() + suffix
		}
	}
	return ""
}

const legacy = ".legacy"

// runsAside tells whether the manager that took our place runs ours from where
// it moved it.
func (s slot) runsAside() bool {
	m := managed(s.path())
	return m >= 0 && managers[m].mark == preCommit && s.aside() == s.path()+legacy
}

// putAside takes ours away from where a manager moved it. What was kept goes
// there, unless it is the manager's own.
func (s slot) putAside(place string) (Outcome, error) {
	if s.holds() && (s.unmoved() || s.sameManager()) {
		if err := os.Remove(s.kept()); err != nil {
			return "", err
		}
	}
	if s.holds() {
		return Restored, s.restore(place)
	}
	return Removed, s.restore(place)
}
