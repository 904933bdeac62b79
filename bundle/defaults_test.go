package bundle_test

import (
	"testing"

	"chatrail/bundle"
)

func TestTheDefaultStateObeysTheRulesAndSaysThatNothingIsNamed(t *testing.T) {
	s := bundle.DefaultState()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if !s.IsDefault() || s.Rail.HasNorth() || s.Rail.Next != nil {
		t.Errorf("got %+v", s)
	}
	s.Compass.Drift = "some"
	if s.IsDefault() {
		t.Error("a changed state is still the default")
	}
}

func TestTheDefaultsOfThePythonToolNameNothingEither(t *testing.T) {
	e, err := bundle.ParseEvent(fixtureLines(t, "healthy")[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Follow(nil)
	if err != nil || !s.IsDefault() || s.Rail.HasNorth() {
		t.Errorf("%+v, %v", s, err)
	}
	s.Rail = healthy(t).Rail
	if s.IsDefault() || !s.Rail.HasNorth() {
		t.Errorf("a named North goes unseen: %+v", s)
	}
	for _, blank := range []string{"", " \n", "\u00a0"} {
		if (bundle.Rail{North: blank}).HasNorth() {
			t.Errorf("%q counts as a North", blank)
		}
	}
}
