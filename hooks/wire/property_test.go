package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"chatrail/hooks/agent"
)

// written draws a settings file as somebody may have written it.
type written struct {
	*rapid.T
	newline string
	one     bool // on one line
	b       strings.Builder
}

func (w *written) pick(options ...string) string { return rapid.SampledFrom(options).Draw(w.T, "pick") }

func (w *written) maybe(of int) bool { return rapid.IntRange(1, of).Draw(w.T, "maybe") == 1 }

// gap is what may stand between two words.
func (w *written) gap() {
	for w.maybe(2) {
		if w.one {
			w.b.WriteString(w.pick(" ", "\t", "/* c */", "  "))
		} else {
			w.b.WriteString(w.pick(" ", "  ", "\t", w.newline, w.newline+"    ", "/* c */", "/* , } ] "+w.newline+" */", "// c , } \" "+w.newline))
		}
	}
}

func (w *written) composite(open, closing string, n int, item func(i int)) {
	w.b.WriteString(open)
	for i := range n {
		w.gap()
		item(i)
		w.gap()
		if i < n-1 || w.maybe(4) {
			w.b.WriteByte(',')
		}
	}
	w.gap()
	w.b.WriteString(closing)
}

func (w *written) value(depth int) {
	switch kind := rapid.IntRange(0, 3).Draw(w.T, "kind"); {
	case depth > 0 && kind == 0:
		w.object(depth-1, nil)
	case depth > 0 && kind == 1:
		w.composite("[", "]", rapid.IntRange(0, 3).Draw(w.T, "n"), func(int) { w.value(depth - 1) })
	default:
		w.b.WriteString(w.pick(`1`, `-0.5e+3`, `true`, `null`, `""`, `"a, b }"`, `"\u00e9\"// no"`, `"Bash(ls:*)"`))
	}
}

func (w *written) object(depth int, known map[string]func()) {
	names := []string{"model", "a b", "x", "\\u0078", "env"}
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	w.composite("{", "}", rapid.IntRange(0, 4).Draw(w.T, "n"), func(int) {
		name := w.pick(names...)
		w.b.WriteString(`"` + name + `"`)
		w.gap()
		w.b.WriteByte(':')
		w.gap()
		if write := known[name]; write != nil {
			write()
		} else {
			w.value(depth)
		}
	})
}

func (w *written) list(item func()) {
	w.composite("[", "]", rapid.IntRange(0, 3).Draw(w.T, "n"), func(int) { item() })
}

func (w *written) settings() []byte {
	group := func() {
		w.object(1, map[string]func(){"hooks": func() {
			w.list(func() { w.object(1, map[string]func(){"command": func() { w.b.WriteString(`"say done"`) }}) })
		}})
	}
	event := func() { w.list(group) }
	w.gap()
	w.object(2, map[string]func(){
		"hooks":       func() { w.object(1, map[string]func(){"Stop": event, "SessionStart": event, "Other": event}) },
		"permissions": func() { w.object(1, map[string]func(){"allow": func() { w.list(func() { w.value(0) }) }}) },
	})
	w.gap()
	return []byte(w.b.String())
}

// meaning is what a client reads.
func meaning(t interface{ Fatal(...any) }, text []byte) any {
	if blank(text) {
		return map[string]any{}
	}
	plain, err := hujson.Standardize(append(slices.Clone(text), '\n'))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// keepsAll installs into a text and takes it out again in every way.
func keepsAll(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, s settings, start []byte) {
	f := &file{path: "settings.json", text: start}
	in, _, err := s.install(f, nil)
	if err != nil || in == nil {
		return // left alone, or nothing to do
	}
	if again, renewed, err := s.install(&file{text: in.text}, nil); again != nil || !renewed || err != nil {
		t.Fatalf("not the same the second time: %v\n%q\n%q", err, start, in.text)
	}
	out, err := s.uninstall(&file{text: in.text}, in.rec)
	if err != nil || !bytes.Equal(out.text, start) {
		t.Fatalf("by what is remembered: %v\n%q\n%q", err, start, in.text)
	}
	if blank(start) {
		return
	}
	// Something else was edited: a comment at the end, which only looks can tell.
	for _, edited := range []string{"\n", " /* mine */", "// mine"} {
		changed := append(slices.Clone(in.text), edited...)
		out, err := s.uninstall(&file{text: changed}, in.rec)
		if err != nil {
			t.Fatalf("with an edit: %v\n%q\n%q", err, start, in.text)
		}
		if !reflect.DeepEqual(meaning(t, body(out.text)), meaning(t, body(start))) {
			t.Fatalf("with an edit:\n%q\n%q\n%q", start, in.text, out.text)
		}
	}
	d, err := parse(body(in.text))
	if err != nil {
		t.Fatal(err)
	}
	made := func(path []string) bool {
		return slices.ContainsFunc(in.rec.Made, func(p []string) bool { return slices.Equal(p, path) })
	}
	text, err := d.strip(ours{
		handler: func(v *hujson.Value) bool { return d.call(s.place.host, v) == onlyCall },
		rule:    func(rule string) bool { return slices.Contains(in.rec.Rules, rule) },
		rules:   [][]string{allowPath}, empty: made,
	})
	if err != nil || !reflect.DeepEqual(meaning(t, text), meaning(t, body(start))) {
		t.Fatalf("by looking: %v\n%q\n%q\n%q", err, start, in.text, text)
	}
	if out, err := s.uninstall(&file{text: in.text}, nil); err != nil || len(s.ownIn(out.text)) > 0 {
		t.Fatalf("without a record: %v\n%q\n%q", err, start, in.text)
	}
}

func anySettings(t testing.TB) settings {
	env, _ := world(t)
	p := place{host: agent.Claude, scope: User}
	return settings{env: env, place: p, rules: env.rules(p)}
}

func TestInAndOutAgainChangesNothing(t *testing.T) {
	s := anySettings(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &written{T: t, newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline"), one: rapid.Bool().Draw(t, "one")}
		start := w.settings()
		if rapid.Bool().Draw(t, "bom") {
			start = append(slices.Clone(bom), start...)
		}
		keepsAll(t, s, start)
	})
}

func FuzzSettings(f *testing.F) {
	s := anySettings(f)
	for _, seed := range []string{
		"", "{}", "{ }", "[]", "{\"hooks\":{}}", "\xef\xbb\xbf{}\r\n", "{\"a\":1,}", "{// c\n}", "{\"a\":1// c\n}", "{\"a\":1/* c */,/* d */}",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[]}]},\"permissions\":{\"allow\":[1,],},}", "{\"hooks\":{\"Stop\":[ // c\n ]}}",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"chatrail-hook claude\"}]}]}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, start []byte) {
		if len(s.ownIn(start)) > 0 {
			return // not a start, but what an installation left
		}
		keepsAll(t, s, start)
	})
}

func (s settings) ownIn(text []byte) map[string][]string {
	d, err := parse(body(text))
	if err != nil {
		return nil
	}
	return s.own(d)
}
