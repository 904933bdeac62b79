package bundle_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"testing"

	"chatrail/bundle"
)

// What decodes must be writable, and say the same when it is read again. Only
// its size may forbid it: what is short in one spelling may be long in ours.
func roundTrip[T interface {
	Digest() string
	Validate() error
}](t *testing.T, data []byte, decode func([]byte) (T, error), encode func(T) ([]byte, error)) {
	value, err := decode(data)
	if err != nil {
		return
	}
	if err := value.Validate(); err != nil {
		t.Fatalf("decoded %q against the rules: %v", data, err)
	}
	again, err := encode(value)
	if err != nil {
		t.Fatalf("decoded %q, which cannot be encoded: %v", data, err)
	}
	read, err := decode(again)
	if err != nil || read.Digest() != value.Digest() {
		t.Fatalf("%q became %q: %v", data, again, err)
	}
	if once, err := encode(read); err != nil || !bytes.Equal(once, again) {
		t.Fatalf("%q is written as %q, then as %q: %v", data, again, once, err)
	}
}

func FuzzDecodeRail(f *testing.F) {
	for _, data := range fixtureFiles(f, bundle.RailFile) {
		f.Add(data)
	}
	for _, s := range awkward {
		f.Add(railYAML(s))
		data, err := bundle.EncodeRail(bundle.Rail{North: s, Next: &bundle.Item{ID: "a", Summary: "b"}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { roundTrip(t, data, bundle.DecodeRail, bundle.EncodeRail) })
}

func FuzzDecodeCompass(f *testing.F) {
	for _, data := range fixtureFiles(f, bundle.CompassFile) {
		f.Add(data)
	}
	data, err := bundle.EncodeCompass(bundle.DefaultState().Compass)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) { roundTrip(t, data, bundle.DecodeCompass, bundle.EncodeCompass) })
}

func FuzzParseEvent(f *testing.F) {
	for _, data := range fixtureFiles(f, bundle.EventsFile) {
		for _, line := range bytes.Split(data, []byte("\n")) {
			f.Add(line)
		}
	}
	s := bundle.DefaultState()
	e, err := bundle.NewMergeEvent(meta, s, s, []bundle.NoteDigest{{Path: "entries/a.md", SHA256: s.Rail.Digest()}}, []string{"a"}, json.RawMessage(`{"a":1}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e.Line)
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := bundle.ParseEvent(line)
		sameOutcome(t, line, e, err)
		if err != nil {
			return
		}
		if !bytes.Equal(e.Line, bytes.TrimSuffix(line, []byte("\n"))) {
			t.Fatalf("%q is kept as %q", line, e.Line)
		}
		if again, err := bundle.ParseEvent(e.Line); err != nil || !reflect.DeepEqual(again, e) {
			t.Fatalf("%q reads differently a second time: %v", line, err)
		}
		for _, before := range []*bundle.State{nil, &s} {
			after, err := e.Follow(before)
			if err != nil {
				continue
			}
			if _, err := bundle.NewEvent(meta, before, after, nil); err != nil {
				t.Fatalf("%q leads to a state that cannot be recorded: %v", line, err)
			}
		}
	})
}

// sameOutcome wants the outcome of a line to be what its event says, and to be
// refused exactly where the event is, or one of its values.
func sameOutcome(t *testing.T, line []byte, e bundle.Event, refused error) {
	t.Helper()
	got, err := bundle.ParseOutcome(line)
	if refused != nil {
		if err == nil || err.Error() != refused.Error() {
			t.Fatalf("%q is no event (%v), and its outcome is refused with: %v", line, refused, err)
		}
		return
	}
	want := bundle.Outcome{EventID: e.EventID, Time: e.Time, Task: e.Task, Agent: e.Agent, Notes: e.Notes}
	for _, tr := range e.Transitions {
		if tr.Target == bundle.TargetCompass {
			c, bad := bundle.CompassFromJSON(tr.After)
			want.Compass, refused = &c, cmp.Or(refused, bad)
		} else {
			r, bad := bundle.RailFromJSON(tr.After)
			want.Rail, refused = &r, cmp.Or(refused, bad)
		}
	}
	switch {
	case (err == nil) != (refused == nil):
		t.Fatalf("%q: the values are refused with %v, the outcome with %v", line, refused, err)
	case err == nil && !reflect.DeepEqual(got, want):
		t.Fatalf("%q has the outcome %+v, want %+v", line, got, want)
	}
}

func FuzzParsePatch(f *testing.F) {
	for _, data := range fixtureFiles(f, bundle.RailFile) {
		f.Add(true, data)
	}
	for _, data := range fixtureFiles(f, bundle.CompassFile) {
		f.Add(false, data)
	}
	f.Add(true, []byte(`{"next": null, "open": [{"id": "a", "summary": "\ud83e\udded"}]}`))
	f.Add(false, []byte(`{"schema": 1, "heading": {"coordinate": [-100, 0], "context": ""}}`))
	before := bundle.DefaultState()
	f.Fuzz(func(t *testing.T, rail bool, data []byte) {
		target := bundle.TargetCompass
		if rail {
			target = bundle.TargetRail
		}
		p, err := bundle.ParsePatch(target, data)
		if err != nil {
			return
		}
		boxed, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%q cannot be kept: %v", data, err)
		}
		kept, err := bundle.ParsePatches(boxed)
		if err != nil || !reflect.DeepEqual(kept.Fields(), p.Fields()) {
			t.Fatalf("%q is kept as %s: %v", data, boxed, err)
		}
		after, err := p.Apply(before)
		if err != nil {
			return
		}
		if err := after.Validate(); err != nil {
			t.Fatalf("%q leads against the rules: %v", data, err)
		}
		if _, err := bundle.EncodeRail(after.Rail); err != nil {
			t.Fatalf("%q leads to a Rail that cannot be written: %v", data, err)
		}
	})
}
