package work

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/dir"
	"chatrail/hooks/secret"
	"chatrail/hooks/secret/secrettest"
)

// token is one of several made-up secrets of one kind.
func token(n int) string {
	for _, k := range secrettest.Kinds() {
		if k.Rule == "github-pat" {
			return k.Secret[:len(k.Secret)-1] + string(rune('A'+n))
		}
	}
	panic("no such kind")
}

func TestRedactionIsCountedAndSaid(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	text := "Use " + token(0) + " and " + token(1)
	a := w.recorded(north(w.prompt("s"), text))
	if !maps.Equal(a.Redacted, map[string]int{"github-pat": 4}) { // the reason says the same
		t.Errorf("counted %v", a.Redacted)
	}
	if lines := a.Words(); lines[len(lines)-1] != "4 secrets were replaced before anything was stored: github-pat." {
		t.Errorf("said %q", lines)
	}
	want := "Use " + secret.Mark("github-pat") + " and " + secret.Mark("github-pat")
	if got := w.tip(); got.State.Rail.North != want || got.Event.Reason != want {
		t.Errorf("recorded %q, %q", got.State.Rail.North, got.Event.Reason)
	}
	a = w.recorded(north(w.prompt("s"), "Nothing to hide."))
	if a.Redacted != nil || strings.Contains(strings.Join(a.Words(), "\n"), "secret") {
		t.Errorf("said %q of nothing", a.Words())
	}
}

func TestTheSameAnswerWithItsSecretsIsTheSame(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	r := north(w.prompt("s"), "Use "+token(0))
	first := w.recorded(r)
	again, err := w.reconcile(r)
	if err != nil || again.Outcome != Repeated || again.Revision != first.Revision {
		t.Errorf("%+v, %v", again, err)
	}
	// The words that were stored are the same words too.
	again, err = w.reconcile(north(r.Review, w.tip().Event.Reason))
	if err != nil || again.Outcome != Repeated || again.Redacted != nil {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestARuleThatRedactionBreaksIsRefusedInWordsThatSaySo(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	id := w.prompt("s")
	before := w.tip().ID
	url := "https://a:" + "b1@example.org " // grows when its password goes
	for name, patch := range map[string]string{
		"two ids become one": `{"open":[{"id":"` + token(0) + `","summary":"x"},{"id":"` + token(1) + `","summary":"y"}]}`,
		"a text grows":       `{"north":"` + url + strings.Repeat("x", bundle.MaxString-len(url)) + `"}`,
	} {
		p, err := ParsePatch(bundle.TargetRail, []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Apply(w.tip().State); err != nil {
			t.Fatalf("%s: it was no good before: %v", name, err)
		}
		_, err = w.reconcile(Request{Review: id, Reason: "x", Patch: p})
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "replaced before anything was stored") || !strings.Contains(err.Error(), "leave them out") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), token(0)) || strings.Contains(err.Error(), token(1)) {
			t.Errorf("%s: said %v", name, err)
		}
	}
	if w.tip().ID != before {
		t.Error("something was written")
	}
	w.recorded(north(id, "Ship it"))
}

func TestAnItemIsFoundByTheIDThatWasStored(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	p, err := ParsePatch(bundle.TargetRail, []byte(`{"open":[{"id":"`+token(0)+`","summary":"Rotate it?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	w.recorded(Request{Review: w.prompt("s"), Reason: "x", Patch: p})
	w.recorded(Request{Review: w.prompt("s"), Reason: "done", Short: bundle.Short{Answer: []string{token(0)}}})
	if open := w.tip().State.Rail.Open; len(open) > 0 {
		t.Errorf("still open: %v", open)
	}
}

func TestWordsOfAnOlderVersionAreRedactedWhenTheyAreCarriedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "git")
	w.prompt("s")
	place := w.receipt("s").Pin.Place
	store := dir.Open(place.Path, dir.Options{Private: true})
	_, _, err := store.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		next := present.State
		next.Rail.North = "Use " + token(0)
		return bundle.Draft{State: next, Meta: bundle.EventMeta{ReviewID: "old", Reason: "as it was", Time: w.now()}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Init(t.Context(), InitOptions{}); err != nil {
		t.Fatal(err)
	}
	m, err := w.desk.Init(t.Context(), InitOptions{FromTask: true, Session: w.session("s")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Use " + secret.Mark("github-pat"); m.North != want || m.Redacted["github-pat"] != 1 || len(m.RedactedWords()) != 1 {
		t.Errorf("carried over %q, %v", m.North, m.Redacted)
	}
	search := secrettest.Search{Kinds: secrettest.Kinds(), Found: func(kind, where string) { t.Errorf("the %s is in %s", kind, where) }}
	if _, err := search.Repository(w.project, nil); err != nil {
		t.Error(err)
	}
}

func TestAPatchThatCannotBeReadIsRefusedWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	for _, k := range secrettest.Kinds() {
		if k.Rule != "github-fine-grained-pat" && k.Rule != "openai-api-key" && k.Rule != "jwt" {
			continue // longer than what a refusal repeats
		}
		for _, patch := range []string{`{"next":"` + k.Secret + `"}`, `{"` + k.Secret + `":1}`, `{"route":["` + k.Secret + `"]}`, `{"north":"` + k.Secret} {
			_, err := ParsePatch(bundle.TargetRail, []byte(patch))
			if err == nil {
				t.Fatalf("%s was taken", patch)
			}
			secrettest.Search{Kinds: []secrettest.Kind{k}, Found: func(kind, _ string) { t.Errorf("the %s is in %q", kind, err) }}.Bytes("", []byte(err.Error()))
		}
	}
}
