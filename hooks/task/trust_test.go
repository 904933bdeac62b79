package task

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestATrustedBundleNeedsItsPlaceAndItsIdentity(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	if h.Trusted(p, p.Root) {
		t.Error("trusted before anybody said so")
	}
	must(t, h.Trust(ctx, p))
	other := p
	other.Path = "/elsewhere/.git"
	clone := other
	clone.Marker = "another mark"
	for name, c := range map[string]struct {
		p    Place
		root string
		want bool
	}{
		"the same":            {p, p.Root, true},
		"another identity":    {p, "other", false},
		"unknown identity":    {p, "", false},
		"moved, mark and all": {other, p.Root, true},
		"a clone elsewhere":   {clone, p.Root, false},
		"another repository":  {Place{Kind: KindGit, Path: p.Path, Ref: "refs/chatrail/task/x"}, p.Root, false},
	} {
		if got := h.Trusted(c.p, c.root); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	must(t, h.Untrust(ctx, p))
	if h.Trusted(p, p.Root) {
		t.Error("still trusted")
	}
}

func TestABundleWithoutAnIdentityCannotBeTrusted(t *testing.T) {
	h := newHome(t)
	if err := h.Trust(ctx, Place{Kind: KindDir, Path: "/x/.chatrail"}); err == nil {
		t.Error("trusted")
	}
	if exists(h.Dir) {
		t.Error("something was written")
	}
}

func TestPrivateBundlesOfThisHomeAreTrustedAndOthersAreNot(t *testing.T) {
	h := newHome(t)
	if !h.Trusted(h.Private(Key("s")), "") {
		t.Error("a private bundle of this home is not trusted")
	}
	for _, path := range []string{
		filepath.Join(realTemp(t), "tasks", Key("s")),
		filepath.Join(h.Dir, "tasks", "x"),
		filepath.Join(h.Dir, "elsewhere", Key("s")),
	} {
		if h.Trusted(Place{Kind: KindPrivate, Path: path}, "r") {
			t.Errorf("%s is trusted", path)
		}
	}
	if h.Trusted(Place{Kind: KindDir, Path: h.PrivateDir(Key("s"))}, "r") {
		t.Error("a place of another kind is trusted")
	}
}

func TestParallelChangesOfTheListLoseNothing(t *testing.T) {
	h := newHome(t)
	place := func(i int) Place {
		return Place{Kind: KindDir, Path: filepath.Join("/p", string(rune('a'+i))), Root: "r"}
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := h.Trust(ctx, place(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		if !h.Trusted(place(i), "r") {
			t.Errorf("%v is lost", place(i))
		}
	}
}

func TestADamagedListTrustsNothingAndIsKeptAside(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	must(t, h.Trust(ctx, p))
	list := filepath.Join(h.Dir, trustFile)
	data, err := os.ReadFile(list)
	must(t, err)
	write(t, list, string(data[:len(data)/2]))
	if h.Trusted(p, p.Root) {
		t.Error("half a list is believed")
	}
	must(t, h.Trust(ctx, p))
	if aside, _ := filepath.Glob(list + ".damaged-*"); !h.Trusted(p, p.Root) || len(aside) != 1 {
		t.Errorf("kept aside: %q", aside)
	}
}

func TestTheEnvironmentTellsWhichAgentAndSessionACommandRunsIn(t *testing.T) {
	for _, c := range []struct {
		env            []string
		agent, session string
		ok             bool
	}{
		{nil, "", "", false},
		{[]string{"HOME", "/h", "TERM", "xterm"}, "", "", false},
		{[]string{"CLAUDECODE", "1"}, "claude", "", true},
		{[]string{"CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "s", "AI_AGENT", "claude"}, "claude", "s", true},
		{[]string{"CLAUDE_CODE_SESSION_ID", "s"}, "claude", "s", true},
		{[]string{"CODEX_THREAD_ID", "t"}, "codex", "t", true},
		{[]string{"CODEX_THREAD_ID", "t", "CODEX_SANDBOX_NETWORK_DISABLED", "1"}, "codex", "t", true},
		{[]string{"CODEX_SESSION_ID", "t", "CODEX_THREAD_ID", "t"}, "codex", "t", true},
		{[]string{"CODEX_SESSION_ID", "root", "CODEX_THREAD_ID", "child"}, "codex", "root", true},
		{[]string{"GEMINI_CLI", "1", "GEMINI_SESSION_ID", "g"}, "gemini", "g", true},
		{[]string{"COPILOT_CLI", "1"}, "copilot", "", true},
		{[]string{"OPENCODE", "1"}, "opencode", "", true},
		{[]string{"AI_AGENT", "new"}, "agent", "", true},
		// One inside the other: nobody can tell which is the inner one.
		{[]string{"CLAUDE_CODE_SESSION_ID", "s", "CODEX_THREAD_ID", "t"}, "agent", "", true},
		{[]string{"CLAUDE_CODE_SESSION_ID", "s", "COPILOT_CLI", "1"}, "agent", "", true},
	} {
		agent, session, ok := InAgent(environment(c.env...))
		if agent != c.agent || session != c.session || ok != c.ok {
			t.Errorf("%q: %q, %q, %v", c.env, agent, session, ok)
		}
	}
}

func TestTheEnvironmentTellsACommandOfASubAgentWhereTheHostSaysSo(t *testing.T) {
	for _, c := range []struct {
		root, own string
		child     bool
	}{{"", "", false}, {"a", "", false}, {"", "a", false}, {"a", "a", false}, {"a", "b", true}} {
		if got := InChild(environment("CODEX_SESSION_ID", c.root, "CODEX_THREAD_ID", c.own)); got != c.child {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestAPauseHoldsForAProcessATaskOrABundle(t *testing.T) {
	h := newHome(t)
	p, key := gitPin(), Key("s")
	for _, value := range []string{"off", "OFF", " off ", "0", "false", "no"} {
		if h.Paused(environment("CHATRAIL", value), Receipt{}) != PausedByEnv {
			t.Errorf("CHATRAIL=%q does not pause", value)
		}
	}
	for _, value := range []string{"", "on", "1", "offline", "yes"} {
		if got := h.Paused(environment("CHATRAIL", value), Receipt{TaskKey: key, Pin: p}); got != NotPaused {
			t.Errorf("CHATRAIL=%q: %s", value, got)
		}
	}
	if got := h.Paused(environment(), Receipt{Paused: true, Pin: p}); got != PausedTask {
		t.Errorf("a paused task: %q", got)
	}
	must(t, h.SetPlaceOff(ctx, p.Place, true))
	must(t, h.SetPlaceOff(ctx, p.Place, true))
	if got := h.Paused(environment(), Receipt{Pin: p}); got != PausedBundle {
		t.Errorf("a paused bundle: %q", got)
	}
	if got := h.Paused(environment(), Receipt{Pin: &Pin{Place: h.Private(key)}}); got != NotPaused {
		t.Errorf("another bundle: %q", got)
	}
	must(t, h.SetPlaceOff(ctx, p.Place, false))
	if got := h.Paused(environment(), Receipt{Pin: p}); got != NotPaused {
		t.Errorf("a bundle that goes on: %q", got)
	}
}
