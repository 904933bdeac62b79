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
	// Before finds the tasks that may have come before a session that begins
	// without its context: one, or several where that cannot be told. which are
	// the short keys of those that were found before, nil for none.
	Before(ctx context.Context, p agent.Payload, which []string) ([]words.Earlier, error)
}

// Engine delivers events. All fields but Failed are required.
type Engine struct {
	Home  task.Home
	Env   func(string) string
	Now   func() time.Time
	Store Store
	// Program is how an agent's shell calls chatrail, quoted for it; "" where
	// there is no such program, and then no review is asked for.
	Program string
	// Failed is told of what went wrong without silencing the event.
	Failed func(error)
}

func (e *Engine) failed(err error) {
	if e.Failed != nil {
		e.Failed(err)
	}
}

// Deliver carries out one event and returns what is said. Any error means that
// nothing is said; the caller stays silent about it.
func (e *Engine) Deliver(ctx context.Context, p agent.Payload) (agent.Words, error) {
	if p.SessionID == "" || p.Event.Kind == turn.Other || p.Event.Child && p.Event.Kind != turn.ChildStart {
		return agent.Words{}, nil
	}
	if p.Event.At.IsZero() {
		p.Event.At = e.Now() // when it came: copies of it may wait for each other for long
	}
	d := &delivery{Engine: e, ctx: ctx, p: p, key: task.Key(p.SessionID)}
	if p.Event.Kind == turn.ChildStart {
		return d.reader()
	}
	if p.Event.Kind == turn.SessionStart {
		return d.start()
	}
	unlock, err := e.Home.LockTask(ctx, d.key)
	if err != nil {
		return agent.Words{}, err
	}
	defer unlock()
	return d.root()
}

// delivery is one event on its way.
type delivery struct {
	*Engine
	ctx     context.Context
	p       agent.Payload
	key     string
	receipt task.Receipt
	lost    *Loop // nil until it was asked for

	answered turn.Mark  // the start that a reader answered last, see start
	after    turn.State // what a reader would have kept
	before   []words.Earlier
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
	var out turn.Outcome
	d.after, out = turn.Step(d.receipt.Turn, d.event(), d.health(place, view))
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
		return d.placeless()
	}
	if err != nil || d.paused(place) {
		return agent.Words{}, err
	}
	stuck := d.Store.Drain(d.ctx, d.p, &d.receipt)
	if errors.Is(stuck, ErrAway) || stuck != nil && d.p.Event.Kind == turn.Stop {
		return agent.Words{}, stuck // what waits may be the answer that the stop would ask for
	}
	if d.receipt.Pin != nil {
		place = d.receipt.Pin.Place // what waited may have been an adoption
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
	if health.CameBefore, err = d.cameBefore(); err != nil {
		return agent.Words{}, err
	}
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
	changed := d.presence() || out.Write
	if out.Checkpoint || out.AfterCompaction && d.lost != nil {
		changed = d.capture(*d.lost) || changed
	}
	said := d.words(out, place, view)
	if out.Checkpoint && health.Trusted && d.p.Event.Kind == turn.PreCompact {
		said.Context = join(said.Context, keep(d.lost.Keep))
	}
	if stuck != nil && d.p.Host.Tells(d.p.EventName) && d.receipt.WarnOnce("stuck") {
		said.UserNote, changed = join(said.UserNote, "ChatRail could not record what waits for this task: "+words.Cut(words.Harmless(stuck.Error()), 300)+". See `chatrail status`."), true
	}
	if lines := d.untold(); lines != "" && d.p.Host.Hears(d.p.EventName, d.p.Event.Source) {
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
	if d.answered.At.After(d.receipt.Turn.LastStart.At) {
		d.receipt.Turn.LastStart = d.answered
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

// event is the payload's event with what only the engine knows.
func (d *delivery) event() turn.Event {
	ev := d.p.Event
	ev.Noteless = !d.p.Host.Tells(d.p.EventName)
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
	changed = d.apart() || changed
	if d.receipt.Agent != string(d.p.Host) {
		d.receipt.Agent, changed = string(d.p.Host), true
	}
	if !changed {
		return nil
	}
	return d.Home.SaveReceipt(&d.receipt)
}
