package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrNotRepo says that there is no repository that git would use here.
var ErrNotRepo = errors.New("not a git repository")

// ErrBrokenGitfile comes with ErrNotRepo where git's way upward ends at a .git
// file that is none, or that leads to a repository that is gone: the folders
// above are not to be looked at.
var ErrBrokenGitfile = errors.New("broken .git file")

// ErrUnsupported says that a repository has a format version or an extension
// that this package does not know. The error that wraps it names which.
var ErrUnsupported = errors.New("unsupported repository format")

// ErrNoRef says that a reference does not exist.
var ErrNoRef = errors.New("no such reference")

// ErrCorrupt says that a reference, packed-refs or the marker exists and
// cannot be what it should be: empty, garbage, a symbolic reference where an
// id belongs, a chain without end. It is never to be read as "absent".
var ErrCorrupt = errors.New("corrupt reference")

// ErrConflict says that a reference cannot exist beside another one, as "a"
// cannot beside "a/b".
var ErrConflict = errors.New("conflicting reference")

// ErrOutside says that a folder does not lie in the work tree.
var ErrOutside = errors.New("outside the work tree")

// MovedError says that a reference was not where a Swap expected it. Nothing
// was written.
type MovedError struct {
	Name    string
	Current string // the id it has now, "" where it does not exist
}

func (e *MovedError) Error() string {
	if e.Current == "" {
		return e.Name + " does not exist any more: read it again and retry"
	}
	return fmt.Sprintf("%s is at %s by now: read it again and retry", e.Name, e.Current)
}

// LockedError says that a lock stayed taken for as long as a call was allowed
// to wait. Nothing was written.
type LockedError struct {
	Path string // the lock file
	Err  error  // the context's error, nil where the limit of this package ended the wait
}

func (e *LockedError) Error() string {
	if strings.HasSuffix(e.Path, ".lock") {
		return e.Path + " is held by git: try again; if no git command is running, one that died has left it"
	}
	return e.Path + " is held by another chatrail process: try again when it has ended"
}

func (e *LockedError) Unwrap() error { return e.Err }

// Unwritable reports whether an error means that this process may not, or
// cannot, write where the repository lies: no permission, read-only media, no
// space left.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || isReadOnly(err) || isFull(err)
}

// also adds to an error one that followed from it, on the same line. Either may
// be nil.
func also(err, more error) error {
	switch {
	case err == nil:
		return more
	case more == nil:
		return err
	}
	return fmt.Errorf("%w; %w", err, more)
}
