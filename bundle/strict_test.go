package bundle_test

import (
	"errors"
	"strings"
	"testing"

	"chatrail/bundle"
)

// railYAML is a Rail whose north is spelled as given.
func railYAML(north string) []byte {
	return []byte("schema: 1\nnorth: " + north + "\nnext: null\nroute: []\nopen: []\nparked: []\n")
}

func TestEverySpellingOfTextInYAMLIsRead(t *testing.T) {
	for spelled, want := range map[string]string{
		`plain text`:                         "plain text",
		`'single ''quoted'''`:                "single 'quoted'",
		`"double \u00e9 \x41 \U0001f9ed \e"`: "double é A 🧭 \x1b",
		"|\n  a\n  b":                        "a\nb\n",
		">-\n  a\n  b":                       "a b",
		`"null"`:                             "null",
		`'1_000'`:                            "1_000",
		`plain # and a comment`:              "plain",
		`over two` + "\n  lines":             "over two lines",
		`yesterday`:                          "yesterday",
		`v1.0`:                               "v1.0",
		`a!b`:                                "a!b",
		`"!a"`:                               "!a",
	} {
		r, err := bundle.DecodeRail(railYAML(spelled))
		if err != nil || r.North != want {
			t.Errorf("%q: got %q, %v", spelled, r.North, err)
		}
	}
	for _, whole := range []string{
		"\ufeff" + string(railYAML("a")),
		"---\n" + string(railYAML("a")) + "...\n",
		"# a comment\n" + strings.ReplaceAll(string(railYAML("a")), "\n", "\r\n"),
		"parked: []\nopen: []\nroute: []\nnext:\nnorth: a\nschema: 1",
		"# flow\n{schema: 1, north: a, next: ~, route: [], open: [], parked: []}",
	} {
		r, err := bundle.DecodeRail([]byte(whole))
		if err != nil || r.North != "a" {
			t.Errorf("%q: got %q, %v", whole, r.North, err)
		}
	}
}

func TestBareLookAlikesAreRefusedWhereTextIsExpected(t *testing.T) {
	for _, bare := range []string{"1", "-1", "007", "1_000", "0x1f", "0o17", "0b1", "1.5", "1e3", ".inf", ".nan", "2001-01-01",
		"2001-12-14t21:59:43.10-05:00", "12:30", "190:20:30", "null", "~", "Null", "", "true", "False", "yes", "No", "ON", "off", "y", "n"} {
		_, err := bundle.DecodeRail(railYAML(bare))
		refused(t, err, "rail.north")
	}
}

func TestWhatYAMLAddsToDataIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"anchor":              string(railYAML("&a b")),
		"anchor on a list":    strings.Replace(string(railYAML("a")), "open: []", "open: &x []", 1),
		"alias":               strings.Replace(string(railYAML("&a b")), "next: null", "next: *a", 1),
		"merge key":           "<<: {}\n" + string(railYAML("a")),
		"string tag":          string(railYAML("!!str a")),
		"long string tag":     string(railYAML("!<tag:yaml.org,2002:str> a")),
		"own tag":             string(railYAML("!mine a")),
		"binary tag":          string(railYAML("!!binary YQ==")),
		"bare tag":            string(railYAML("! a")),
		"bare tag, quoted":    string(railYAML("! 'a'")),
		"bare tag after wide": strings.Replace(string(railYAML("a")), "route: []", "# \u2028route: ! []", 1),
		"tag on a list":       strings.Replace(string(railYAML("a")), "open: []", "open: !!seq []", 1),
		"tag on the document": "!!map\n" + string(railYAML("a")),
		"tag on a key":        strings.Replace(string(railYAML("a")), "open:", "!!str open:", 1),
		"two documents":       string(railYAML("a")) + "---\n" + string(railYAML("b")),
		"a second, empty one": string(railYAML("a")) + "---\n",
		"duplicate key":       string(railYAML("a")) + "north: b\n",
		"duplicate, quoted":   string(railYAML("a")) + "\"n\\x6frth\": b\n",
		"a list as key":       "? [a]\n: b\n" + string(railYAML("a")),
		"a number as key":     "1: b\n" + string(railYAML("a")),
		"broken":              "schema: [1\n",
		"a tab as indent":     "schema:\n\t1\n",
		"unknown anchor":      "*a",
		"empty":               "",
		"blank":               " \n\n",
		"a comment":           "# nothing\n",
		"invalid UTF-8":       string(railYAML("\"\xff\"")),
		"UTF-16":              "\xff\xfes\x00:\x001\x00",
		"a control character": string(railYAML("\"a\x01\"")),
		"a lone surrogate":    string(railYAML(`"\ud800"`)),
		"deep":                strings.Repeat("[", 1000),
		"deep and closed":     "- " + strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		r, err := bundle.DecodeRail([]byte(text))
		var syntax *bundle.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: got %+v, %v, want a syntax error", name, r, err)
			continue
		}
		if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("%s: not one bounded line: %q", name, err)
		}
	}
}

func TestAFileThatStartsWithABraceIsStrictJSON(t *testing.T) {
	const valid = `{"schema":1,"north":"\ud83e\udded \/","next":null,"route":[],"open":[],"parked":[]}`
	r, err := bundle.DecodeRail([]byte(" \n" + valid))
	if err != nil || r.North != "🧭 /" {
		t.Fatal(r, err)
	}
	for _, text := range []string{
		strings.Replace(valid, "1", "1.0", 1),
		strings.Replace(valid, `\udded`, "", 1),
		strings.Replace(valid, `"route"`, `"north"`, 1),
		strings.Replace(valid, `"route"`, "route", 1),
		valid + "\n# comment", valid + valid,
	} {
		var syntax *bundle.SyntaxError
		if _, err := bundle.DecodeRail([]byte(text)); !errors.As(err, &syntax) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestShapesThatAreNotOursAreRefusedByField(t *testing.T) {
	rail := func(change string, with string) []byte {
		text := strings.Replace(string(railYAML("a")), change, with, 1)
		if text == string(railYAML("a")) {
			t.Fatalf("%s is not in the Rail", change)
		}
		return []byte(text)
	}
	for _, c := range []struct {
		field string
		data  []byte
	}{
		{"rail", []byte("- a")},
		{"rail", []byte("text")},
		{"rail.schema", rail("schema: 1", "schema: 2")},
		{"rail.schema", rail("schema: 1", "schema: '1'")},
		{"rail.schema", rail("schema: 1", "schema: 1.0")},
		{"rail.schema", rail("schema: 1", "schema: 0x1")},
		{"rail.schema", rail("schema: 1", "schema: true")},
		{"rail.schema", rail("schema: 1\n", "")},
		{"rail.parked", rail("parked: []\n", "")},
		{"rail.extra", rail("next:", "extra: 1\nnext:")},
		{`rail."a b"`, rail("next:", "a b: 1\nnext:")},
		{"rail.north", rail("north: a", "north: [a]")},
		{"rail.next", rail("next: null", "next: a")},
		{"rail.next.summary", rail("next: null", "next: {id: a}")},
		{"rail.next.more", rail("next: null", "next: {id: a, summary: b, more: c}")},
		{"rail.next.id", rail("next: null", "next: {id: 1, summary: b}")},
		{"rail.route", rail("route: []", "route: null")},
		{"rail.route", rail("route: []", "route: {id: a, summary: b}")},
		{"rail.open[1]", rail("open: []", "open: [{id: a, summary: b}, c]")},
		{"rail.open[1].id", rail("open: []", "open: [{id: a, summary: b}, {id: a, summary: c}]")},
		{"rail.parked[0].id", rail("open: []\nparked: []", "open: [{id: a, summary: b}]\nparked: [{id: a, summary: b}]")},
		{"rail.open[0].summary", rail("open: []", "open: [{id: a, summary: ' '}]")},
		{"rail.open[0].id", rail("open: []", `open: [{id: "\u2028", summary: a}]`)},
	} {
		_, err := bundle.DecodeRail(c.data)
		refused(t, err, c.field)
	}
	valid, err := bundle.EncodeCompass(bundle.DefaultState().Compass)
	if err != nil {
		t.Fatal(err)
	}
	for change, field := range map[[2]string]string{
		{"[0, 100]", "[0, 90]"}:       "compass.bearings.north.coordinate",
		{"[0, -100]", "[0, -100, 0]"}: "compass.bearings.south.coordinate",
		{"  west:", "  wast:"}:        "compass.bearings.wast",
		{"coordinate: [0, 100]\n  context", "coordinate: [33, 67]\n  context"}:     "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: [60, 60]\n  context"}:     "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: [0, 1_00]\n  context"}:    "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: [0, '100']\n  context"}:   "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: [-0, 100]\n  context"}:    "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: [0, 1000000]\n  context"}: "compass.heading.coordinate",
		{"coordinate: [0, 100]\n  context", "coordinate: {}\n  context"}:           "compass.heading.coordinate",
		{"drift: ", "drift: 7 # "}:    "compass.drift",
		{"return_path", "returnpath"}: "compass.returnpath",
	} {
		data := strings.Replace(string(valid), change[0], change[1], 1)
		if data == string(valid) {
			t.Fatalf("%q is not in\n%s", change[0], valid)
		}
		_, err := bundle.DecodeCompass([]byte(data))
		refused(t, err, field)
	}
}
