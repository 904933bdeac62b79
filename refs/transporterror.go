package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Kind tells apart why a remote could not be talked to, or did not do what it
// was asked for.
type Kind string

// The kinds. The empty one means that nothing went wrong.
const (
	Unreachable  Kind = "unreachable"   // no way there, or it broke on the way
	NeedsLogin   Kind = "needs-login"   // a password, a key or a known host is missing
	NotAllowed   Kind = "not-allowed"   // read-only, or closed to this user
	RefsRefused  Kind = "refs-refused"  // it takes no references outside branches and tags
	HookDeclined Kind = "hook-declined" // a hook or rule of the server said no
	NoRepository Kind = "no-repository" // there is none at this address
	OutOfTime    Kind = "out-of-time"   // the context ended
	BadObjects   Kind = "bad-objects"   // what was sent is damaged, incomplete or against git's rules
	TooMuch      Kind = "too-much"      // a remote says more than anybody needs
	OtherFailure Kind = "other"
)

// TransportError says why an exchange with a remote failed, in one line that
// holds no credentials and nothing that a terminal could obey.
type TransportError struct {
	Kind   Kind
	Op     string   // "push", "fetch" or "list"
	Remote string   // its name, or its URL as people may read it
	Said   string   // the words of git or the server; may be empty
	Names  []string // the references that this is about; nil where it is about all
	Err    error    // of the process, the context or the file system
}

func (e *TransportError) Error() string {
	what, do := e.words()
	if e.Said != "" {
		what += " (" + e.Said + ")"
	}
	if len(e.Names) > 0 {
		what += ", " + harmless(e.Names[0])
		if n := len(e.Names) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more", n)
		}
		what += " stayed behind"
	}
	return what + ": " + do
}

func (e *TransportError) Unwrap() error { return e.Err }

// words are what is wrong and what to do.
func (e *TransportError) words() (what, do string) {
	switch e.Kind {
	case Unreachable:
		return e.Remote + " cannot be reached", "try again when there is a connection"
	case NeedsLogin:
		return e.Remote + " asks for a password or key that git does not have", "run the command at a terminal, or set up a credential helper or ssh key"
	case NotAllowed:
		if e.Op == "push" {
			return e.Remote + " does not let you push", "ask for write access, or name another remote"
		}
		return e.Remote + " does not let you read", "ask for access, or name another remote"
	case RefsRefused:
		return e.Remote + " takes no references below " + Namespace, "have them allowed there, or name another remote"
	case HookDeclined:
		if e.Op != "push" {
			return "a rule of " + e.Remote + " declined this", "settle that, then try again"
		}
		return "a rule of " + e.Remote + " declined the push", "settle that, then push again"
	case NoRepository:
		return "there is no repository at " + e.Remote + ", or none that you may see", "check its address with git remote -v"
	case OutOfTime:
		if errors.Is(e.Err, context.Canceled) {
			return e.Remote + " was not done when this was stopped", "run it again"
		}
		return e.Remote + " did not answer in time", "try again"
	case BadObjects:
		if e.Op == "push" {
			return "git cannot send what is recorded here", "see what git fsck says"
		}
		return e.Remote + " sent objects that git does not accept", "have whoever pushed them look"
	case TooMuch:
		return e.Remote + " lists more references than can be taken in", "name another remote"
	}
	if strings.HasPrefix(e.Said, "unknown option") {
		return "git is too old for this", "use git 2.31 or newer"
	}
	if e.Op == "push" {
		return "git could not push to " + e.Remote, "try the same with git by hand"
	}
	return "git could not read " + e.Remote, "try git ls-remote by hand"
}

// about is an error of this exchange.
func (x exchange) about(kind Kind, text string, err error) *TransportError {
	return &TransportError{Kind: kind, Op: x.op, Remote: x.remote.String(), Said: cut(text, 300), Err: err}
}

// failure judges a failed command by its process and its words.
func (x exchange) failure(err error, lines []string) error {
	switch {
	case errors.Is(err, errTooMuch):
		return x.about(TooMuch, "", err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return x.about(OutOfTime, "", err)
	}
	kind, text := judge(lines)
	e := x.about(kind, text, err)
	if e.Remote != x.remote.URL && kind == NoRepository && x.remote.URL != "" {
		e.Remote += " (" + harmless(x.remote.URL) + ")"
	}
	if kind == OtherFailure {
		// What a caller may want to know of this machine: is it only a sandbox?
		if known := refusal(text, ""); errors.Is(known, fs.ErrPermission) || errors.Is(known, syscall.EROFS) || errors.Is(known, syscall.ENOSPC) {
			e.Err = also(known, err)
		}
	}
	return e
}
