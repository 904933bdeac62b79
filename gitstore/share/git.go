package share

import (
	"context"
	"maps"
	"slices"

	"chatrail/gitstore"
	"chatrail/refs"
)

// Of is a bundle in a repository as this package needs it.
func Of(s *gitstore.Store) Store { return here{s} }

type here struct{ *gitstore.Store }

func (h here) Inspect(ctx context.Context, tip, known string) (begins bool, err error) {
	remake, done := h.Remaker()
	defer done()
	i := gitstore.Inspection{Tip: tip, Merge: remake}
	if known != "" {
		i.Known = []string{known}
	}
	in, err := h.Store.Inspect(ctx, i)
	return err == nil && len(in.Roots) > 0, err
}

// Exchange is all references of ours that one remote has, as git tells them.
type Exchange struct {
	repo     *refs.Repo
	remote   refs.Remote
	transfer refs.Transfer
	tips     map[string]string // by name, as the remote last listed them
	failed   error             // what kept references away at the last fetch
}

// Open lists what a remote has, and fetches nothing.
func Open(ctx context.Context, repo *refs.Repo, remote refs.Remote, t refs.Transfer) (*Exchange, error) {
	x := &Exchange{repo: repo, remote: remote, transfer: t}
	return x, x.list(ctx)
}

// Names are the names of the references that the remote has, sorted.
func (x *Exchange) Names() []string { return slices.Sorted(maps.Keys(x.tips)) }

// Lists tells whether the remote has a reference, as far as it says.
func (x *Exchange) Lists(name string) bool { return x.tips[name] != "" }

func (x *Exchange) list(ctx context.Context) error {
	list, err := x.repo.Advertised(ctx, x.remote, x.transfer)
	if err != nil {
		return err
	}
	x.tips = make(map[string]string, len(list))
	for _, ref := range list {
		x.tips[ref.Name] = ref.ID
	}
	return nil
}

// Bring fetches those of the named references that the remote has and that are
// not here, in one exchange, however many there are. What keeps one of them away
// hides no other, and is told where its tip is asked for. Of the others is noted
// that the remote has them.
func (x *Exchange) Bring(ctx context.Context, names []string) {
	var missing []string
	var even []refs.Ref
	for _, name := range names {
		ref := refs.Ref{Name: name, ID: x.tips[name]}
		switch {
		case ref.ID == "":
		case x.here(ref):
			even = append(even, ref)
		default:
			missing = append(missing, name)
		}
	}
	x.failed = nil
	if x.transfer.DryRun {
		return
	}
	x.repo.Saw(ctx, x.remote, even)
	if len(missing) > 0 {
		_, x.failed = x.repo.Fetch(ctx, x.remote, missing, x.transfer)
	}
}

// Here tells whether what the remote has of a reference is known to be here.
func (x *Exchange) Here(name string) bool { return x.here(refs.Ref{Name: name, ID: x.tips[name]}) }

// here says that our reference, or the one that tracks the remote's, is at this
// revision, so that all of it is here.
func (x *Exchange) here(ref refs.Ref) bool {
	for _, name := range []string{ref.Name, x.remote.Tracking(ref.Name)} {
		if id, err := x.repo.Read(name); err == nil && id == ref.ID {
			return true
		}
	}
	return false
}

// Ref is one of the references.
func (x *Exchange) Ref(name string) Remote { return &exchanged{Exchange: x, name: name} }

type exchanged struct {
	*Exchange
	name  string
	asked bool
}

// Tip is what the remote has. At a second call it is asked anew.
func (r *exchanged) Tip(ctx context.Context) (string, error) {
	if r.asked {
		if err := r.list(ctx); err != nil {
			return "", err
		}
		r.Bring(ctx, []string{r.name})
	}
	r.asked = true
	id := r.tips[r.name]
	switch {
	case id == "" || r.transfer.DryRun || r.here(refs.Ref{Name: r.name, ID: id}):
		return id, nil
	case r.failed != nil:
		return "", r.failed
	}
	// The remote moved between the list and the fetch: what has come counts.
	return r.repo.Read(r.remote.Tracking(r.name))
}

// Push offers a tip. A refusal is a *refs.TransportError.
func (r *exchanged) Push(ctx context.Context, tip string) error {
	done, err := r.repo.Push(ctx, r.remote, []refs.Ref{{Name: r.name, ID: tip}}, r.transfer)
	if err != nil {
		return err
	}
	for _, p := range done {
		switch p.State {
		case refs.StateBehind:
			return Behind(p)
		case refs.StateRefused:
			return &RefusedError{Kind: p.Kind, Why: p.Why}
		}
	}
	r.tips[r.name] = tip
	return nil
}

// Behind is why a push did not move what the remote has on the way.
func Behind(p refs.Pushed) error {
	if p.Held {
		return &HeldError{p.Why}
	}
	return ErrBehind
}

// Elsewhere are the tips that other configured remotes had when they were last
// asked.
func (r *exchanged) Elsewhere(ctx context.Context) ([]string, error) {
	remotes, err := r.repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	var tips []string
	for _, m := range remotes {
		if m.Space == r.remote.Space {
			continue
		}
		if id, err := r.repo.Read(m.Tracking(r.name)); err == nil {
			tips = append(tips, id)
		}
	}
	return tips, nil
}

// RefusedError says why a remote did not take a reference, in one line.
type RefusedError struct {
	Kind refs.Kind
	Why  string
}

func (e *RefusedError) Error() string { return e.Why }
