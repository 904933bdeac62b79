// Package hooks carries one lifecycle event of an agent from its payload to
// what the agent is told: it looks up the task, asks the table of package turn,
// keeps the receipt, and puts the words together.
//
// It knows no command line and opens no bundle. What needs one is behind the
// Store interface: the lean hook answers it from caches alone, the full program
// from the bundles themselves.
package hooks

import (
	"context"
	"errors"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// ErrAway says that the event needs a bundle itself, which this program does
// not open. Nothing was written or said; the full program has to be asked.
var ErrAway = errors.New("needs the full program")

// Store is what an engine needs of bundles. Every method may return ErrAway.
type Store interface {
	// View returns what is known of the bundle at a place, as it is now.
	View(ctx context.Context, p task.Place) (task.View, error)
	// Private makes the private bundle of a task, if it is missing.
	Private(ctx context.Context, key string) (task.Place, error)
	// Drain records what waits for a task, completing reviews in the receipt;
	// the receipt remembers to tell what could not be recorded.
	Drain(ctx context.Context, p agent.Payload, r *task.Receipt) error
	// Successor is where the bundle of a place is now: on the reference that took
	// over a folder's history, or in its repository that was moved to where cwd
	// is; false where it did not move.
	Successor(ctx context.Context, p task.Place, cwd string) (task.Place, bool, error)
	Clearing
}

// Engine delivers events. All fields are required.
type Engine struct {
	Home  task.Home
	Env   func(string) string
	Now   func() time.Time
	Store Store
	// Program is how an agent's shell calls chatrail, quoted for it; "" where
	// there is no such program, and then no review is asked for.
	Program string
}

// Deliver carries out one event and returns what is said. Any error means that
// nothing is said; the caller stays silent about it.
func (e *Engine) Deliver(ctx context.Context, p agent.Payload) (agent.Words, error) {
	if p.SessionID == "" || p.Event.Kind == turn.Other || p.Event.Child && p.Event.Kind != turn.ChildStart {
		return agent.Words{}, nil
	}
	d := &delivery{Engine: e, ctx: ctx, p: p, key: task.Key(p.SessionID)}
	if p.Event.Kind == turn.ChildStart {
		return d.reader()
	}
	if p.Event.Kind == turn.SessionStart {
		// A start is worth an answer even while somebody is busy with the task.
		soon, cancel := context.WithTimeout(ctx, startWait)
		defer cancel()
		unlock, err := e.Home.LockTask(soon, d.key)
		if err != nil {
			return d.reader()
		}
		defer unlock()
		return d.root()
	}
	unlock, err := e.Home.LockTask(ctx, d.key)
	if err != nil {
		return agent.Words{}, err
	}
	defer unlock()
	return d.root()
}

// startWait is how long a session start waits for the lock of its task before
// it answers without writing.
const startWait = 400 * time.Millisecond

// delivery is one event on its way.
type delivery struct {
	*Engine
	ctx     context.Context
	p       agent.Payload
	key     string
	receipt task.Receipt
	lost    *Loop // nil until it was asked for
}

// reader delivers without writing: to a sub-agent, or while the task is busy.
func (d *delivery) reader() (agent.Words, error) {
	if err := d.load(); err != nil {
		return agent.Words{}, err
	}
	place, err := d.place()
	if err != nil || d.paused(place) {
		return agent.Words{}, err
	}
	view, err := d.Store.View(d.ctx, place)
	if err != nil {
		return agent.Words{}, err
	}
	_, out := turn.Step(d.receipt.Turn, d.event(), d.health(place, view))
	return d.words(out, place, view), nil
}

// root delivers an event of the main agent, under the lock of its task.
func (d *delivery) root() (agent.Words, error) {
	if err := d.load(); err != nil {
		return agent.Words{}, err
	}
	if d.Home.Paused(d.Env, d.receipt) != task.NotPaused {
		return agent.Words{}, nil
	}
	place, err := d.place()
	if errors.Is(err, task.ErrNone) && d.p.Event.Kind == turn.Prompt {
		place, err = d.Store.Private(d.ctx, d.key)
	}
	if errors.Is(err, task.ErrNone) {
		return agent.Words{}, nil
	}
	if err != nil || d.paused(place) {
		return agent.Words{}, err
	}
	stuck := d.Store.Drain(d.ctx, d.p, &d.receipt)
	if errors.Is(stuck, ErrAway) || stuck != nil && d.p.Event.Kind == turn.Stop {
		return agent.Words{}, stuck // what waits may be the answer that the stop would ask for
	}
	if place, err = d.follow(place); err != nil {
		return agent.Words{}, err
	}
	view, err := d.Store.View(d.ctx, place)
	if err != nil {
		return agent.Words{}, err
	}
	began, err := d.baseline(place)
	if err != nil {
		return agent.Words{}, err
	}
	health := d.health(place, view)
	if clears(d.p.Event.Kind) && d.receipt.Pin != nil && health.Healthy {
		lost, err := d.loop()
		if err != nil {
			return agent.Words{}, err
		}
		health.OpenLoop, health.Loop = lost.Open, lost.State
	}
	state, out := turn.Step(d.receipt.Turn, d.event(), health)
	if out.AfterCompaction && d.receipt.Pin != nil {
		if _, err := d.loop(); err != nil {
			return agent.Words{}, err
		}
	}
	d.receipt.Turn = state
	if began != nil {
		d.receipt.Baseline = began
	}
	changed := out.Write
	if out.Checkpoint || out.AfterCompaction && d.lost != nil {
		changed = d.capture(*d.lost) || changed
	}
	said := d.words(out, place, view)
	if out.Checkpoint && health.Trusted && d.p.Event.Kind == turn.PreCompact {
		said.Context = join(said.Context, keep(d.lost.Keep))
	}
	if stuck != nil && d.receipt.WarnOnce("stuck") {
		said.UserNote, changed = join(said.UserNote, "ChatRail could not record what waits for this task: "+words.Cut(words.Harmless(stuck.Error()), 300)+". See `chatrail status`."), true
	}
	if lines := d.untold(); lines != "" && agent.Carries(d.p.Host, d.p.EventName) {
		said.Context, d.receipt.Untold, changed = join(lines, said.Context), nil, true
	} else if lines != "" && said.Block != "" {
		said.Block, d.receipt.Untold, changed = said.Block+"\n"+lines, nil, true
	}
	if err := d.keep(place, view, changed); err != nil {
		return agent.Words{}, err
	}
	return said, nil
}

// load reads the receipt; a task that is not pinned yet has what was last said
// to it.
func (d *delivery) load() error {
	var err error
	if d.receipt, err = d.Home.LoadReceipt(d.key); err != nil {
		return err
	}
	if d.receipt.Pin == nil {
		if said, ok := d.Home.LoadSaid(d.key); ok {
			d.receipt.Turn = said
		}
	}
	return nil
}

// place is the bundle of the task: its pin, as it was made, else what is found
// from the working directory.
func (d *delivery) place() (task.Place, error) {
	if d.receipt.Pin != nil {
		return d.receipt.Pin.Place, nil
	}
	if d.p.CWD == "" {
		return task.Place{}, task.ErrNone
	}
	switch d.p.Event.Kind {
	case turn.SessionStart, turn.Prompt, turn.ChildStart:
	default:
		return task.Place{}, task.ErrNone
	}
	user, _ := task.UserHome(d.Env) // unknown: the search ends at the root
	return task.Discover(d.p.CWD, task.DiscoverOptions{State: d.Home, UserHome: user})
}

func (d *delivery) paused(p task.Place) bool {
	return d.Home.Paused(d.Env, d.receipt) != task.NotPaused || d.receipt.Pin == nil && d.Home.PlaceOff(p)
}

// follow moves the pin of a task to where its bundle is now.
func (d *delivery) follow(p task.Place) (task.Place, error) {
	if p.Kind == task.KindPrivate || d.receipt.Pin == nil {
		return p, nil
	}
	next, ok, err := d.Store.Successor(d.ctx, p, d.p.CWD)
	if err != nil || !ok {
		return p, err
	}
	d.receipt.Pin.Place = next
	if review := d.receipt.Turn.Review; review != nil {
		there := review.Move("")
		d.receipt.Turn.Review = &there
	}
	return next, nil
}

// untold are the lines that waited for an event that can say them.
func (d *delivery) untold() string {
	var text speech
	for _, line := range d.receipt.Untold {
		text.add(words.Cut(words.Harmless(line), 500))
	}
	return string(text)
}

func join(a, b string) string {
	text := speech(a)
	text.add(b)
	return string(text)
}

// event is the payload's event with what only the engine knows.
func (d *delivery) event() turn.Event {
	ev := d.p.Event
	ev.At = d.Now()
	switch {
	case ev.Kind == turn.Prompt && d.Program != "":
		ev.NewReview = task.NewReviewID(d.key)
	case d.Program == "":
		ev.Unattended = true // nobody could answer
	}
	return ev
}

// health is what the turn needs to know of the bundle.
func (d *delivery) health(p task.Place, v task.View) turn.Health {
	frozen := p.Frozen
	if frozen == "" {
		frozen = v.Frozen
	}
	return turn.Health{
		Healthy: frozen == "", Frozen: frozen,
		Named: v.Named, Default: v.Default, Trusted: d.Home.Trusted(p, v.Root),
		Tip: v.Tip, Fields: v.Fields,
	}
}

// keep stores what the task remembers. Before the first prompt a task has no
// receipt: then only what was said is kept, beside the caches.
func (d *delivery) keep(p task.Place, v task.View, changed bool) error {
	if d.receipt.Pin == nil && d.p.Event.Kind != turn.Prompt {
		if changed {
			return d.Home.SaveSaid(d.key, d.receipt.Turn)
		}
		return nil
	}
	if d.receipt.Pin == nil || d.receipt.Pin.Root == "" && v.Root != "" {
		since := d.Now().UTC().Truncate(time.Second)
		if d.receipt.Pin != nil {
			since = d.receipt.Pin.Since
		}
		p.Root, p.Frozen = v.Root, ""
		d.receipt.Pin, changed = &task.Pin{Place: p, Since: since}, true
	}
	if d.receipt.Agent != string(d.p.Host) {
		d.receipt.Agent, changed = string(d.p.Host), true
	}
	if !changed {
		return nil
	}
	return d.Home.SaveReceipt(&d.receipt)
}

// words puts together what an outcome says.
func (d *delivery) words(out turn.Outcome, p task.Place, v task.View) agent.Words {
	var w agent.Words
	var text speech
	switch out.Orientation {
	case turn.FullOrientation:
		text.add(d.orientation("orientation", p, v, v.Lines, out.AfterCompaction))
	case turn.ReadOnlyOrientation:
		text.add(d.orientation("orientation, read-only for a sub-agent", p, v, v.Lines, false))
	case turn.ChangedOrientation:
		text.add(d.orientation("orientation, what changed since it was last said", p, v, changedLines(v, out.Changed), false))
	case turn.UntrustedLine:
		text.add(words.Untrusted)
	}
	if r := d.receipt.Turn.Review; r != nil {
		command := d.command(r.ID)
		switch out.ReviewLine {
		case turn.LineInFull:
			text.add(words.ReviewLine(command, true, v.Named))
		case turn.LineShort:
			text.add(words.ReviewLine(command, false, v.Named))
		}
		if out.Block {
			w.Block = words.BlockReason(agent.BlockPrefix, command, v.Named)
		}
	}
	if out.AfterCompaction && d.lost != nil {
		text.add(d.regained(*d.lost))
	}
	if out.WarnFrozen {
		cause := p.Frozen
		if cause == "" {
			cause = v.Frozen
		}
		w.UserNote = "ChatRail writes nothing here until this is settled: " + words.Cut(words.Harmless(cause), 300) + ". See `chatrail status`."
	}
	w.Context = string(text)
	return w
}

// command is the line that answers a review. An id of the Python tool has no
// task in it, so its session is named as well.
func (d *delivery) command(id string) string {
	if _, ours := task.ReviewTask(id); ours {
		return d.Program + " reconcile " + id
	}
	return d.Program + " reconcile --session-id " + words.ShellQuote(d.p.SessionID) + " --review-id " + words.ShellQuote(id)
}

// orientation is the origin and the lines of a bundle.
func (d *delivery) orientation(kind string, p task.Place, v task.View, lines []task.Line, compacted bool) string {
	origin := words.Origin(words.Source{
		Bundle: p.Title(), When: v.When, Task: v.Task, Agent: v.Agent, Branch: v.Branch,
	}, d.Now(), kind)
	said := make([]words.Line, len(lines))
	for i, l := range lines {
		said[i] = words.Line(l)
	}
	var extra []string
	if compacted && v.FirstNorth != "" {
		extra = append(extra, "The first North, since replaced, was: "+v.FirstNorth)
	}
	return words.Join(origin, said, extra, "chatrail show")
}

// changedLines are the lines of the named fields; one that is now empty says so.
func changedLines(v task.View, fields []string) []task.Line {
	var lines []task.Line
	for _, f := range fields {
		found := false
		for _, l := range v.Lines {
			if l.Field == f {
				lines, found = append(lines, l), true
			}
		}
		if !found {
			lines = append(lines, task.Line{Field: f, Text: words.FieldName(f) + ": none"})
		}
	}
	return lines
}

// speech is a text made of paragraphs.
type speech string

func (s *speech) add(text string) {
	if text == "" {
		return
	}
	if *s != "" {
		*s += "\n\n"
	}
	*s += speech(text)
}
