package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"chatrail/bundle"
)

// longBundle is a bundle with some history and its warm cache.
func longBundle(t *testing.T) (*Store, *memCache) {
	t.Helper()
	s := newBundle(t)
	for i := range 12 {
		mustApply(t, s, say(fmt.Sprint("step ", i), note("tasks/a.md", fmt.Sprint(i))))
	}
	cache := &memCache{}
	mustTip(t, open(s.path, Options{Cache: cache}))
	if cache.saves != 1 {
		t.Fatalf("saved %d times", cache.saves)
	}
	return s, cache
}

func TestVerifiedBeginningIsNotReadAgain(t *testing.T) {
	s, cache := longBundle(t)
	// A break that only a whole reading finds, far from the end of a long file.
	filler := strings.Repeat(" ", 2*tailSize)
	edit(t, s, bundle.EventsFile, func(text string) string {
		l := lines(text)
		l[9] = strings.TrimSuffix(l[9], "\n") + filler + "\n"
		return strings.Join(l, "")
	})
	cached := open(s.path, Options{Cache: cache})
	cache.data = nil
	mustTip(t, cached)
	edit(t, s, bundle.EventsFile, func(text string) string { return strings.Replace(text, `"drift":"step 2"`, `"drift":"step X"`, 1) })
	if tip := mustTip(t, open(s.path, Options{Cache: cache})); tip.Event.Reason != "step 11" {
		t.Errorf("tip is %q", tip.Event.Reason)
	}
	mustTip(t, cached)
	if report := mustVerify(t, cached); report.Valid {
		t.Error("verify relied on what was verified before")
	}
	fresh := open(s.path, Options{})
	fresh.patience = 0
	if _, err := fresh.Tip(t.Context()); err == nil {
		t.Error("the break does not show without a cache: this test shows nothing")
	}
}

func TestUnchangedBundleSavesNoCacheAgain(t *testing.T) {
	s, cache := longBundle(t)
	for range 3 {
		mustTip(t, open(s.path, Options{Cache: cache}))
	}
	if cache.saves != 1 {
		t.Errorf("saved %d times", cache.saves)
	}
	mustApply(t, s, say("more"))
	mustTip(t, open(s.path, Options{Cache: cache}))
	if cache.saves != 2 {
		t.Errorf("saved %d times after a change", cache.saves)
	}
}

func TestCacheThatDoesNotFitIsIgnored(t *testing.T) {
	s, cache := longBundle(t)
	other := newBundle(t)
	for i := range 15 {
		mustApply(t, other, say(fmt.Sprint("other ", i)))
	}
	foreign := &memCache{}
	mustTip(t, open(other.path, Options{Cache: foreign}))
	want := mustTip(t, s)
	for name, data := range map[string][]byte{
		"empty": {}, "null": []byte("null"), "{}": []byte("{}"), "null with a digest": append([]byte(sum([]byte("null"))+"\n"), "null"...),
		"cut": cache.data[:len(cache.data)/2], "flipped": bytes.Replace(cache.data, []byte("step"), []byte("stop"), 1),
		"another bundle's": foreign.data, "zeros": make([]byte, 4096),
	} {
		c := &memCache{data: data}
		store := open(s.path, Options{Cache: c})
		if tip := mustTip(t, store); tip.ID != want.ID || !tip.State.Equal(want.State) {
			t.Errorf("%s: tip is %q", name, tip.Event.Reason)
		}
		if !bytes.Equal(c.data, cache.data) {
			t.Errorf("%s: was not replaced", name)
		}
	}
}

func TestWrongCacheCannotFreezeABundle(t *testing.T) {
	s, cache := longBundle(t)
	p, ok := decodePrefix(cache.data)
	if !ok {
		t.Fatal("the cache does not decode")
	}
	p.state.Compass.Drift = "never recorded"
	wrong, err := p.encode()
	if err != nil {
		t.Fatal(err)
	}
	cache.data = wrong
	mustTip(t, open(s.path, Options{Cache: cache}))
	if bytes.Equal(cache.data, wrong) {
		t.Error("the wrong cache stays")
	}
}

func TestCacheSurvivesHistoryThatBecameShorterOrAnother(t *testing.T) {
	s, cache := longBundle(t)
	store := open(s.path, Options{Cache: cache})
	mustTip(t, store)
	old := copyBundle(t, "healthy")
	for _, name := range files {
		writeFile(t, s.file(name), readText(t, old.file(name)))
	}
	for _, st := range []*Store{store, open(s.path, Options{Cache: cache})} {
		if tip := mustTip(t, st); tip.Event.Reason != "Flaky CI is being fixed first" {
			t.Errorf("tip is %q", tip.Event.Reason)
		}
	}
}

func TestPrefixFitsOnlyTheBytesItWasMadeFrom(t *testing.T) {
	s, cache := longBundle(t)
	p, ok := decodePrefix(cache.data)
	text := []byte(readText(t, s.file(bundle.EventsFile)))
	if size := int64(len(text)); !ok || !p.fits(bytes.NewReader(text), size) {
		t.Fatal("the prefix does not fit its own file")
	}
	text[p.size-3] ^= 1
	if p.fits(bytes.NewReader(text), int64(len(text))) {
		t.Error("a changed byte fits")
	}
	if p.fits(bytes.NewReader(text[:p.size-1]), p.size-1) {
		t.Error("a shorter file fits")
	}
}

// countdown is a context that is cancelled when it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestVerificationGoesOnWhereADeadlineEndedIt(t *testing.T) {
	s, _ := longBundle(t)
	cache := &memCache{}
	tries := 0
	for ; ; tries++ {
		tip, err := open(s.path, Options{Cache: cache}).Tip(&countdown{Context: t.Context(), n: 6})
		if err == nil {
			if tip.Event.Reason != "step 11" {
				t.Errorf("tip is %q", tip.Event.Reason)
			}
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) || tries > 20 {
			t.Fatalf("try %d: %v", tries, err)
		}
	}
	if tries == 0 {
		t.Error("the first try succeeded: this test shows nothing")
	}
}

func TestWhatCallersDoToAStateReachesNoVerifiedPrefix(t *testing.T) {
	s := newBundle(t, say("one"))
	quiet := func(present *bundle.Revision) (bundle.Draft, error) {
		d, err := say("")(present)
		d.State.Rail = present.State.Rail
		d.State.Compass.Drift = present.State.Compass.Drift + "."
		d.Meta.Reason = "Compass alone"
		return d, err
	}
	for range 3 {
		mustApply(t, s, quiet).State.Rail.Open[0].Summary = "changed"
		mustTip(t, s).State.Rail.Open[0].Summary = "changed"
		if got := s.memo.state.Rail.Open; len(got) > 0 && got[0].Summary != "one" {
			t.Fatalf("the prefix has %q", got[0].Summary)
		}
	}
}
