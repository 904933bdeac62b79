package refs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fetch brings the named references of a remote, or for nil all below
// refs/chatrail/, into its tracking namespace, with everything that they lead
// to. Nothing else in the repository moves. It returns what stands there
// afterwards, by the names that they have here: of the named, or of all.
//
// A tracking reference whose original is gone is kept. References that could
// not be taken do not hide the others: the error, which names them, comes beside
// the rest. Objects are checked before anything points to them.
func (r *Repo) Fetch(ctx context.Context, m Remote, names []string, t Transfer) ([]Ref, error) {
	for _, name := range names {
		if !isOurs(name) {
			return nil, fmt.Errorf("%q is no reference of ours", name)
		}
	}
	if t.DryRun {
		list, err := r.Advertised(ctx, m, t)
		return m.here(list, names), err
	}
	in := &intake{repo: r, remote: m, Transfer: t, tries: 40}
	got, err := in.take(ctx, names)
	if err == nil || len(got) > 0 {
		err = also(err, r.track(ctx, m, got))
	}
	standing, listErr := r.List(m.folder())
	if err == nil {
		err = listErr
	}
	return m.only(standing, names), err
}

// here renames what a remote has to what it is here.
func (m Remote) here(list []Ref, names []string) []Ref {
	standing := []Ref{}
	for _, ref := range list {
		standing = append(standing, Ref{m.Tracking(ref.Name), ref.ID})
	}
	return m.only(standing, names)
}

// only keeps the named among tracking references.
func (m Remote) only(standing []Ref, names []string) []Ref {
	if names == nil {
		return standing
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[m.Tracking(name)] = true
	}
	return slices.DeleteFunc(standing, func(ref Ref) bool { return !wanted[ref.Name] })
}

// intake takes references one after another where they do not come together: one
// that is damaged must not keep the others away.
type intake struct {
	repo   *Repo
	remote Remote
	Transfer
	tries int
}

func (in *intake) take(ctx context.Context, names []string) ([]Ref, error) {
	got, err := in.repo.receive(ctx, in.remote, names, in.Transfer)
	var failed *TransportError
	if err == nil || !errors.As(err, &failed) || !apart(failed) {
		return got, err
	}
	there, listErr := in.repo.Advertised(ctx, in.remote, in.Transfer)
	if listErr != nil {
		return got, err
	}
	arrived := map[string]bool{}
	for _, ref := range got {
		arrived[ref.Name] = true
	}
	var missing []string
	for _, ref := range there {
		if !arrived[ref.Name] {
			missing = append(missing, ref.Name)
		}
	}
	if names != nil {
		// Names that the remote does not have are no failure.
		wanted := map[string]bool{}
		for _, name := range names {
			wanted[name] = true
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return !wanted[name] })
	}
	if len(missing) == 0 {
		if strings.Contains(failed.Said, "couldn't find remote ref") {
			return got, nil
		}
		return got, err
	}
	if len(got) > 0 || names != nil && len(missing) < len(names) {
		var more []Ref
		more, err = in.repo.receive(ctx, in.remote, missing, in.Transfer)
		if got = append(got, more...); err == nil || len(more) > 0 {
			return got, err
		}
	}
	more, err := in.halves(ctx, missing, err)
	return append(got, more...), err
}

// halves is called for names that did not come together.
func (in *intake) halves(ctx context.Context, names []string, err error) ([]Ref, error) {
	var failed *TransportError
	if !errors.As(err, &failed) || !apart(failed) {
		return nil, err
	}
	if len(names) <= 1 || in.tries <= 0 {
		failed.Names = names
		return nil, failed
	}
	var all []Ref
	var broken *TransportError
	for _, half := range [][]string{names[:len(names)/2], names[len(names)/2:]} {
		in.tries--
		got, err := in.repo.receive(ctx, in.remote, half, in.Transfer)
		if err != nil && len(got) == 0 {
			got, err = in.halves(ctx, half, err)
		}
		all = append(all, got...)
		var other *TransportError
		switch {
		case err == nil:
		case !errors.As(err, &other):
			return all, err
		case broken == nil:
			broken = other
		default:
			broken.Names = append(broken.Names, other.Names...)
		}
		if other != nil && !apart(other) {
			return all, other // the next half would fare the same
		}
	}
	if broken == nil {
		return all, nil
	}
	return all, broken
}

// apart reports whether a failure may be that of one reference among several.
func apart(e *TransportError) bool { return e.Kind == BadObjects || e.Kind == OtherFailure }

// track moves the tracking references to where the remote's were found.
func (r *Repo) track(ctx context.Context, m Remote, list []Ref) error {
	if len(list) == 0 {
		return nil
	}
	all, err := r.Exclusive(ctx, strings.TrimSuffix(m.folder(), "/"))
	if err != nil {
		return err
	}
	defer all.Unlock()
	var broken error
	more := 0
	for _, ref := range list {
		if err := all.follow(ctx, m, ref); err != nil && broken == nil {
			broken = err
		} else if err != nil {
			more++
		}
		if ctx.Err() != nil {
			break
		}
	}
	if more > 0 {
		return fmt.Errorf("%w; %d more references likewise", broken, more)
	}
	return broken
}

// follow moves one tracking reference under the lock of all of the remote's. A
// git command of the user may move it at the same time.
func (g *Guard) follow(ctx context.Context, m Remote, ref Ref) error {
	one := &Guard{repo: g.repo, name: m.Tracking(ref.Name), lock: g.lock}
	for try := 0; ; try++ {
		old, err := g.repo.Read(one.name)
		if err != nil && !errors.Is(err, ErrNoRef) {
			return fmt.Errorf("%w: remove it, then fetch again", err)
		}
		if old == ref.ID {
			return nil
		}
		err = one.Swap(ctx, Swap{Name: one.name, Old: old, New: ref.ID, Who: keeper, Message: "fetch " + m.URL})
		if moved := (*MovedError)(nil); errors.As(err, &moved) && try < 5 {
			continue
		}
		return err
	}
}
