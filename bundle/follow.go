package bundle

import "fmt"

// Follow checks that the event continues the history that led to before, nil
// where there is none yet, and returns the state after it: the values fit
// their digests, obey the rules, and the value before each transition is the
// present one. What does not fit is a *FrozenError whose cause starts with
// "an event".
func (e Event) Follow(before *State) (State, error) { return e.follow("an event", before) }

// FollowNth is Follow for a history that counts its events from 1: a cause
// starts with "event n".
func (e Event) FollowNth(n int, before *State) (State, error) {
	return e.follow(fmt.Sprintf("event %d", n), before)
}

func (e Event) follow(name string, before *State) (State, error) {
	frozen := func(fault string) (State, error) { return State{}, &FrozenError{Cause: name + " " + fault} }
	var after State
	if before != nil {
		after = *before
	} else if len(e.Transitions) != 2 {
		return frozen("starts the history without the whole state")
	}
	seen := map[Target]bool{}
	for _, t := range e.Transitions {
		if seen[t.Target] {
			return frozen("changes the same truth twice")
		}
		seen[t.Target] = true
		switch {
		case (before == nil) != isNull(t.Before):
			return frozen("does not follow the one before it")
		case before != nil && !fits(t.Before, t.BeforeSHA256):
			return frozen("holds a value that does not match its digest")
		case before != nil && t.BeforeSHA256 != before.digest(t.Target):
			return frozen("does not follow the one before it")
		case !fits(t.After, t.AfterSHA256):
			return frozen("holds a value that does not match its digest")
		case after.replace(t) != nil:
			return frozen("holds a value that breaks a rule")
		}
	}
	return after, nil
}

func (s *State) replace(t Transition) (err error) {
	switch t.Target {
	case TargetCompass:
		s.Compass, err = CompassFromJSON(t.After)
	case TargetRail:
		s.Rail, err = RailFromJSON(t.After)
	default:
		err = fmt.Errorf("no truth is called %s", quote(string(t.Target)))
	}
	return err
}

// fits reports whether raw is JSON with this digest. What was read or made here
// is canonical already.
func fits(raw []byte, digest string) bool {
	if hexSum(raw) == digest {
		return true
	}
	tree, err := parseJSON(raw, true)
	return err == nil && hexSum(mustCanonical(tree)) == digest
}
