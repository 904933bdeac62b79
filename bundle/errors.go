package bundle

import (
	"errors"
	"fmt"
)

// ErrNotFound says that a bundle, a revision or a note does not exist.
var ErrNotFound = errors.New("not found")

// ErrBusy says that somebody else held the lock for longer than the context
// allowed. Nothing was written.
var ErrBusy = errors.New("busy: another process holds the lock")

// RuleError refuses a value: it names the field, the value and the rule.
type RuleError struct {
	Field string // as in "rail.route[3].summary"
	Value string // quoted and cut to a bounded length, "" where it says nothing
	Rule  string
}

func (e *RuleError) Error() string {
	if e.Value == "" {
		return e.Field + ": " + e.Rule
	}
	return fmt.Sprintf("%s is %s: %s", e.Field, e.Value, e.Rule)
}

// FrozenError says that a bundle is in a state that no recorded history
// explains. It stays readable and is never written or replaced.
type FrozenError struct {
	Cause string // one line, stable for one cause, without text from the bundle
	Newer bool   // what stands there is sound, and for a newer ChatRail to read
}

func (e *FrozenError) Error() string { return "frozen: " + e.Cause }

// UnwritableError says that a store can be read but not written by this
// process (a sandbox, a read-only file system, a full disk). Nothing changed.
type UnwritableError struct{ Err error }

func (e *UnwritableError) Error() string { return "not writable: " + e.Err.Error() }
func (e *UnwritableError) Unwrap() error { return e.Err }
