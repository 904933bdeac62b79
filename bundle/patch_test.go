package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

func mustPatch(t testing.TB, document string) bundle.Patch {
	t.Helper()
	p, err := bundle.ParsePatches([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPatchReplacesWholeFieldsAndNothingElse(t *testing.T) {
	s := healthy(t)
	p, err := bundle.ParsePatch(bundle.TargetRail, []byte(`{"next": null, "open": [{"id": "q", "summary": "Which port?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	want := healthy(t)
	want.Rail.Next = nil
	want.Rail.Open = []bundle.Item{{ID: "q", Summary: "Which port?"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if !reflect.DeepEqual(s, healthy(t)) {
		t.Error("the state before was changed")
	}
	if want := []bundle.Field{bundle.FieldNext, bundle.FieldOpen}; !slices.Equal(p.Fields(), want) {
		t.Errorf("it names %v", p.Fields())
	}
}

func TestAPatchMayRepeatTheConstantsOnlyAsTheyAre(t *testing.T) {
	s := healthy(t)
	whole, err := bundle.ParsePatch(bundle.TargetCompass, s.Compass.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := whole.Apply(s); err != nil || !got.Equal(s) {
		t.Errorf("its own value: %v", err)
	}
	_, err = whole.Apply(bundle.DefaultState())
	refused(t, err, "compass.bearings")
	_, err = bundle.ParsePatch(bundle.TargetRail, []byte(`{"schema": 2}`))
	refused(t, err, "rail.schema")
	constant := mustPatch(t, `{"rail": {"schema": 1}}`)
	if constant.Empty() || len(constant.Fields()) != 0 {
		t.Errorf("it names %v", constant.Fields())
	}
}

func TestPatchesThatAreNotWellFormedAreRefused(t *testing.T) {
	for document, field := range map[string]string{
		`[]`:                              "patch",
		`null`:                            "patch",
		`{"compas": {}}`:                  "patch.compas",
		`{"rail": []}`:                    "rail",
		`{"compass": null}`:               "compass",
		`{"rail": {"nord": "a"}}`:         "rail.nord",
		`{"rail": {"heading": {}}}`:       "rail.heading",
		`{"rail": {"north": 1}}`:          "rail.north",
		`{"rail": {"north": null}}`:       "rail.north",
		`{"rail": {"route": null}}`:       "rail.route",
		`{"rail": {"next": {"id": "a"}}}`: "rail.next.summary",
		`{"compass": {"heading": {"context": "a"}}}`: "compass.heading.coordinate",
		`{"compass": {"bearings": {}}}`:              "compass.bearings.north",
	} {
		_, err := bundle.ParsePatches([]byte(document))
		refused(t, err, field)
	}
	for _, document := range []string{
		``, `{`, `{"rail": {"north": "a", "north": "a"}}`, `{"rail": {}, "rail": {}}`, `{"rail": {"north": "\ud800"}}`,
		`{"compass": {"heading": {"coordinate": [0, 100.0], "context": ""}}}`, `{} {}`, `north: a`,
	} {
		var syntax *bundle.SyntaxError
		if _, err := bundle.ParsePatches([]byte(document)); !errors.As(err, &syntax) {
			t.Errorf("%s: %v", document, err)
		}
	}
	_, err := bundle.ParsePatches([]byte(strings.Repeat(" ", bundle.MaxPatch) + "{}"))
	refused(t, err, "patch")
}

func TestTheWholeResultOfAPatchIsHeldToTheRules(t *testing.T) {
	for document, field := range map[string]string{
		`{"rail": {"open": [{"id": "switch", "summary": "a"}]}}`:            "rail.open[0].id",
		`{"rail": {"north": "` + strings.Repeat("a", 2001) + `"}}`:          "rail.north",
		`{"compass": {"heading": {"coordinate": [50, 60], "context": ""}}}`: "compass.heading.coordinate",
		`{"compass": {"heading": {"coordinate": [45, 55], "context": ""}}}`: "compass.heading.coordinate",
		`{"rail": {"parked": [{"id": "x", "summary": " "}]}}`:               "rail.parked[0].summary",
	} {
		got, err := mustPatch(t, document).Apply(healthy(t))
		refused(t, err, field)
		if !reflect.DeepEqual(got, bundle.State{}) {
			t.Errorf("%s: a state beside the refusal", document)
		}
	}
}

func TestTwoPatchesMayNotSayTheSameFieldTwice(t *testing.T) {
	a := mustPatch(t, `{"rail": {"north": "a"}, "compass": {"drift": "d"}}`)
	b := mustPatch(t, `{"rail": {"next": null}}`)
	both, err := a.Merge(b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []bundle.Field{bundle.FieldDrift, bundle.FieldNext, bundle.FieldNorth}; !slices.Equal(both.Fields(), want) {
		t.Errorf("together they name %v", both.Fields())
	}
	if len(a.Fields()) != 2 || len(b.Fields()) != 1 {
		t.Error("merging changed its parts")
	}
	_, err = both.Merge(mustPatch(t, `{"rail": {"north": "a"}}`))
	refused(t, err, "rail.north")
	_, err = both.Merge(mustPatch(t, `{"compass": {"drift": "e"}}`))
	refused(t, err, "compass.drift")
}

func TestThePatchThatSaysNothingIsEmpty(t *testing.T) {
	for _, document := range []string{`{}`, `{"rail": {}}`, `{"compass": {}, "rail": {}}`} {
		p := mustPatch(t, document)
		got, err := p.Apply(healthy(t))
		if !p.Empty() || len(p.Fields()) != 0 || err != nil || !got.Equal(healthy(t)) {
			t.Errorf("%s: %v, %v", document, p.Fields(), err)
		}
	}
}

// anyPatch draws a patch, the fields that it names, and the state that they
// were taken from.
func anyPatch(t *rapid.T) (bundle.Patch, []bundle.Field, bundle.State) {
	from := anyState().Draw(t, "from")
	trees := map[string]map[string]json.RawMessage{}
	var named []bundle.Field
	for _, f := range bundle.Fields() {
		if !rapid.Bool().Draw(t, string(f)) {
			continue
		}
		named = append(named, f)
		target, key, _ := strings.Cut(string(f), ".")
		whole := map[string]json.RawMessage{}
		raw := from.Rail.JSON()
		if target == "compass" {
			raw = from.Compass.JSON()
		}
		if err := json.Unmarshal(raw, &whole); err != nil {
			t.Fatal(err)
		}
		if trees[target] == nil {
			trees[target] = map[string]json.RawMessage{}
		}
		trees[target][key] = whole[key]
	}
	document, err := json.Marshal(trees)
	if err != nil {
		t.Fatal(err)
	}
	p, err := bundle.ParsePatches(document)
	if err != nil {
		t.Fatal(err)
	}
	return p, named, from
}

func TestAPatchTouchesExactlyTheFieldsItNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, named, from := anyPatch(t)
		if !slices.Equal(p.Fields(), named) {
			t.Fatalf("it names %v, want %v", p.Fields(), named)
		}
		before := anyState().Draw(t, "before")
		after, err := p.Apply(before)
		if err != nil {
			return // an id of the patch stands elsewhere in the Rail
		}
		was, is, want := before.FieldDigests(), after.FieldDigests(), from.FieldDigests()
		for _, f := range bundle.Fields() {
			if !slices.Contains(named, f) {
				want[f] = was[f]
			}
		}
		if !reflect.DeepEqual(is, want) {
			t.Fatalf("got %v, want %v", is, want)
		}
		again, err := p.Apply(after)
		if err != nil || !reflect.DeepEqual(again, after) {
			t.Fatalf("applied twice: %+v, %v", again, err)
		}
	})
}

func TestAPatchSurvivesItsJSONForm(t *testing.T) {
	type box struct{ Patch bundle.Patch }
	rapid.Check(t, func(t *rapid.T) {
		p, _, _ := anyPatch(t)
		data, err := json.Marshal(box{p})
		if err != nil {
			t.Fatal(err)
		}
		var got box
		if err := json.Unmarshal(data, &got); err != nil || !slices.Equal(got.Patch.Fields(), p.Fields()) || got.Patch.Empty() != p.Empty() {
			t.Fatalf("got %v, %v from %s", got.Patch.Fields(), err, data)
		}
		before := anyState().Draw(t, "before")
		want, errWant := p.Apply(before)
		after, err := got.Patch.Apply(before)
		if (err == nil) != (errWant == nil) || !reflect.DeepEqual(after, want) {
			t.Fatalf("got %+v, %v, want %+v, %v", after, err, want, errWant)
		}
	})
	var got box
	if err := json.Unmarshal([]byte(`{"Patch": {"rail": {"north": "a", "north": "b"}}}`), &got); err == nil {
		t.Error("a duplicate key was read")
	}
}

func TestFieldDigestsAreShortAndFollowTheirField(t *testing.T) {
	s := healthy(t)
	digests := s.FieldDigests()
	if len(digests) != len(bundle.Fields()) || !slices.IsSorted(bundle.Fields()) {
		t.Fatalf("got %v", digests)
	}
	whole, err := bundle.Digest(s.Rail.North)
	if err != nil || digests[bundle.FieldNorth] != whole[:16] {
		t.Errorf("got %s, want the start of %s", digests[bundle.FieldNorth], whole)
	}
	s.Compass.Bearings.North = "other words"
	if !reflect.DeepEqual(s.FieldDigests(), digests) {
		t.Error("the bearings are part of a field")
	}
}

func TestMapReachesEveryStringOfAPatchAndNoneBesides(t *testing.T) {
	t.Parallel()
	p, err := bundle.ParsePatches([]byte(`{"compass":{"schema":1,"heading":{"coordinate":[0,100],"context":"a"},"drift":"b"},` +
		`"rail":{"north":"c","next":{"id":"d","summary":"e"},"open":[{"id":"f","summary":"g"}],"parked":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := json.Marshal(p.Map(strings.ToUpper))
	if err != nil {
		t.Fatal(err)
	}
	want := string(before)
	for _, letter := range "abcdefg" {
		want = strings.ReplaceAll(want, `"`+string(letter)+`"`, `"`+strings.ToUpper(string(letter))+`"`)
	}
	if string(mapped) != want {
		t.Errorf("%s became %s", before, mapped)
	}
	if after, _ := json.Marshal(p); !bytes.Equal(before, after) {
		t.Errorf("the patch itself became %s", after)
	}
	if !(bundle.Patch{}).Map(strings.ToUpper).Empty() {
		t.Error("the empty patch says something now")
	}
}
