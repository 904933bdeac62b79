package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/refs"
)

// lockTime bounds how long a command waits for its task or its bundle.
const lockTime = time.Minute

// Request is the answer to a review.
type Request struct {
	Review  string // the id as the hook printed it, or of the Python tool
	Session string // in place of the task in the id, for older ids
	Reason  string
	Patch   bundle.Patch
	Short   bundle.Short
	Declare Declare

	waited *waited // of one that waited in the drop box or the spool
	stood  *stood  // of one that is given now
}

// waited is what an answer that waited brings along.
type waited struct {
	id           string            // of its event: it is recorded once
	at           time.Time         // when it was given
	branch, head string            // where
	expect       map[string]string // field digests to hold it against, nil: the receipt's
}

// Reconcile answers a review. The same request may be repeated: a review makes
// one revision at most. Where this process may not write, the request is left
// in the drop box for the next hook of the task.
func (d *Desk) Reconcile(ctx context.Context, r Request) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if d.inChild() {
		return nil, &RefusedError{"a sub-agent reads and never writes: the main agent answers the review"}
	}
	var secrets redactor
	secrets.request(&r)
	c := change{Patch: r.Patch, Short: r.Short}
	if err := r.check(); err != nil {
		return nil, err
	}
	if !c.empty() && r.Reason == "" {
		return nil, &UsageError{"a change needs --reason TEXT: why did it change?"}
	}
	if err := r.Declare.check(); err != nil {
		return nil, err
	}
	key, err := d.taskOf(r)
	if err != nil {
		return nil, err
	}
	receipt, err := d.Home.LoadReceipt(key)
	if err != nil {
		return nil, err
	}
	var declared *declaring
	if !r.Declare.empty() {
		if declared, err = d.prepare(ctx, receipt, &r, &c); err != nil {
			return nil, err
		}
	}
	a, err := d.reconcile(ctx, receipt, r, c)
	if declared != nil {
		a, err = d.declare(ctx, receipt.TaskKey, c, declared, a, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: run the same line again, it is recorded once", bundle.ErrBusy)
	}
	if receipt.Pin != nil && !d.mayShow(receipt.Pin.Place) {
		a, err = hush(a, err)
	}
	return secrets.tell(a, err)
}

// check refuses what was said with no words.
func (r Request) check() error {
	if r.Review == "" {
		return &UsageError{"reconcile needs the review's id, as the hook printed it"}
	}
	for _, said := range []struct {
		flag string
		text *string
	}{{"north", r.Short.North}, {"next", r.Short.Next}, {"now", r.Short.Now}, {"drift", r.Short.Drift}, {"return", r.Short.Return}} {
		if said.text != nil && strings.TrimSpace(*said.text) == "" {
			return &UsageError{"--" + said.flag + " needs words"}
		}
	}
	return nil
}

// reconcile answers, or leaves the answer for the next hook. What can be told
// without writing is told first, so that it is true in a sandbox as well.
func (d *Desk) reconcile(ctx context.Context, receipt task.Receipt, r Request, c change) (*Answer, error) {
	q, answered, err := asks(receipt, r.Review)
	if err != nil {
		return nil, err
	}
	if answered {
		return d.again(ctx, receipt, r, c)
	}
	key := receipt.TaskKey
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	unlock, err := d.Home.LockTask(short, key)
	if task.Unwritable(err) {
		return d.drop(ctx, key, receipt, q, r, c)
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	if receipt, err = d.Home.LoadReceipt(key); err != nil {
		return nil, err
	}
	answer, err := d.answer(ctx, &receipt, r, c)
	var unwritable *bundle.UnwritableError
	var stale *StaleError
	switch {
	case errors.As(err, &unwritable):
		a, dropErr := d.drop(ctx, key, receipt, q, r, c)
		if a != nil {
			a.full = errors.Is(err, syscall.ENOSPC)
		}
		return a, dropErr
	case errors.As(err, &stale) && d.mayShow(receipt.Pin.Place):
		// Whoever answered is shown the present state now.
		return nil, d.rebase(&receipt, stale)
	case err != nil:
		return nil, d.spool(err, key, r, c)
	}
	return answer, nil
}

// again takes an answer to a review that has been answered, without the lock of
// its task.
func (d *Desk) again(ctx context.Context, receipt task.Receipt, r Request, c change) (*Answer, error) {
	a, late, err := d.before(ctx, receipt, r, c)
	if !late {
		return a, err
	}
	unlock, err := d.Home.LockTask(ctx, receipt.TaskKey)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if receipt, err = d.Home.LoadReceipt(receipt.TaskKey); err != nil {
		return nil, err
	}
	return d.answer(ctx, &receipt, r, c)
}

// before looks at what became of a review that has been answered. The same
// answer again succeeds; other words are not dropped in silence. late says that
// the review made no revision, so that words that come late still make it.
func (d *Desk) before(ctx context.Context, receipt task.Receipt, r Request, c change) (a *Answer, late bool, err error) {
	a = &Answer{Outcome: Repeated, Review: r.Review}
	if c.empty() || receipt.Pin == nil {
		return a, false, nil
	}
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return nil, false, err
	}
	present, err := b.tip(ctx)
	if err != nil {
		return nil, false, d.spool(err, receipt.TaskKey, r, c)
	}
	review := receipt.Turn.Review
	latest := review != nil && (review.ID == r.Review || slices.Contains(review.Aliases, r.Review))
	since := "" // an older one: as far back as there is reason to look
	q := question{id: r.Review}
	if latest {
		since = review.Begun()
		q.ids, q.opened = append([]string{review.ID}, review.Aliases...), review.OpenedAbove()
	}
	q.since = since
	made, err := recorded(ctx, b.store, present, q)
	switch {
	case err != nil:
		return nil, false, err
	case made != nil:
		a.Revision, a.event = made.rev.ID, made.rev.Event.EventID
		if r.waited == nil && made.rev.Event.Reason != r.Reason {
			return nil, false, errOtherWords
		}
		return a, false, nil
	case !latest:
		return nil, false, errOtherWords
	}
	return nil, true, nil
}

// taskOf finds the task whose review is answered.
func (d *Desk) taskOf(r Request) (string, error) {
	unknown := unknownReview(r.Review)
	if r.Session != "" {
		return task.Key(r.Session), nil
	}
	if _, ok := task.ReviewTask(r.Review); !ok { // an older id has no task in it
		if key := d.task(""); key != "" {
			return key, nil
		}
		return "", unknown
	}
	return d.TaskOfReview(r.Review)
}

func unknownReview(id string) error {
	return &RefusedError{fmt.Sprintf("unknown review %q: use the line that the hook printed last", id)}
}

// TaskOfReview is the key of the task that was asked a review, by its id.
func (d *Desk) TaskOfReview(id string) (string, error) {
	prefix, ok := task.ReviewTask(id)
	if !ok {
		return "", unknownReview(id)
	}
	keys, err := d.Home.ReceiptsByPrefix(prefix)
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		receipt, err := d.Home.LoadReceipt(key)
		if err == nil && receipt.Turn.Resolve(id) != turn.Unknown {
			return key, nil
		}
	}
	return "", unknownReview(id)
}

var errNoBundleYet = &RefusedError{"this task has no bundle yet: it gets one at its next prompt"}

// asks says what an id asks for in a receipt, or that it was answered before.
func asks(receipt task.Receipt, id string) (q question, answered bool, err error) {
	switch receipt.Turn.Resolve(id) {
	case turn.Recorded:
		return q, true, nil
	case turn.Unknown:
		return q, false, &RefusedError{fmt.Sprintf("review %q is not one of this task, or too old: use the line that the hook printed last", id)}
	}
	if receipt.Pin == nil {
		return q, false, errNoBundleYet
	}
	review := receipt.Turn.Review
	q = question{
		id:     id,
		ids:    append([]string{review.ID}, review.Aliases...),
		opened: review.OpenedAbove(),
		since:  review.Begun(),
		expect: review.Fields,
	}
	if _, whole := review.Fields[string(bundle.TargetRail)]; whole { // of the Python tool
		q.expect, q.whole = nil, review.Fields
	}
	return q, false, nil
}

// answer carries out a request under the lock of its task, and completes the
// review in the receipt.
func (d *Desk) answer(ctx context.Context, receipt *task.Receipt, r Request, c change) (*Answer, error) {
	q, answered, err := asks(*receipt, r.Review)
	if err != nil {
		return nil, err
	}
	if answered {
		a, late, err := d.before(ctx, *receipt, r, c)
		if !late {
			return a, err
		}
		open := *receipt.Turn.Review
		open.Status = turn.Pending
		receipt.Turn.Review = &open
		if q, _, err = asks(*receipt, r.Review); err != nil {
			return nil, err
		}
	}
	if r.waited != nil && r.waited.expect != nil {
		q.expect, q.whole = r.waited.expect, nil
	}
	if err := d.follow(ctx, receipt); err != nil {
		return nil, err
	}
	b, err := d.open(ctx, receipt.Pin.Place)
	if err != nil {
		return nil, err
	}
	if err := b.writable(); err != nil {
		return nil, err
	}
	a := &Answer{Outcome: NoChange, Review: r.Review}
	var rev *bundle.Revision
	var found *prior
	if c.empty() {
		if rev, err = b.tip(ctx); err == nil {
			found, err = recorded(ctx, b.store, rev, q)
		}
	} else {
		rev, found, a.Changes, err = record(ctx, b.store, q, c, d.meta(*receipt, r))
	}
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		a.Outcome, a.Revision, a.event = Repeated, found.rev.ID, found.rev.Event.EventID
		if !found.settles {
			return a, nil // an older review that this one replaced: it stays open
		}
	case a.Changes != nil:
		a.Outcome, a.Revision = Recorded, rev.ID
		d.keep(ctx, b, rev)
	case rev.ID != q.opened:
		a.Moved = movedLines(q.moved(bundle.Fields(), rev.State), rev)
	}
	receipt.Turn = receipt.Turn.Complete()
	if err := d.Home.SaveReceipt(receipt); err != nil {
		return nil, err // the revision is there: a repeat says so and succeeds
	}
	if found != nil && r.waited == nil && !c.empty() && found.rev.Event.Reason != r.Reason {
		return nil, errOtherWords
	}
	return a, nil
}

// errOtherWords refuses a second answer to a review: it would be lost silently,
// or make two revisions of one review.
var errOtherWords = &RefusedError{"this review was answered before, in other words; nothing was written: say the rest at the next review"}

// rebase lets the next answer to the same review be held against what this one
// was shown. Where that cannot be kept, the review stays as it was.
func (d *Desk) rebase(receipt *task.Receipt, stale *StaleError) error {
	review := receipt.Turn.Review.Rebase(stale.Present.ID, fieldDigests(stale.Present.State))
	receipt.Turn.Review = &review
	if err := d.Home.SaveReceipt(receipt); err != nil {
		return errors.Join(stale, err)
	}
	return stale
}

// meta describes the event that an answer makes.
func (d *Desk) meta(receipt task.Receipt, r Request) bundle.EventMeta {
	m := bundle.EventMeta{
		ReviewID: r.Review, Reason: r.Reason, Time: d.Now().UTC(),
		Task: receipt.TaskKey, Agent: receipt.Agent,
	}
	if w := r.waited; w != nil {
		m.EventID, m.Time, m.Branch, m.Head = w.id, w.at.UTC(), w.branch, w.head
		return m
	}
	m.Branch, m.Head = d.stands(r)
	return m
}

// where is the branch and the commit of the work tree one stands in, both ""
// outside git.
func (d *Desk) where() (branch, head string) {
	if d.Dir == "" {
		return "", ""
	}
	repo, err := refs.Discover(d.Dir)
	if err != nil {
		return "", ""
	}
	h, err := repo.Head()
	if err != nil {
		return "", ""
	}
	return h.Branch, h.Commit
}
