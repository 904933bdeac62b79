package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// fakeStore answers for bundles without one.
type fakeStore struct {
	home    task.Home
	view    task.View
	err     error                        // of View
	drain   func(*task.Receipt) []string // what the drop box held, nil for nothing
	lost    Loop                         // what would be lost
	lostErr error
	before  []words.Earlier // what came before
	calls   []string
}

func (f *fakeStore) Baseline(context.Context, task.Place, string) (json.RawMessage, error) {
	f.calls = append(f.calls, "baseline")
	return json.RawMessage(`{"top":"/p"}`), nil
}

func (f *fakeStore) Loop(context.Context, agent.Payload, *task.Receipt) (Loop, error) {
	f.calls = append(f.calls, "loop")
	l := f.lost
	l.Capture = func(context.Context) (task.Captured, error) {
		f.calls = append(f.calls, "capture")
		return task.Captured{State: l.State, Path: "entries/2026/03/01-x.md", Words: "1 changed path"}, nil
	}
	return l, f.lostErr
}

func (f *fakeStore) View(context.Context, task.Place) (task.View, error) {
	f.calls = append(f.calls, "view")
	return f.view, f.err
}

func (f *fakeStore) Private(_ context.Context, key string) (task.Place, error) {
	f.calls = append(f.calls, "private")
	return f.home.Private(key), nil
}

func (f *fakeStore) Drain(_ context.Context, _ agent.Payload, r *task.Receipt) error {
	f.calls = append(f.calls, "drain")
	if f.drain == nil {
		return nil
	}
	for _, line := range f.drain(r) {
		r.Tell(line)
	}
	return nil
}

func (f *fakeStore) Successor(_ context.Context, p task.Place, _ string) (task.Place, bool, error) {
	return p, false, nil
}

func (f *fakeStore) Before(context.Context, agent.Payload, []string) ([]words.Earlier, error) {
	return f.before, nil
}

const sessionID = "the session"

// scene is a task in a project whose bundle is named and trusted.
type scene struct {
	*testing.T
	store  *fakeStore
	engine *Engine
	cwd    string
	clock  time.Time
}

func newScene(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := task.Home{Dir: filepath.Join(root, "state")}
	s := &scene{T: t, cwd: filepath.Join(root, "project"), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	if err := os.CopyFS(filepath.Join(s.cwd, ".chatrail"), os.DirFS(filepath.Join("..", "testdata", "bundles", "healthy"))); err != nil {
		t.Fatal(err)
	}
	s.store = &fakeStore{home: home, view: task.View{
		Tip: "tip", Root: "root", Named: true, When: s.clock, Task: "0123456789ab", Agent: "codex", Branch: "main",
		Fields: map[string]string{"rail.north": "1", "compass.drift": "2"},
		Lines:  []task.Line{{Field: "rail.north", Text: "North: Ship it"}, {Field: "compass.drift", Text: "Drift: none"}},
	}}
	place, err := task.Discover(s.cwd, task.DiscoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	place.Root = "root"
	if err := home.Trust(t.Context(), place); err != nil {
		t.Fatal(err)
	}
	s.engine = &Engine{
		Home: home, Store: s.store, Program: "chatrail",
		Env: func(string) string { return "" },
		Now: func() time.Time { s.clock = s.clock.Add(time.Minute); return s.clock },
	}
	return s
}

func (s *scene) try(ev turn.Event) (agent.Words, error) {
	return s.engine.Deliver(s.Context(), s.payload(ev))
}

func (s *scene) payload(ev turn.Event) agent.Payload {
	names := map[turn.Kind]string{turn.SessionStart: "SessionStart", turn.Prompt: "UserPromptSubmit", turn.Stop: "Stop",
		turn.ChildStart: "SubagentStart", turn.PreCompact: "PreCompact", turn.SessionEnd: "SessionEnd"}
	return agent.Payload{
		EventName: names[ev.Kind],
		Host:      agent.Claude, Event: ev, SessionID: sessionID, CWD: s.cwd,
	}
}

func (s *scene) send(ev turn.Event) agent.Words {
	s.Helper()
	said, err := s.try(ev)
	if err != nil {
		s.Fatalf("%s: %v", ev.Kind, err)
	}
	return said
}

func (s *scene) start(source turn.Source) agent.Words {
	s.Helper()
	return s.send(turn.Event{Kind: turn.SessionStart, Source: source})
}

func prompt(name string) turn.Event {
	return turn.Event{Kind: turn.Prompt, Prompt: turn.Words, Turn: name, PromptHash: name}
}

func (s *scene) receipt() task.Receipt {
	s.Helper()
	r, err := s.engine.Home.LoadReceipt(task.Key(sessionID))
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// state lists the files of the state home, apart from the locks.
func (s *scene) state() []string {
	s.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(s.engine.Home.Dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, "locks/") {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *scene) want(what, text string, parts ...string) {
	s.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.Errorf("%s lacks %q: %q", what, part, text)
		}
	}
}

func TestSessionStartSaysTheOrientationAndTiesNothing(t *testing.T) {
	s := newScene(t)
	for _, source := range []turn.Source{turn.Startup, turn.Clear, turn.Fork} {
		said := s.start(source)
		s.want(string(source), said.Context, "project bundle of project", "by task 0123456789ab (codex) on main", "\nNorth: Ship it\nDrift: none")
		if strings.Contains(said.Context, "reconcile") || said.Block != "" || said.UserNote != "" {
			s.Errorf("%s: %+v", source, said)
		}
	}
	if r := s.receipt(); r.Pin != nil || r.Turn.Review != nil {
		s.Errorf("receipt %+v", r)
	}
	if got, want := s.state(), []string{"cache/said-" + task.Key(sessionID) + ".json", "trust.json"}; !slices.Equal(got, want) {
		s.Errorf("state home: %q", got)
	}
}

func TestSessionStartOfAResumeSaysOnlyWhatChanged(t *testing.T) {
	s := newScene(t)
	s.start(turn.Startup)
	if said := s.start(turn.Resume); said != (agent.Words{}) {
		s.Errorf("nothing changed, and it said %+v", said)
	}
	s.store.view.Tip, s.store.view.Fields = "next", map[string]string{"rail.north": "1"}
	s.store.view.Lines = s.store.view.Lines[:1]
	said := s.start(turn.Resume)
	s.want("a resume", said.Context, "what changed", "\nDrift: none")
	if strings.Contains(said.Context, "North") {
		s.Errorf("it repeats what stayed: %q", said.Context)
	}
	// The first prompt takes along what the start has said.
	s.send(prompt("p1"))
	if said := s.start(turn.Resume); said.Context != "" {
		s.Errorf("said again after the prompt: %q", said.Context)
	}
}

func TestCompactionOwesTheOrientationOnceAndTheFirstNorthWithIt(t *testing.T) {
	s := newScene(t)
	s.store.view.FirstNorth = "Ship all of it"
	s.send(prompt("p1"))
	if said := s.send(turn.Event{Kind: turn.PreCompact}); said != (agent.Words{}) {
		s.Errorf("before the compaction: %+v", said)
	}
	s.want("the start", s.start(turn.Compact).Context, "North: Ship it", "The first North, since replaced, was: Ship all of it")
	if said := s.send(prompt("p2")); strings.Contains(said.Context, "Ship it") {
		s.Errorf("said twice: %q", said.Context)
	}
}

func TestPromptAfterACompactionWithoutAStartSaysTheOrientation(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	s.send(turn.Event{Kind: turn.PreCompact})
	s.send(turn.Event{Kind: turn.PostCompact})
	s.want("the prompt", s.send(prompt("p2")).Context, "North: Ship it", "\n\nChatRail review, once")
	if said := s.send(prompt("p3")); strings.Contains(said.Context, "Ship it") {
		s.Errorf("said twice: %q", said.Context)
	}
}

func TestPromptPinsAndOpensAReviewThatExpectsThePresentFields(t *testing.T) {
	s := newScene(t)
	said := s.send(prompt("p1"))
	r := s.receipt()
	if r.Pin == nil || r.Pin.Kind != task.KindDir || r.Pin.Root != "root" || r.Pin.Since.IsZero() || r.Agent != "claude" {
		s.Fatalf("receipt %+v, pin %+v", r, r.Pin)
	}
	review := r.Turn.Review
	if review == nil || review.BaseTip != "tip" || review.Fields["rail.north"] != "1" || review.Status != turn.Pending {
		s.Fatalf("review %+v", review)
	}
	s.want("the line", said.Context, "\nchatrail reconcile "+review.ID+"\n")
	if len(said.Context) > words.MaxReviewFull {
		s.Errorf("%d bytes in full", len(said.Context))
	}
	s.clock = s.clock.Add(time.Hour)
	said = s.send(prompt("p2"))
	s.want("the second line", said.Context, "\nchatrail reconcile "+s.receipt().Turn.Review.ID)
	if len(said.Context) > words.MaxReviewShort {
		s.Errorf("%d bytes in short", len(said.Context))
	}
	if got := s.receipt().Turn.Review.Aliases; !slices.Equal(got, []string{review.ID}) {
		s.Errorf("aliases %q", got)
	}
}

func TestPinHoldsWhereverTheTaskGoesNext(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	pin := *s.receipt().Pin
	s.cwd = s.TempDir()
	s.send(prompt("p2"))
	if got := *s.receipt().Pin; got != pin {
		s.Errorf("the pin moved to %+v", got)
	}
}

func TestTaskWithoutAProjectGetsAPrivateBundleAtItsFirstPrompt(t *testing.T) {
	s := newScene(t)
	s.cwd = s.TempDir()
	s.engine.Env = func(name string) string {
		if name == "HOME" {
			return filepath.Dir(s.cwd)
		}
		return ""
	}
	for _, ev := range []turn.Event{{Kind: turn.SessionStart}, {Kind: turn.Stop}, {Kind: turn.PreCompact}, {Kind: turn.SessionEnd}, {Kind: turn.ChildStart, Child: true}} {
		if said, err := s.try(ev); said != (agent.Words{}) || err != nil && !errors.Is(err, task.ErrNone) {
			s.Errorf("%s: %+v, %v", ev.Kind, said, err)
		}
	}
	if len(s.store.calls) > 0 {
		s.Errorf("calls %q", s.store.calls)
	}
	s.send(prompt("p1"))
	if pin := s.receipt().Pin; pin == nil || pin.Kind != task.KindPrivate {
		s.Errorf("pin %+v", pin)
	}
}

func TestStopBlocksOnceForASkippedReview(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	said := s.send(turn.Event{Kind: turn.Stop})
	s.want("the block", said.Block, agent.BlockPrefix, "\nchatrail reconcile "+s.receipt().Turn.Review.ID+"\n")
	if said := s.send(turn.Event{Kind: turn.Stop}); said != (agent.Words{}) {
		s.Errorf("the second stop: %+v", said)
	}
}

func TestStopRecordsWhatTheDropBoxHoldsBeforeItAsks(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	s.store.drain = func(r *task.Receipt) []string { r.Turn = r.Turn.Complete(); return nil }
	s.store.calls = nil
	if said := s.send(turn.Event{Kind: turn.Stop}); said.Block != "" {
		s.Errorf("blocked for %q", said.Block)
	}
	if !slices.Equal(s.store.calls, []string{"drain", "view"}) {
		s.Errorf("calls %q", s.store.calls)
	}
}

func TestWhatCouldNotBeRecordedIsToldAtThePrompt(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	s.store.drain = func(*task.Receipt) []string { return []string{"It is <kept>\nelsewhere."} }
	s.want("the prompt", s.send(prompt("p2")).Context, "It is ‹kept› elsewhere.\n\nChatRail review")
}

func TestChildStartSaysTheOrientationReadOnlyAndWritesNothing(t *testing.T) {
	s := newScene(t)
	child := turn.Event{Kind: turn.ChildStart, Child: true}
	before := s.state()
	s.want("before any prompt", s.send(child).Context, "read-only", "North: Ship it")
	if got := s.state(); !slices.Equal(got, before) {
		s.Errorf("it wrote: %q", got)
	}
	s.send(prompt("p1"))
	receipt := s.receipt()
	s.store.calls = nil
	s.want("after it", s.send(child).Context, "read-only", "North: Ship it")
	for _, ev := range []turn.Event{{Kind: turn.ChildStop, Child: true}, {Kind: turn.Stop, Child: true},
		{Kind: turn.Prompt, Prompt: turn.Words, Child: true}, {Kind: turn.SessionStart, Child: true}} {
		if said := s.send(ev); said != (agent.Words{}) {
			s.Errorf("%s of a child: %+v", ev.Kind, said)
		}
	}
	if !slices.Equal(s.store.calls, []string{"view"}) || s.receipt().Turn.Review.ID != receipt.Turn.Review.ID {
		s.Errorf("calls %q", s.store.calls)
	}
}

func TestSessionEndAndPreCompactSayNothing(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	for _, kind := range []turn.Kind{turn.PreCompact, turn.PostCompact, turn.SessionEnd} {
		if said := s.send(turn.Event{Kind: kind}); said != (agent.Words{}) {
			s.Errorf("%s: %+v", kind, said)
		}
	}
}

func TestDefaultStateIsSilentAndReviewed(t *testing.T) {
	s := newScene(t)
	s.store.view.Default, s.store.view.Named = true, false
	if said := s.start(turn.Startup); said != (agent.Words{}) {
		s.Errorf("%+v", said)
	}
	said := s.send(prompt("p1"))
	s.want("the prompt", said.Context, "chatrail reconcile", "No North is named yet")
	if strings.Contains(said.Context, "orientation") {
		s.Errorf("%q", said.Context)
	}
}

func TestUntrustedBundleIsReviewedAndNoneOfItsWordsIsSaid(t *testing.T) {
	s := newScene(t)
	s.store.view.Root, s.store.view.FirstNorth, s.store.view.Branch = "another root", "Ship all", "evil"
	var all strings.Builder
	for _, ev := range []turn.Event{
		{Kind: turn.SessionStart}, {Kind: turn.ChildStart, Child: true}, prompt("p1"), {Kind: turn.PreCompact},
		{Kind: turn.SessionStart, Source: turn.Compact}, {Kind: turn.SessionStart, Source: turn.Resume}, {Kind: turn.Stop},
	} {
		said := s.send(ev)
		all.WriteString(said.Context + said.Block + said.UserNote + "\n")
	}
	s.want("in all", all.String(), words.Untrusted, "chatrail reconcile")
	for _, word := range []string{"Ship", "evil", "Drift:", "codex"} {
		if strings.Contains(all.String(), word) {
			s.Errorf("%q was said: %s", word, all.String())
		}
	}
}

func TestFrozenBundleIsPinnedWarnedOfOnceAndNeverAskedAbout(t *testing.T) {
	s := newScene(t)
	if err := os.Remove(filepath.Join(s.cwd, ".chatrail", "conversation.rail.yaml")); err != nil {
		s.Fatal(err)
	}
	place, err := task.Discover(s.cwd, task.DiscoverOptions{})
	if err != nil || place.Frozen == "" {
		s.Fatalf("%+v, %v", place, err)
	}
	s.store.view = task.View{Frozen: place.Frozen}
	warned := 0
	for _, ev := range []turn.Event{{Kind: turn.SessionStart}, prompt("p1"), {Kind: turn.Stop}, prompt("p2"), {Kind: turn.SessionStart, Source: turn.Compact}} {
		said := s.send(ev)
		if said.Context != "" || said.Block != "" {
			s.Errorf("%s: %+v", ev.Kind, said)
		}
		if said.UserNote != "" {
			warned++
			s.want("the warning", said.UserNote, place.Frozen, "chatrail status")
		}
	}
	if warned != 1 {
		s.Errorf("warned %d times", warned)
	}
	if pin := s.receipt().Pin; pin == nil || pin.Path != place.Path || pin.Frozen != "" || pin.Root != "" {
		s.Fatalf("pin %+v", pin)
	}
	// Repaired, it is asked about, and the pin learns which bundle it is.
	s.store.view = task.View{Tip: "tip", Root: "root", Named: true}
	s.want("after the repair", s.send(prompt("p3")).Context, "chatrail reconcile")
	if pin := s.receipt().Pin; pin.Root != "root" {
		s.Errorf("pin %+v", pin)
	}
}

func TestWhatFailsSaysNothingAndPinsNothing(t *testing.T) {
	for name, fault := range map[string]error{"out of time": context.DeadlineExceeded, "for the full program": ErrAway} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.store.err = fault
			before := s.state()
			for _, ev := range []turn.Event{{Kind: turn.SessionStart}, prompt("p1"), {Kind: turn.ChildStart, Child: true}} {
				if said, err := s.try(ev); !errors.Is(err, fault) || said != (agent.Words{}) {
					s.Errorf("%s: %+v, %v", ev.Kind, said, err)
				}
			}
			if got := s.state(); !slices.Equal(got, before) {
				s.Errorf("it wrote: %q", got)
			}
		})
	}
}

func TestReceiptThatCannotBeSavedBlocksNothing(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	// A folder where the file should be is neither readable nor replaceable.
	path := filepath.Join(s.engine.Home.Dir, "receipts", task.Key(sessionID)+".json")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		s.Fatal(err)
	}
	for _, ev := range []turn.Event{{Kind: turn.Stop}, prompt("p2")} {
		if said, err := s.try(ev); err == nil || said != (agent.Words{}) {
			s.Errorf("%s: %+v, %v", ev.Kind, said, err)
		}
	}
}

func TestPausedTaskIsSilentAndStaysAsItIs(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	r := s.receipt()
	r.Paused = true
	if err := s.engine.Home.SaveReceipt(&r); err != nil {
		s.Fatal(err)
	}
	s.store.calls = nil
	for _, ev := range []turn.Event{{Kind: turn.SessionStart}, prompt("p2"), {Kind: turn.Stop}, {Kind: turn.ChildStart, Child: true}} {
		if said := s.send(ev); said != (agent.Words{}) {
			s.Errorf("%s: %+v", ev.Kind, said)
		}
	}
	if len(s.store.calls) > 0 || s.receipt().Turn.Review.ID != r.Turn.Review.ID {
		s.Errorf("calls %q", s.store.calls)
	}
}

func TestWithoutAProgramNoReviewIsOpened(t *testing.T) {
	s := newScene(t)
	s.engine.Program = ""
	if said := s.send(prompt("p1")); said != (agent.Words{}) {
		s.Errorf("%+v", said)
	}
	if r := s.receipt(); r.Pin == nil || r.Turn.Review != nil {
		s.Errorf("receipt %+v", r)
	}
}

func TestWhateverThereIsToSayTheCommandsAreWhole(t *testing.T) {
	s := newScene(t)
	long := strings.Repeat("größer 日本語 ", 100)
	s.store.view.Lines = nil
	for i := range 12 {
		s.store.view.Lines = append(s.store.view.Lines, task.Line{Field: string(rune('a' + i)), Text: "Line: " + long})
	}
	s.store.view.FirstNorth = long
	s.store.lost = Loop{Open: true, State: "1", Ended: []string{long[:160], long[:160], long[:160]}}
	s.send(prompt("p1"))
	s.send(turn.Event{Kind: turn.PreCompact})
	r := s.receipt()
	for i := range 8 {
		r.Tell(string(rune('a'+i)) + long)
	}
	if err := s.engine.Home.SaveReceipt(&r); err != nil {
		t.Fatal(err)
	}
	said := s.send(prompt("p2")).Context
	s.want("the prompt", said, "chatrail reconcile ", "(cut; the rest: chatrail show)", "\nchatrail checkpoint --file -")
	if len(said) > agent.MaxContext {
		t.Errorf("%d bytes, and what is too much would be cut off the end", len(said))
	}
}
