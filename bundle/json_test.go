package bundle_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

func TestStrictJSONReadsWhatJSONAllows(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for text, want := range map[string]any{
		` null `:                          nil,
		`true`:                            true,
		"\t\r\n false\n":                  false,
		`0`:                               int64(0),
		`-9223372036854775808`:            int64(-9223372036854775808),
		`123456789012345678901234567890`:  huge,
		`""`:                              "",
		`"\u0041\/\b\f\n\r\t\"\\\u00e9é"`: "A/\b\f\n\r\t\"\\éé",
		`"\ud83e\udded"`:                  "🧭",
		`"\uD83E\uDDED"`:                  "🧭",
		"\"\u2028\x7f\"":                  "\u2028\x7f",
		`[]`:                              []any{},
		`[1, [ ] ,{}]`:                    []any{int64(1), []any{}, map[string]any{}},
		`{ "a" : {"a":1} , "b":2 }`:       map[string]any{"a": map[string]any{"a": int64(1)}, "b": int64(2)},
	} {
		got, err := bundle.ParseJSON([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
}

func TestStrictJSONRefusesWhatIsAmbiguousOrBroken(t *testing.T) {
	for _, text := range []string{
		``, ` `, `nul`, `nulll`, `True`, `NaN`, `Infinity`, `'a'`, `a`, "\ufeff1",
		`1.0`, `1e2`, `1E2`, `1.5`, `-0`, `-0.0`, `01`, `-01`, `+1`, `.5`, `1.`, `-`, `1e`, `0x1`, `1_000`, strings.Repeat("9", 401),
		`"`, `"a`, `"\`, `"\u`, `"\u12`, `"\u12g4"`, `"\x41"`, `"\'"`, "\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"",
		`"\ud800"`, `"\ud800x"`, `"\ud800\n"`, `"\udc00"`, `"\udc00\ud800"`, `"\ud800\ud800"`, `"\ud83e\u0041"`,
		`[`, `[1`, `[1,`, `[1,]`, `[,]`, `[1 2]`, `[1}`, `]`,
		`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1]`,
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `[{"x":{"b":1,"b":2}}]`,
		`1 2`, `{} {}`, `{},`, `null x`, "1\x00", `// c`, `[1] /* c */`,
		strings.Repeat("[", 66) + strings.Repeat("]", 66), strings.Repeat(`{"a":`, 100_000), strings.Repeat("[", 1_000_000),
	} {
		got, err := bundle.ParseJSON([]byte(text))
		if _, ok := err.(*bundle.SyntaxError); !ok {
			t.Errorf("%.60q: got %v, %v, want a syntax error", text, got, err)
		}
	}
	if _, err := bundle.ParseJSON([]byte(strings.Repeat("[", 65) + strings.Repeat("]", 65))); err != nil {
		t.Errorf("64 levels below the first: %v", err)
	}
}

func TestStrictJSONSaysWhereAndWhatInOneLine(t *testing.T) {
	_, err := bundle.ParseJSON([]byte(`{"north": "a", "north": "b"}`))
	want := `unreadable (JSON, byte 22): the key "north" stands twice`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The strict reader accepts no text that encoding/json refuses, and reads the
// same value from what both accept.
func FuzzStrictJSONAgreesWithTheStandardLibrary(f *testing.F) {
	for _, name := range []string{bundle.CompassFile, bundle.RailFile} {
		for _, data := range fixtureFiles(f, name) {
			f.Add(data)
		}
	}
	f.Add([]byte(`[1, -2, 1.5, "\ud83e\udded", {"a": null}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := bundle.ParseJSON(data)
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("accepted %q, which is no JSON: %v", data, err)
		}
		if !reflect.DeepEqual(numbersAsText(got), numbersAsText(want)) {
			t.Fatalf("read %#v from %q, want %#v", got, data, want)
		}
	})
}

func numbersAsText(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(big.NewInt(v).String())
	case *big.Int:
		return json.Number(v.String())
	case []any:
		for i := range v {
			v[i] = numbersAsText(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbersAsText(v[key])
		}
	}
	return v
}

func TestWhatTheStandardLibraryWritesIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(anyText(), rapid.SliceOf(anyText())).Draw(t, "value")
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := bundle.ParseJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for key, list := range tree.(map[string]any) {
			got[key] = []string{}
			for _, s := range list.([]any) {
				got[key] = append(got[key], s.(string))
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
