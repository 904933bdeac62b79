package refs

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// PushState is what became of one pushed reference.
type PushState string

// The states. Behind means that the remote has what the sent history does not
// hold: fetch, unite, push again.
const (
	StatePushed  PushState = "pushed"
	StateEven    PushState = "even"
	StateBehind  PushState = "behind"
	StateRefused PushState = "refused"
)

// Pushed is the verdict on one reference.
type Pushed struct {
	Name  string
	ID    string
	State PushState
	Kind  Kind   // of a refusal
	Why   string // one line, where it is not pushed and not even
	Held  bool   // behind, or so it seems: somebody at the remote holds the reference's lock

	together bool // the verdict fell on all that were sent with it
}

// pushLimit bounds how many references go with one command line.
const pushLimit = 500

// Push sends each reference, one below refs/chatrail/, with all that it leads to.
// The remote's moves forward or not at all, and each is judged by itself; the
// verdicts come in the order that was asked for. Where the remote has several
// push URLs, the worst verdict of a reference stands.
//
// The error is a *TransportError where the exchange itself failed. Verdicts that
// had come in by then are beside it.
func (r *Repo) Push(ctx context.Context, m Remote, list []Ref, t Transfer) ([]Pushed, error) {
	seen := map[string]bool{}
	for _, ref := range list {
		switch {
		case !isOurs(ref.Name):
			return nil, fmt.Errorf("%q is no reference of ours", ref.Name)
		case !r.isID(ref.ID) || ref.ID == r.ZeroID():
			return nil, fmt.Errorf("%q is no %s object id", ref.ID, r.ObjectFormat)
		case seen[ref.Name]:
			return nil, fmt.Errorf("%s is to be pushed twice", ref.Name)
		}
		seen[ref.Name] = true
	}
	before := map[string]string{}
	for _, ref := range list {
		before[ref.Name], _ = r.Read(m.Tracking(ref.Name))
	}
	out := &outgoing{repo: r, remote: m, Transfer: t, tries: 30}
	var done []Pushed
	var err error
	for len(list) > 0 && err == nil {
		n := min(len(list), pushLimit)
		var some []Pushed
		some, err = out.send(ctx, list[:n])
		done = append(done, some...)
		list = list[n:]
	}
	if !t.DryRun {
		r.remember(ctx, m, done, before, "push ")
	}
	return done, err
}

// remember moves the tracking references to what was pushed, as git does. It is
// knowledge, not a promise: where it cannot be written, the next fetch does it.
func (r *Repo) remember(ctx context.Context, m Remote, done []Pushed, before map[string]string, how string) {
	var moved []Pushed
	for _, p := range done {
		if (p.State == StatePushed || p.State == StateEven) && before[p.Name] != p.ID {
			moved = append(moved, p)
		}
	}
	if len(moved) == 0 {
		return
	}
	all, err := r.Exclusive(ctx, strings.TrimSuffix(m.folder(), "/"))
	if err != nil {
		return
	}
	defer all.Unlock()
	for _, p := range moved {
		one := &Guard{repo: r, name: m.Tracking(p.Name), lock: all.lock}
		// Who fetched meanwhile knows better: then the swap does nothing.
		_ = one.Swap(ctx, Swap{Name: one.name, Old: before[p.Name], New: p.ID, Who: keeper, Message: how + m.URL})
	}
}

// Saw moves the tracking references of a remote to what it was seen to have, of
// which everything is here already: there was nothing to fetch.
func (r *Repo) Saw(ctx context.Context, m Remote, list []Ref) {
	before := map[string]string{}
	var even []Pushed
	for _, ref := range list {
		before[ref.Name], _ = r.Read(m.Tracking(ref.Name))
		even = append(even, Pushed{Name: ref.Name, ID: ref.ID, State: StateEven})
	}
	r.remember(ctx, m, even, before, "seen at ")
}

// keeper is whom the reflog of a tracking reference names.
var keeper = Who{"ChatRail", "chatrail@localhost"}

// outgoing sends again, in halves, what fell together for the sake of one.
type outgoing struct {
	repo   *Repo
	remote Remote
	Transfer
	tries int
}

func (o *outgoing) send(ctx context.Context, list []Ref) ([]Pushed, error) {
	done, err := o.once(ctx, list)
	if len(list) == 1 || o.tries <= 0 {
		return done, err
	}
	verdict := map[string]Pushed{}
	for _, p := range done {
		verdict[p.Name] = p
	}
	var again []Ref
	for _, ref := range list {
		p, ok := verdict[ref.Name]
		if ok && p.together || !ok && alone(err) {
			again = append(again, ref)
		}
	}
	if len(again) == 0 || err != nil && !alone(err) {
		return done, err
	}
	parts := [][]Ref{again}
	if len(again) > 1 {
		parts = [][]Ref{again[:len(again)/2], again[len(again)/2:]}
	}
	for _, part := range parts {
		o.tries--
		some, partErr := o.send(ctx, part)
		for _, p := range some {
			verdict[p.Name] = p
		}
		if err = partErr; err != nil {
			break
		}
	}
	done = nil
	for _, ref := range list {
		if p, ok := verdict[ref.Name]; ok {
			done = append(done, p)
		}
	}
	return done, err
}

// alone reports whether a failure may be that of one reference among several.
func alone(err error) bool {
	var failed *TransportError
	return errors.As(err, &failed) && apart(failed)
}

// once pushes by one command. Nothing in it can force: the references go without
// "+", with no lease, and what the configuration says of mirrors does not count.
// Git would move local references where a fetch refspec maps ours, as in a mirror:
// the negative refspec keeps it from that.
func (o *outgoing) once(ctx context.Context, list []Ref) ([]Pushed, error) {
	x := exchange{repo: o.repo, remote: o.remote, Transfer: o.Transfer, op: "push", limit: 16 << 20}
	x.config = append(x.config,
		config{"push.gpgSign", "false"}, config{"push.followTags", "false"}, config{"push.recurseSubmodules", "no"},
		config{"push.pushOption", ""}, config{"push.useForceIfIncludes", "false"},
	)
	x.config = append(x.config, o.remote.forRemote("mirror", "false")...)
	x.config = append(x.config, o.remote.forRemote("fetch", "^"+Namespace+"*")...)
	x.args = []string{
		"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-force-with-lease", "--no-signed", "--no-atomic",
	}
	if o.Progress == nil {
		x.args = append(x.args, "--no-progress")
	} else {
		x.args = append(x.args, "--progress")
	}
	if o.DryRun {
		x.args = append(x.args, "--dry-run")
	}
	x.args = append(x.args, "--", o.remote.Spec)
	for _, ref := range list {
		x.args = append(x.args, ref.ID+":"+ref.Name)
	}
	a, err := x.run(ctx)
	verdicts := x.verdicts(parsePush(a.stdout), &a.said)
	var done []Pushed
	known := true
	for _, ref := range list {
		if p, ok := verdicts[ref.Name]; ok {
			p.ID = ref.ID
			done = append(done, p)
			known = known && p.Kind != Unreachable
		}
	}
	if known && len(done) == len(list) && a.code == 1 {
		err = nil // git's word for "not all of them moved"
	}
	return done, err
}
