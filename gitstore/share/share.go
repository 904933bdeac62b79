// Package share brings the bundle at one reference and the one that a remote has
// to the same revision. It decides what is fetched, merged, moved and sent; how
// it travels is the affair of git, and what a merge says that of bundle/merge.
package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"chatrail/bundle/merge"
	"chatrail/gitstore"
)

// Store is what share needs of the bundle at a reference; *gitstore.Store is one.
type Store interface {
	// Present is the tip here, "" where there is no bundle.
	Present() (string, error)
	// Inspect checks an incoming tip and everything that is not below known. A
	// history that breaks a rule is an error, and nothing of it is taken. begins
	// says that something in it began apart from what is known.
	Inspect(ctx context.Context, tip, known string) (begins bool, err error)
	// Relate compares two tips. The second may not have been inspected yet.
	Relate(ctx context.Context, a, b string) (merge.Relation, error)
	Merge(ctx context.Context, a, b string) (string, error)
	Move(ctx context.Context, from, to, why string) error
	// MoveOn moves to what next makes of the tip here, while nobody can write.
	MoveOn(ctx context.Context, why string, next func(ctx context.Context, from string) (to string, err error)) error
}

// Remote is the reference as one remote has it.
type Remote interface {
	// Tip fetches and returns what the remote has, "" for nothing.
	Tip(ctx context.Context) (string, error)
	// Push offers a tip. It returns ErrBehind where the remote has another one
	// that is not below it.
	Push(ctx context.Context, tip string) error
	// Elsewhere are the tips that other remotes of this repository are known to
	// have.
	Elsewhere(ctx context.Context) ([]string, error)
}

// ErrBehind says that a remote was moved by somebody else first.
var ErrBehind = errors.New("the remote has moved")

// HeldError says that a remote did not move because somebody there holds the lock
// of the reference: mostly a push side by side, which is ErrBehind; for good, where
// a process has died with it.
type HeldError struct{ Why string }

func (e *HeldError) Error() string { return e.Why }

// Is makes it a kind of ErrBehind: it is worth another try.
func (e *HeldError) Is(target error) bool { return target == ErrBehind }

// ErrApart says that two histories began apart: they are different projects
// unless somebody says otherwise.
var ErrApart = errors.New("the two histories began apart")

// ErrStranger says that a remote has words that may not be taken yet.
var ErrStranger = errors.New("a person has to take the first words from here")

// ErrGone says that the reference here is gone and the remote does not have all
// that it led to.
var ErrGone = errors.New("the remote does not have what the reference was at")

// Options say what a sync may do.
type Options struct {
	// Take allows to take revisions from the remote; without it only what the
	// remote lacks is sent.
	Take bool
	// Person says that a person asked for it: only they take in a history that began
	// apart, also one that was joined elsewhere.
	Person bool
	// Send allows to send.
	Send bool
	// Join allows to join histories that began apart.
	Join bool
	// Gone is what the reference was at before somebody removed it, "" for one
	// that is there or never was. It comes back where the remote has all of that.
	Gone string
}

// State says what a sync came to.
type State string

// What a sync can come to.
const (
	Nothing State = "nothing" // neither side has a bundle
	Even    State = "even"    // both had the same
	Taken   State = "taken"   // what the remote had is here now
	Sent    State = "sent"    // what was here is there now
	Merged  State = "merged"  // both were merged, here and there
)

// Outcome is what became of a reference.
type Outcome struct {
	State  State
	Before string // here, "" for nothing
	After  string
	Remote string // the remote's tip after it, "" for nothing
	Theirs int    // revisions that came, merges not counted
	Ours   int    // revisions that went
	Merge  bool   // a merge was made
}

// tries bounds how often a merge is made anew because somebody was first.
const tries = 20

// Sync makes the two sides even. Where others send at the same time it begins
// again with what they sent, a bounded number of times, and merges anew from the
// revision that was here before. A failure to send leaves what was taken here:
// the outcome says so beside the error.
func Sync(ctx context.Context, here Store, there Remote, o Options) (Outcome, error) {
	s := sync{here: here, there: there, o: o}
	var last error
	for try := range tries {
		if err := pause(ctx, try); err != nil {
			return s.out, err
		}
		again, err := s.once(ctx)
		if !again {
			return s.out, err
		}
		last = err
	}
	var held *HeldError
	if errors.As(last, &held) {
		return s.out, held
	}
	return s.out, fmt.Errorf("others were first %d times: %w", tries, ErrBehind)
}

type sync struct {
	here  Store
	there Remote
	o     Options
	out   Outcome
}

// once tries once, and says whether to try again.
func (s *sync) once(ctx context.Context) (again bool, err error) {
	theirs, err := s.there.Tip(ctx)
	if err != nil {
		return false, err
	}
	ours, err := s.here.Present()
	if err != nil {
		return false, err
	}
	if s.out.Before == "" {
		s.out.Before = ours
	}
	s.out.After, s.out.Remote = ours, theirs
	switch {
	case ours == "" && s.o.Gone != "":
		return s.bringBack(ctx, theirs)
	case ours == theirs:
		if s.out.State == "" {
			s.out.State = Even
			if ours == "" {
				s.out.State = Nothing
			}
		}
		return false, nil
	case theirs == "":
		s.out.State = Sent
		return s.send(ctx, ours, ours)
	}
	var rel merge.Relation
	var unrelated error
	if ours != "" {
		rel, unrelated = s.here.Relate(ctx, ours, theirs)
	}
	// What is below our own tip was checked when it came here.
	if unrelated != nil || !rel.BUnderA {
		begins, err := s.here.Inspect(ctx, theirs, ours)
		if err != nil {
			return false, err
		}
		if begins && ours != "" && rel.Related && !s.o.Person {
			return false, ErrStranger // somebody joined another history with this one
		}
	}
	if unrelated != nil {
		return false, unrelated
	}
	if ours == "" {
		if !s.o.Take {
			return false, ErrBehind
		}
		return s.take(ctx, "", theirs, "take over from a remote")
	}
	if !s.out.Merge || !rel.BUnderA { // a merge that is still to be sent was counted
		s.out.Ours, s.out.Theirs = rel.OnlyA, rel.OnlyB
	}
	switch {
	case !rel.Related && !s.o.Join:
		return false, ErrApart
	case rel.BUnderA:
		if !s.out.Merge {
			s.out.State = Sent
		}
		return s.send(ctx, ours, ours)
	case !s.o.Take:
		return false, ErrBehind
	case rel.OnlyA == 0:
		// It holds everything of ours: merges of our own give way.
		if elsewhere, err := s.elsewhere(ctx, ours, rel); err != nil || elsewhere {
			return false, err
		}
		return s.take(ctx, ours, theirs, "take over from a remote")
	}
	merged, err := s.here.Merge(ctx, ours, theirs)
	if err != nil {
		return false, err
	}
	s.out.State, s.out.Merge = Merged, true
	return s.send(ctx, ours, merged)
}

// elsewhere tells whether both sides hold the same revisions and another remote
// has ours. To take the other tip would be undone by the next sync with that
// remote, for ever; a merge would be a revision without a cause. The next thing
// that somebody records brings all of them together.
func (s *sync) elsewhere(ctx context.Context, ours string, rel merge.Relation) (bool, error) {
	if rel.OnlyB > 0 || rel.AUnderB {
		return false, nil
	}
	others, err := s.there.Elsewhere(ctx)
	if err != nil || !slices.Contains(others, ours) {
		return false, err
	}
	if s.out.State == "" {
		s.out.State = Even
	}
	return true, nil
}

func (s *sync) take(ctx context.Context, from, to, why string) (again bool, err error) {
	err = s.here.Move(ctx, from, to, why)
	if errors.Is(err, gitstore.ErrMoved) {
		return true, err // somebody wrote meanwhile
	}
	if err == nil {
		s.out.State, s.out.After = Taken, to
	}
	return false, err
}

// bringBack makes a reference that is gone anew. A history that goes on without
// the end of what was here would hide the loss.
func (s *sync) bringBack(ctx context.Context, theirs string) (again bool, err error) {
	if theirs == "" || !s.o.Take {
		return false, ErrGone
	}
	if _, err := s.here.Inspect(ctx, theirs, ""); err != nil {
		return false, err
	}
	rel, err := s.here.Relate(ctx, s.o.Gone, theirs)
	if err != nil || rel.OnlyA > 0 || !rel.Related {
		return false, errors.Join(ErrGone, ctx.Err()) // also where that revision cannot be read any more
	}
	s.out.Theirs = rel.OnlyB
	return s.take(ctx, "", theirs, "bring back from a remote")
}

// send offers a tip, and moves the reference here from ours to it once it is
// there. Before that it would be a merge upon which the next one is made.
func (s *sync) send(ctx context.Context, ours, tip string) (again bool, err error) {
	var sendErr error
	if s.o.Send {
		sendErr = s.there.Push(ctx, tip)
		if errors.Is(sendErr, ErrBehind) {
			return true, sendErr
		}
		if sendErr == nil {
			s.out.Remote = tip
		}
	}
	if tip == ours {
		return false, sendErr
	}
	switch moveErr := s.here.Move(ctx, ours, tip, "merge with a remote"); {
	case errors.Is(moveErr, gitstore.ErrMoved):
		err := s.catchUp(ctx)
		if err == nil {
			s.out.After, err = s.here.Present()
		}
		return err == nil && sendErr == nil, cmp.Or(sendErr, err)
	case moveErr != nil:
		return false, moveErr
	}
	s.out.After = tip
	return false, sendErr
}

// catchUp brings what the remote has here where somebody wrote while it
// travelled. They may write faster than a remote answers and than a merge is
// made, so nothing is sent in between, and they wait for the last try.
func (s *sync) catchUp(ctx context.Context) error {
	const why = "merge with a remote"
	for range chances {
		ours, err := s.here.Present()
		if err != nil {
			return err
		}
		to, err := s.above(ctx, ours)
		if err == nil && to != ours {
			err = s.here.Move(ctx, ours, to, why)
		}
		if !errors.Is(err, gitstore.ErrMoved) {
			return err
		}
	}
	return s.here.MoveOn(ctx, why, s.above)
}

// chances are how often somebody who writes goes first.
const chances = 3

// above is the revision here that holds what the remote has.
func (s *sync) above(ctx context.Context, ours string) (string, error) {
	rel, err := s.here.Relate(ctx, ours, s.out.Remote)
	switch {
	case err != nil || rel.BUnderA:
		return ours, err
	case rel.OnlyA == 0:
		return s.out.Remote, nil
	}
	return s.here.Merge(ctx, ours, s.out.Remote)
}

// pause waits before another try, longer each time and never for the same time,
// so that two who are in each other's way part.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return ctx.Err()
	}
	limit := min(10*time.Millisecond<<min(try, 6), 500*time.Millisecond)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(limit/4 + rand.N(limit)):
		return nil
	}
}
