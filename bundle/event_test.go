package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

var meta = bundle.EventMeta{
	EventID:  "0190a000-0000-4000-8000-000000000001",
	ReviewID: "3f9a1c0b7d2e.k7q2m9x4",
	Time:     time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.FixedZone("", 2*3600)),
	Reason:   "Größe agreed 🧭",
}

func mustEvent(t testing.TB, before *bundle.State, after bundle.State) bundle.Event {
	t.Helper()
	e, err := bundle.NewEvent(meta, before, after, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTheHistoriesOfThePythonToolAreFollowed(t *testing.T) {
	for _, name := range []string{"healthy", "torn-last-line", "emoji", "interrupted-both", "interrupted-rail", "edited-by-hand"} {
		var state *bundle.State
		for i, line := range fixtureLines(t, name) {
			e, err := bundle.ParseEvent(line)
			if err != nil {
				t.Fatalf("%s, event %d: %v", name, i+1, err)
			}
			if !bytes.Equal(e.Line, bytes.TrimSuffix(line, []byte("\n"))) {
				t.Fatalf("%s, event %d: the line was changed", name, i+1)
			}
			after, err := e.FollowNth(i+1, state)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if (i == 0) != after.IsDefault() {
				t.Errorf("%s, event %d: default %v", name, i+1, after.IsDefault())
			}
			state = &after
		}
		if name == "healthy" && !reflect.DeepEqual(*state, healthy(t)) {
			t.Errorf("ended at %+v", *state)
		}
	}
}

func TestBrokenHistoriesFreezeWithAStableCause(t *testing.T) {
	for name, want := range map[string]string{
		"broken-chain": "frozen: event 2 does not follow the one before it",
		"forged-hash":  "frozen: event 2 holds a value that does not match its digest",
	} {
		var state *bundle.State
		var err error
		for i, line := range fixtureLines(t, name) {
			e, errParse := bundle.ParseEvent(line)
			if errParse != nil {
				t.Fatal(errParse)
			}
			var after bundle.State
			if after, err = e.FollowNth(i+1, state); err != nil {
				break
			}
			state = &after
		}
		var frozen *bundle.FrozenError
		if !errors.As(err, &frozen) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestAnEventIsOneSortedLineAndReadsBackTheSame(t *testing.T) {
	before, after := bundle.DefaultState(), healthy(t)
	after.Compass = before.Compass
	m := meta
	m.Task, m.Agent, m.Branch, m.Head = "abc", "claude", "caf\xe9/main", "0123abcd"
	e, err := bundle.NewEvent(m, &before, after, []bundle.NoteDigest{
		{Path: "tasks/b.md", SHA256: strings.Repeat("b", 64)}, {Path: "entries/a.md", SHA256: strings.Repeat("a", 64)}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"agent":"claude","branch":"caf\ufffd/main","event_id":"0190a000-0000-4000-8000-000000000001","head":"0123abcd",` +
		`"notes":[{"path":"entries/a.md","sha256":"` + strings.Repeat("a", 64) + `"},{"path":"tasks/b.md","sha256":"` + strings.Repeat("b", 64) + `"}],` +
		`"reason":"Gr\u00f6\u00dfe agreed \ud83e\udded","review_id":"3f9a1c0b7d2e.k7q2m9x4","task":"abc",` +
		`"transitions":[{"after":` + string(after.Rail.JSON()) + `,"after_sha256":"` + after.Rail.Digest() + `",` +
		`"before":` + string(before.Rail.JSON()) + `,"before_sha256":"` + before.Rail.Digest() + `","target":"rail"}],` +
		`"ts":"2026-11-30T10:00:00.123456Z","version":1}`
	if string(e.Line) != want {
		t.Errorf("got\n%s\nwant\n%s", e.Line, want)
	}
	again, err := bundle.ParseEvent(append(e.Line, '\n'))
	if err != nil || !reflect.DeepEqual(again, e) {
		t.Errorf("got %+v, %v\nwant %+v", again, err, e)
	}
}

func TestTheFirstEventHoldsTheWholeState(t *testing.T) {
	e := mustEvent(t, nil, bundle.DefaultState())
	if len(e.Transitions) != 2 || e.Transitions[0].Target != bundle.TargetCompass || e.Transitions[1].Target != bundle.TargetRail {
		t.Fatalf("got %+v", e.Transitions)
	}
	if n := bytes.Count(e.Line, []byte(`"before":null,"before_sha256":null`)); n != 2 {
		t.Errorf("%d nulls in %s", n, e.Line)
	}
	for _, key := range []string{"notes", "task", "agent", "branch", "head", "parents", "set_aside"} {
		if bytes.Contains(e.Line, []byte(`"`+key+`":`)) {
			t.Errorf("an empty %s is written", key)
		}
	}
	after, err := e.Follow(nil)
	if err != nil || !reflect.DeepEqual(after, bundle.DefaultState()) {
		t.Errorf("got %+v, %v", after, err)
	}
}

func TestAnEventRecordsOnlyWhatChangedAndLeadsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := anyState().Draw(t, "before"), anyState().Draw(t, "after")
		if rapid.Bool().Draw(t, "same compass") {
			after.Compass = before.Compass
		}
		if rapid.Bool().Draw(t, "same rail") {
			after.Rail = before.Rail
		}
		e, err := bundle.NewEvent(meta, &before, after, nil)
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		if before.Compass.Digest() != after.Compass.Digest() {
			changed++
		}
		if before.Rail.Digest() != after.Rail.Digest() {
			changed++
		}
		read, err := bundle.ParseEvent(e.Line)
		if err != nil || !reflect.DeepEqual(read, e) || len(e.Transitions) != changed {
			t.Fatalf("%d transitions, read %+v, %v", len(e.Transitions), read, err)
		}
		got, err := read.Follow(&before)
		if err != nil || !reflect.DeepEqual(got, after) {
			t.Fatalf("got %+v, %v", got, err)
		}
		if changed > 0 {
			if _, err := read.Follow(&after); err == nil {
				t.Fatal("it follows a state that it was not made from")
			}
		}
	})
}

func TestAMergeKeepsParentsAndWhatWasSetAside(t *testing.T) {
	s := bundle.DefaultState()
	e, err := bundle.NewMergeEvent(meta, s, s, nil, []string{"aaaa", "bbbb"}, json.RawMessage(`{ "rail.next" : [1, "é"] }`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"parents":["aaaa","bbbb"]`; !bytes.Contains(e.Line, []byte(want)) {
		t.Errorf("no %s in %s", want, e.Line)
	}
	if want := `"set_aside":{"rail.next":[1,"\u00e9"]}`; !bytes.Contains(e.Line, []byte(want)) {
		t.Errorf("no %s in %s", want, e.Line)
	}
	again, err := bundle.ParseEvent(e.Line)
	if err != nil || !reflect.DeepEqual(again, e) {
		t.Errorf("got %+v, %v, want %+v", again, err, e)
	}
	if e, err = bundle.NewMergeEvent(meta, s, s, nil, nil, json.RawMessage("null")); err != nil || bytes.Contains(e.Line, []byte("set_aside")) {
		t.Errorf("%s, %v", e.Line, err)
	}
}

func TestWhatOtherVersionsAddIsIgnoredAndKept(t *testing.T) {
	e := mustEvent(t, nil, healthy(t))
	line := bytes.Replace(e.Line, []byte(`{"after"`), []byte(`{"weight":-0.5e3,"after"`), 1)
	line = bytes.Replace(line, []byte(`{"event_id"`), []byte(` { "zz" : {"ratio": 1.50, "list": [null, 1e9]}, "event_id"`), 1)
	got, err := bundle.ParseEvent(line)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Line, line) {
		t.Errorf("the line became %s", got.Line)
	}
	got.Line = e.Line
	if !reflect.DeepEqual(got, e) {
		t.Errorf("got %+v", got)
	}
	if after, err := got.Follow(nil); err != nil || !after.Equal(healthy(t)) {
		t.Error(err)
	}
}

// spelled is an event with one key of it spelled differently.
func spelled(t testing.TB, key, value string) []byte {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(mustEvent(t, nil, bundle.DefaultState()).Line, &object); err != nil {
		t.Fatal(err)
	}
	if object[key] = json.RawMessage(value); value == "" {
		delete(object, key)
	}
	line, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestTimesOfEveryPrecisionAndOffsetAreInstants(t *testing.T) {
	for spelling, nanoseconds := range map[string]int{
		"2026-07-21T09:01:00Z":             0,
		"2026-07-21T09:01:00.5Z":           500_000_000,
		"2026-07-21T11:01:00.123456+02:00": 123_456_000,
		"2026-07-21T09:01:00+00:00":        0,
		"2026-07-21T04:31:00.000001-04:30": 1_000,
	} {
		e, err := bundle.ParseEvent(spelled(t, "ts", `"`+spelling+`"`))
		if want := time.Date(2026, 7, 21, 9, 1, 0, nanoseconds, time.UTC); err != nil || e.Time != want {
			t.Errorf("%s: got %v, %v", spelling, e.Time, err)
		}
	}
}

func TestTimesFarAwayCanBeWrittenAgain(t *testing.T) {
	for _, spelling := range []string{"0001-01-01T00:00:00.000001Z", "9999-12-31T23:59:59.999999Z"} {
		e, err := bundle.ParseEvent(spelled(t, "ts", `"`+spelling+`"`))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := json.Marshal(e.Time); err != nil || string(data) != `"`+spelling+`"` {
			t.Errorf("%s: %s, %v", spelling, data, err)
		}
	}
}

func TestAReasonOverSeveralLinesIsReadAsOne(t *testing.T) {
	e, err := bundle.ParseEvent(spelled(t, "reason", `"North agreed\n\nwith\tthe \u202euser\u001b[2J"`))
	if err != nil || e.Reason != "North agreed with the user [2J" {
		t.Errorf("got %q, %v", e.Reason, err)
	}
}

func TestLinesThatAreNoEventsAreRefusedByKey(t *testing.T) {
	transition := func(change string) string {
		t := `{"target":"rail","before":null,"before_sha256":null,"after":{},"after_sha256":"` + strings.Repeat("0", 64) + `"}`
		for _, c := range strings.Split(change, ";") {
			from, to, _ := strings.Cut(c, "=>")
			t = strings.Replace(t, from, to, 1)
		}
		return t
	}
	for _, c := range []struct{ key, value, field string }{
		{"version", "", "event.version"},
		{"version", "2", "event.version"},
		{"version", `"1"`, "event.version"},
		{"version", "1.0", "event.version"},
		{"event_id", "", "event.event_id"},
		{"event_id", `""`, "event.event_id"},
		{"event_id", `"a\nb"`, "event.event_id"},
		{"review_id", "null", "event.review_id"},
		{"ts", `"yesterday"`, "event.ts"},
		{"ts", `1784624460`, "event.ts"},
		{"ts", `"2026-07-21 09:01:00"`, "event.ts"},
		{"ts", `"0000-12-31T23:59:59Z"`, "event.ts"},
		{"ts", `"0001-01-01T00:00:00Z"`, "event.ts"},
		{"ts", `"0001-01-01T01:00:00+02:00"`, "event.ts"},
		{"ts", `"9999-12-31T23:59:59-01:00"`, "event.ts"},
		{"reason", "", "event.reason"},
		{"reason", "1", "event.reason"},
		{"task", "1", "event.task"},
		{"transitions", "", "event.transitions"},
		{"transitions", "{}", "event.transitions"},
		{"transitions", "[null]", "event.transitions"},
		{"transitions", "[" + transition(`"rail"=>"rails"`) + "]", "event.transitions[0].target"},
		{"transitions", "[" + transition("") + "," + transition("") + "]", "event.transitions[1].target"},
		{"transitions", "[" + transition("") + "," + transition(`"rail"=>"compass"`) + "]", "event.transitions[1].target"},
		{"transitions", "[" + transition(`{}=>null`) + "]", "event.transitions[0].after"},
		{"transitions", "[" + transition(`"0=>"`) + "]", "event.transitions[0].after_sha256"},
		{"transitions", "[" + transition(`"0=>"A`) + "]", "event.transitions[0].after_sha256"},
		{"transitions", "[" + transition(`:null,=>:{},`) + "]", "event.transitions[0].before_sha256"},
		{"transitions", "[" + transition(`_sha256":null=>_sha256":""`) + "]", "event.transitions[0].before_sha256"},
		{"notes", "{}", "event.notes"},
		{"notes", `[{"path":"","sha256":""}]`, "event.notes[0].path"},
		{"notes", `[{"path":"a"}]`, "event.notes[0].sha256"},
		{"parents", `"a"`, "event.parents"},
		{"parents", `[1]`, "event.parents"},
	} {
		_, err := bundle.ParseEvent(spelled(t, c.key, c.value))
		refused(t, err, c.field)
	}
	for _, line := range []string{"[]", "null", "1"} {
		_, err := bundle.ParseEvent([]byte(line))
		refused(t, err, "event")
	}
	for _, line := range []string{"", "\n", "{", `{"version":1}{"version":1}`, "<<<<<<< HEAD", `{"version":1,"version":1}`, "{}\n{}"} {
		var syntax *bundle.SyntaxError
		if _, err := bundle.ParseEvent([]byte(line)); !errors.As(err, &syntax) {
			t.Errorf("%q: %v", line, err)
		}
	}
	_, err := bundle.ParseEvent(bytes.Repeat([]byte(" "), bundle.MaxEventLine+2))
	refused(t, err, "event")
}

func TestEventsThatCannotBeRecordedAreRefused(t *testing.T) {
	for field, change := range map[string]func(*bundle.EventMeta){
		"event.event_id":  func(m *bundle.EventMeta) { m.EventID = "x" },
		"event.review_id": func(m *bundle.EventMeta) { m.ReviewID = "" },
		"event.ts":        func(m *bundle.EventMeta) { m.Time = time.Time{} },
		"event.task":      func(m *bundle.EventMeta) { m.Task = "a\x00" },
		"event.agent":     func(m *bundle.EventMeta) { m.Agent = "a\nb" },
		"event.branch":    func(m *bundle.EventMeta) { m.Branch = "a\x1b" },
		"event.head":      func(m *bundle.EventMeta) { m.Head = "\u2028" },
	} {
		m := meta
		change(&m)
		_, err := bundle.NewEvent(m, nil, bundle.DefaultState(), nil)
		refused(t, err, field)
	}
	for _, reason := range []string{"", "  ", "two\nlines", "bell\x07", "a\u0085b", "a\u2029b", "\xff", strings.Repeat("a", 2001)} {
		m := meta
		m.Reason = reason
		_, err := bundle.NewEvent(m, nil, bundle.DefaultState(), nil)
		refused(t, err, "event.reason")
	}
	for field, notes := range map[string][]bundle.NoteDigest{
		"event.notes[0].path":   {{Path: "a\nb", SHA256: strings.Repeat("0", 64)}},
		"event.notes[1].path":   {{Path: "a", SHA256: strings.Repeat("0", 64)}, {Path: "a", SHA256: strings.Repeat("1", 64)}},
		"event.notes[0].sha256": {{Path: "a", SHA256: "0"}},
	} {
		_, err := bundle.NewEvent(meta, nil, bundle.DefaultState(), notes)
		refused(t, err, field)
	}
	_, err := bundle.NewEvent(meta, nil, bundle.State{}, nil)
	refused(t, err, "compass.heading.coordinate")
	_, err = bundle.NewMergeEvent(meta, bundle.DefaultState(), bundle.DefaultState(), nil, []string{""}, nil)
	refused(t, err, "event.parents[0]")
}

func TestAnEventThatDoesNotFitIsFrozenByItsCause(t *testing.T) {
	first, second := bundle.DefaultState(), healthy(t)
	second.Compass = first.Compass
	genesis, change := mustEvent(t, nil, first), mustEvent(t, &first, second)
	forge := func(e bundle.Event, with func(*bundle.Transition)) bundle.Event {
		e.Transitions = append([]bundle.Transition(nil), e.Transitions...)
		with(&e.Transitions[len(e.Transitions)-1])
		return e
	}
	for _, c := range []struct {
		event  bundle.Event
		before *bundle.State
		cause  string
	}{
		{change, nil, "event 7 starts the history without the whole state"},
		{genesis, &first, "event 7 does not follow the one before it"},
		{change, &second, "event 7 does not follow the one before it"},
		{forge(change, func(t *bundle.Transition) { t.AfterSHA256 = t.BeforeSHA256 }), &first, "event 7 holds a value that does not match its digest"},
		{forge(change, func(t *bundle.Transition) { t.Before = second.Rail.JSON() }), &first, "event 7 holds a value that does not match its digest"},
		{forge(change, func(t *bundle.Transition) { t.After = json.RawMessage("{") }), &first, "event 7 holds a value that does not match its digest"},
		{forge(change, func(t *bundle.Transition) { t.Target = bundle.TargetCompass }), &first, "event 7 does not follow the one before it"},
		{forge(genesis, func(t *bundle.Transition) { t.Target = bundle.TargetCompass }), nil, "event 7 changes the same truth twice"},
		{forge(change, func(t *bundle.Transition) {
			tree := map[string]any{"north": "a"}
			t.After, _ = bundle.Canonical(tree)
			t.AfterSHA256, _ = bundle.Digest(tree)
		}), &first, "event 7 holds a value that breaks a rule"},
	} {
		_, err := c.event.FollowNth(7, c.before)
		var frozen *bundle.FrozenError
		if !errors.As(err, &frozen) || frozen.Cause != c.cause {
			t.Errorf("got %v, want %s", err, c.cause)
		}
		_, err = c.event.Follow(c.before)
		if !errors.As(err, &frozen) || frozen.Cause != strings.Replace(c.cause, "event 7", "an event", 1) {
			t.Errorf("got %v, want %s", err, c.cause)
		}
	}
}
