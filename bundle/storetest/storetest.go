// Package storetest is the contract suite of bundle.Store. Every backend runs
// it; a promise that holds for all of them is tested here and nowhere else.
package storetest

import (
	"fmt"
	"testing"

	"chatrail/bundle"
)

// Fixture is a new bundle under test.
type Fixture struct {
	// Store is the bundle as its creator holds it.
	Store bundle.Store
	// Reopen opens the same bundle again, as another process would: nothing is
	// shared with Store but what is stored. A backend that lives in one process
	// only returns the store itself.
	Reopen func(t *testing.T) bundle.Store
}

// Opener makes a new bundle whose root revision is genesis. Each call gives a
// bundle of its own, in a place that the test cleans up.
type Opener func(t *testing.T, genesis bundle.Draft) Fixture

// Run holds a backend to the contract, one subtest a promise.
func Run(t *testing.T, open Opener) {
	for _, c := range []struct {
		promise string
		holds   func(t *testing.T, open Opener)
	}{
		{"TipAfterCreateIsTheRoot", tipAfterCreateIsTheRoot},
		{"RootStays", rootStays},
		{"GenesisKeepsItsNotes", genesisKeepsItsNotes},
		{"ApplyMakesExactlyOneRevision", applyMakesExactlyOneRevision},
		{"ApplyIsSeenByAStoreThatWasOpenBefore", applyIsSeenByAnOpenStore},
		{"NoChangeMakesNoRevision", noChangeMakesNoRevision},
		{"FailingChangeWritesNothing", failingChangeWritesNothing},
		{"BrokenRuleIsRefusedAndWritesNothing", brokenRuleIsRefused},
		{"CancelledContextWritesNothing", cancelledContextWritesNothing},
		{"GivenTimeAndEventIDAreKept", givenMetaIsKept},
		{"EmptyTimeAndEventIDAreFilledIn", emptyMetaIsFilledIn},
		{"CallersCannotChangeWhatIsStored", callersCannotChangeWhatIsStored},
		{"ChangeRunsAgainWhenSomebodyWasFirst", changeRunsAgain},
		{"ChangeMayReadTheStore", changeMayReadTheStore},
		{"ChangeThatReadWhileSomebodyWroteRunsAgain", changeThatReadRunsAgain},
		{"TwoChangesAtOnceBothCount", twoChangesAtOnce},
		{"ParallelAppendsAreEachThereOnce", parallelAppends},
		{"ReadersBesideWritersNeverFail", readersBesideWriters},
		{"WalkGoesNewestFirst", walkGoesNewestFirst},
		{"WalkStartsAtAGivenRevision", walkStartsAtARevision},
		{"WalkStopsEarly", walkStopsEarly},
		{"WalkPassesAnErrorOn", walkPassesAnErrorOn},
		{"ReadFindsByIDAndUniquePrefix", readFindsByPrefix},
		{"UnknownRevisionIsNotFound", unknownRevisionIsNotFound},
		{"AmbiguousPrefixIsRefused", ambiguousPrefixIsRefused},
		{"OldRevisionHasItsOldState", oldRevisionHasItsOldState},
		{"NotesAreWrittenWithTheirRevision", notesAreWritten},
		{"NotesAloneAreAChange", notesAloneAreAChange},
		{"UnchangedNoteIsNoChange", unchangedNoteIsNoChange},
		{"OnlyChangedNotesAreInTheEvent", onlyChangedNotesAreInTheEvent},
		{"NotesAreListedAtARevision", notesAreListedAtARevision},
		{"NotesAreGoneThroughAtARevision", notesAreGoneThrough},
		{"MissingNoteIsNotFound", missingNoteIsNotFound},
		{"BadNotePathsAreRefused", badNotePathsAreRefused},
		{"HealthyBundleVerifies", healthyBundleVerifies},
	} {
		t.Run(c.promise, func(t *testing.T) { c.holds(t, open) })
	}
}

// genesis is the draft that most promises start from.
func genesis() bundle.Draft {
	return bundle.Draft{
		State: bundle.DefaultState(),
		Meta:  bundle.EventMeta{ReviewID: bundle.ReviewGenesis, Reason: "Create ChatRail"},
	}
}

// meta is an event's meta with a reason and nothing else that binds.
func meta(reason string) bundle.EventMeta {
	return bundle.EventMeta{ReviewID: "review-" + reason, Reason: reason, Task: "0f", Agent: "claude", Branch: "main"}
}

// say is a Change that sets the drift to text.
func say(text string) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		s := present.State
		s.Compass.Drift = text
		return bundle.Draft{State: s, Meta: meta(text)}, nil
	}
}

// write is a Change that writes notes and leaves the state alone.
func write(reason string, notes ...bundle.Note) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		return bundle.Draft{State: present.State, Notes: notes, Meta: meta(reason)}, nil
	}
}

func note(path, text string) bundle.Note { return bundle.Note{Path: path, Data: []byte(text)} }

// mustApply applies a change that has to make a revision.
func mustApply(t *testing.T, s bundle.Store, change bundle.Change) *bundle.Revision {
	t.Helper()
	rev, changed, err := s.Apply(t.Context(), change)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	if !changed {
		t.Fatal("apply: nothing changed")
	}
	return rev
}

func mustTip(t *testing.T, s bundle.Store) *bundle.Revision {
	t.Helper()
	rev, err := s.Tip(t.Context())
	if err != nil {
		t.Fatalf("tip: %v", err)
	}
	return rev
}

// mustWalk collects a walk and checks that each child comes before its parents.
func mustWalk(t *testing.T, s bundle.Store, from string) []*bundle.Revision {
	t.Helper()
	var revs []*bundle.Revision
	seen := map[string]bool{}
	err := s.Walk(t.Context(), from, func(rev *bundle.Revision) (bool, error) {
		if seen[rev.ID] {
			return false, fmt.Errorf("%s comes twice", rev.ID)
		}
		for _, parent := range rev.Parents {
			if seen[parent] {
				return false, fmt.Errorf("%s comes after its parent", rev.ID)
			}
		}
		seen[rev.ID] = true
		revs = append(revs, rev)
		return true, nil
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	return revs
}

// unchanged checks that the tip, the notes and the length of the history are
// what they were: call it before, and what it returns after.
func unchanged(t *testing.T, s bundle.Store) (check func()) {
	t.Helper()
	before, length := mustTip(t, s), len(mustWalk(t, s, ""))
	paths, err := s.Notes(t.Context(), before.ID)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		after := mustTip(t, s)
		if after.ID != before.ID || !after.State.Equal(before.State) {
			t.Errorf("the tip moved from %s to %s", before.ID, after.ID)
		}
		if n := len(mustWalk(t, s, "")); n != length {
			t.Errorf("the history has %d revisions, had %d", n, length)
		}
		if now, err := s.Notes(t.Context(), after.ID); err != nil || fmt.Sprint(now) != fmt.Sprint(paths) {
			t.Errorf("notes are %q (%v), were %q", now, err, paths)
		}
	}
}
