package work

import (
	"context"
	"errors"
	"fmt"

	"chatrail/bundle"
	"chatrail/gitstore"
	"chatrail/gitstore/share"
	"chatrail/hooks/words"
	"chatrail/refs"
)

// words says what is wrong, and what to do.
func (s *syncing) words(name string, err error) error {
	from := s.remote.String()
	var hostile *gitstore.BrokenRuleError
	var newer *gitstore.NewerMergeError
	var held *share.HeldError
	switch {
	case errors.As(err, &held):
		return &notEvenError{stateFailed, held.Error()}
	case errors.Is(err, share.ErrGone):
		return &bundle.FrozenError{Cause: fmt.Sprintf("%s is gone, and %s does not have what it was at", name, from)}
	case errors.Is(err, share.ErrApart):
		return &notEvenError{stateApart, fmt.Sprintf("%s has another history under the same name: if it is the same work, `chatrail sync --join%s` puts both together", from, s.named())}
	case errors.Is(err, share.ErrStranger):
		return &notEvenError{stateFailed, fmt.Sprintf("%s has words that no person of this machine has taken yet: run `chatrail sync%s` in a terminal of your own", from, s.named())}
	case errors.Is(err, share.ErrBehind) && s.o.Push:
		return &notEvenError{stateFailed, fmt.Sprintf("%s has revisions that are not here: `chatrail sync%s` takes them and sends yours", from, s.named())}
	case errors.Is(err, share.ErrBehind):
		return &notEvenError{stateFailed, fmt.Sprintf("others were faster each time at %s: try again", from)}
	case errors.As(err, &hostile), errors.As(err, &newer):
		return &notEvenError{stateHeld, fmt.Sprintf("what %s has is not taken: %s", from, oneLine(err.Error()))}
	}
	return plainly(err)
}

// named is what stands behind "chatrail sync" for it to mean this remote: nothing
// where that is the one that a sync takes anyway. A push may have gone to another.
func (s *syncing) named() string {
	ctx, cancel := noting(context.Background())
	defer cancel()
	if chosen, err := s.repo.Remote(ctx, ""); err == nil && chosen.Spec == s.remote.Spec {
		return ""
	}
	if s.remote.Name == "" {
		return " " + words.ShellQuote(s.remote.URL)
	}
	return " " + words.ShellQuote(s.remote.Name)
}

// plainly says what it means that this process may not write.
func plainly(err error) error {
	var transport *refs.TransportError
	var unwritable *bundle.UnwritableError
	if errors.As(err, &transport) || !refs.Unwritable(err) && !errors.As(err, &unwritable) {
		return err
	}
	return &RefusedError{fmt.Sprintf("nothing can be written from here (%s): run the same line where it can", oneLine(err.Error()))}
}

// notEvenError is a reason why two sides are not even, with the state.
type notEvenError struct{ state, text string }

func (e *notEvenError) Error() string { return e.text }
