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
	{"pre-commit.com", ""}, // keeps what it finds beside its own, and runs it
	{"lefthook", "lefthook moves this hook aside when it is installed anew, also by itself: run `chatrail install git` again then"},
	{"overcommit", "overcommit replaces this hook when it is installed anew: run `chatrail install git` again then"},
	{"husky", ""}, // of version 4; later ones are known by their folder
}

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
