package task

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// Home is the state home of this user. The zero value has no place, and every
// write through it fails.
type Home struct {
	Dir string // absolute
}

// ErrNoHome says that no variable tells where the state home is. A command
// shows it; a hook stays silent.
var ErrNoHome = errors.New("no state home: set HOME, or CHATRAIL_HOME to an absolute path")

// FindHome returns the state home: $CHATRAIL_HOME, else $CODEX_HOME/chatrail,
// else ~/.codex/chatrail. It creates nothing. A relative value is refused,
// because the same task would find another home in every folder.
func FindHome(env func(string) string) (Home, error) {
	for _, v := range []struct{ name, below string }{
		{"CHATRAIL_HOME", ""},
		{"CODEX_HOME", "chatrail"},
	} {
		dir := env(v.name)
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			return Home{}, relative(v.name, dir)
		}
		return Home{Dir: filepath.Join(dir, v.below)}, nil
	}
	user, err := UserHome(env)
	if err != nil {
		return Home{}, err
	}
	return Home{Dir: filepath.Join(user, ".codex", "chatrail")}, nil
}

// UserHome returns the home directory of the user: $HOME, on Windows also
// $USERPROFILE. It asks no user database: that would link the C library into
// every hook for a case in which a hook is silent anyway.
func UserHome(env func(string) string) (string, error) {
	names := []string{"HOME"}
	if runtime.GOOS == "windows" {
		names = []string{"HOME", "USERPROFILE"}
	}
	for _, name := range names {
		dir := env(name)
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			return "", relative(name, dir)
		}
		return filepath.Clean(dir), nil
	}
	return "", ErrNoHome
}

func relative(name, value string) error {
	return fmt.Errorf("%s is the relative path %q: set it to an absolute path", name, value)
}

// PrivateDir is the folder of the private bundle of a task.
func (h Home) PrivateDir(key string) string { return filepath.Join(h.Dir, tasksDir, key) }

// JournalDir is the folder for the recent revisions of the bundle at a place.
func (h Home) JournalDir(p Place) string { return filepath.Join(h.Dir, "journal", p.ID()) }

// Folders of the state home.
const (
	tasksDir    = "tasks"
	receiptsDir = "receipts"
	pinsDir     = "pins"
	cacheDir    = "cache"
	locksDir    = "locks"
	seenDir     = "seen"
	spoolDir    = "spool"
)
