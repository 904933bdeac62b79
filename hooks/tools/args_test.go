package tools

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
)

type arguments struct {
	common
	Text   string
	List   []string
	Number *int
	Patch  patch
	Flag   bool
}

var known = []string{"cwd", "flag", "list", "number", "patch", "review", "text"}

func TestAPatchIsReadAsStrictlyAsThatOfTheCommand(t *testing.T) {
	for _, data := range []string{
		`{"patch":{"north":"a","north":"b"}}`, `{"text":"a","text":"b"}`, `{"text":"\ud800"}`, "{\"text\":\"\xff\"}", `{"number":1.0}`, `{"text":"a"} x`, `[]`,
	} {
		var a arguments
		if err := decode([]byte(data), known, &a); err == nil {
			t.Errorf("%s was taken: %+v", data, a)
		}
	}
	for _, data := range []string{`{"patch":{"north":"a"}}`, `{"patch":"{\"north\":\"a\"}"}`} {
		var a arguments
		if err := decode([]byte(data), known, &a); err != nil || string(a.Patch.json) != `{"north":"a"}` {
			t.Errorf("%s: %q, %v", data, a.Patch.json, err)
		}
	}
	for _, data := range []string{"", "null", " {} ", `{"patch":null}`} {
		var a arguments
		if err := decode([]byte(data), known, &a); err != nil || !reflect.DeepEqual(a, arguments{}) {
			t.Errorf("%q: %+v, %v", data, a, err)
		}
	}
}

// Whatever bytes a client sends, arguments are decoded to what they say or refused
// in one line.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"text":"x","list":["a"],"number":3,"patch":{"north":"x"},"flag":true,"review":"r"}`, `{"patch":"{"}`, `null`, ``, `{"number":"3"}`, `{"TEXT":"x"}`,
		`{"common":{}}`, `{"list":[1]}`, `{"patch":"\ud83d\ude00"}`, `{"review":["x"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a arguments
		if err := decode(data, known, &a); err != nil {
			if line := failed(err); line == nil || err.Error() == "" {
				t.Error("a refusal says nothing")
			}
			return
		}
		if len(a.Text) > 0 && !json.Valid(data) {
			t.Errorf("%q is no JSON and was taken", data)
		}
		if a.Patch.json != nil {
			_, err := bundle.ParsePatch(bundle.TargetRail, a.Patch.json)
			var syntax *bundle.SyntaxError
			var rule *bundle.RuleError
			if err != nil && !errors.As(err, &syntax) && !errors.As(err, &rule) {
				t.Error(err)
			}
		}
		// What was taken means the same again.
		again, err := json.Marshal(map[string]any{"text": a.Text, "list": a.List, "number": a.Number, "flag": a.Flag, "review": a.Review, "cwd": a.CWD})
		if err != nil {
			t.Fatal(err)
		}
		var b arguments
		if err := decode(again, known, &b); err != nil || b.Text != a.Text || b.Review != a.Review || !slices.Equal(b.List, a.List) {
			t.Errorf("%q: %+v and again %+v, %v", data, a, b, err)
		}
	})
}

// The schemas are written by hand, in few bytes; each argument of them is one that
// the tool decodes, and of that type.
func TestEverySchemaNamesWhatItsToolTakes(t *testing.T) {
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	values := map[string][]any{
		"string": {"x"}, "boolean": {true}, "integer": {1}, "array": {[]any{}}, "object": {map[string]any{}},
	}
	for _, o := range offers {
		properties := o.schema()["properties"].(map[string]any)
		for _, name := range []string{"review", "cwd"} {
			if properties[name] == nil {
				t.Errorf("%s has no %s", o.name, name)
			}
		}
		for name, p := range properties {
			if name == "cwd" || name == "review" {
				continue
			}
			kind := p.(map[string]any)["type"].(string)
			for other, value := range values {
				s := c.call(o.name, args{name: value[0], "review": review})
				mistyped := strings.Contains(s.text, name+" cannot be a")
				// A patch takes the text of an object as well, and says itself what is wrong.
				if (other == kind) == mistyped && kind != "object" {
					t.Errorf("%s: %s with a %s: %s", o.name, name, other, s.text)
				}
				if strings.Contains(s.text, "no argument") {
					t.Errorf("%s: %s", o.name, s.text)
				}
			}
		}
	}
}
