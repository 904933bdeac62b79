package work

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/refs"
)

// How far a first North is looked for when no cache knows it: in revisions from
// the beginning, or where a store knows only its end, from there.
const (
	firstNorthTime  = 300 * time.Millisecond
	firstNorthEarly = 200
	firstNorthSpan  = 2000
)

// View returns what is known of the bundle at a place as it is now, and keeps
// it for the hooks that read caches alone. A frozen bundle is a view with its
// cause, not an error.
func (d *Desk) View(ctx context.Context, p task.Place) (task.View, error) {
	old, known := d.Home.LoadView(p)
	now, err := d.Home.Check(p)
	if errors.Is(err, refs.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		return task.View{Frozen: "the repository cannot be read: " + oneLine(err.Error())}, nil
	}
	if err != nil {
		return task.View{}, err
	}
	if known && old.Fresh(now) {
		return old, nil
	}
	b, err := d.open(ctx, p)
	if err != nil {
		return task.View{}, err
	}
	// The stamp is taken before the bundle is read and has to be the same
	// after: a view must never be newer or older than its stamp.
	for try := range 3 {
		before, _ := stamp(p)
		rev, err := b.tip(ctx)
		var frozen *bundle.FrozenError
		if err != nil && !errors.As(err, &frozen) {
			return task.View{}, err
		}
		v := task.View{}
		if rev != nil {
			// Words of a bundle whose beginning cannot be read are nobody's.
			if v, err = d.view(ctx, b, rev); err != nil && !errors.As(err, &frozen) {
				return task.View{}, err
			}
		}
		if frozen != nil {
			v.Frozen = frozen.Cause
			return v, nil
		}
		if after, ok := stamp(p); ok && after == before {
			v.Stamp = after
			_ = d.Home.SaveView(d.marked(b.place), v) // a cache that cannot be kept is made anew
			return v, nil
		}
		if try == 2 {
			return v, nil // right as it was read, and too busy a folder to remember it
		}
	}
	return task.View{}, bundle.ErrBusy
}

// rootKept is the root revision of the bundle of a scope. What hooks know of it is
// made anew on the way: where nothing is known and the history is longer than a
// hook has time for, a command has it.
func (d *Desk) rootKept(ctx context.Context, s *Scope) (string, error) {
	if v, err := d.View(ctx, s.Place); err == nil && v.Frozen == "" && v.Root != "" {
		return v.Root, nil
	}
	return s.Store.Root(ctx)
}

// stamp is that of a bundle in a folder, and empty for one on a reference.
func stamp(p task.Place) (task.DirStamp, bool) {
	if p.Kind == task.KindGit {
		return task.DirStamp{}, true
	}
	s, err := task.StampDir(p.Path)
	return s, err == nil
}

// keep refreshes the cached view after this process made a revision, so that
// the next hook need not open the bundle. A failure costs that hook some time
// and nothing else.
func (d *Desk) keep(ctx context.Context, b *bench, rev *bundle.Revision) {
	if b.place.Kind != task.KindGit {
		_, _ = d.View(ctx, b.place)
		return
	}
	if v, err := d.view(ctx, b, rev); err == nil {
		_ = d.Home.SaveView(d.marked(b.place), v) // the write may have made the mark
	}
}

// view prepares what is said of one revision.
func (d *Desk) view(ctx context.Context, b *bench, rev *bundle.Revision) (task.View, error) {
	old := d.follows(ctx, b, rev)
	root, err := d.root(ctx, b, rev, old)
	if err != nil {
		return task.View{}, err
	}
	v := task.View{
		Tip: rev.ID, Root: root,
		When: rev.Event.Time, Task: task.Short(rev.Event.Task), Agent: rev.Event.Agent, Branch: rev.Event.Branch,
		Named: rev.State.Rail.HasNorth(), Default: rev.State.IsDefault(),
		Fields: fieldDigests(rev.State),
	}
	for _, l := range Lines(rev.State) {
		v.Lines = append(v.Lines, task.Line(l))
	}
	v.FirstNorth, v.FirstUnknown = d.firstNorth(ctx, b, rev, v, old)
	return v, nil
}

// follows is what a cache knows of the bundle as it was at a revision, or before
// it: the history is the same down there. It is nil where nothing is known, or
// something else. Only what came since then is looked at: a hook has no time for
// the whole of a long history.
func (d *Desk) follows(ctx context.Context, b *bench, rev *bundle.Revision) *task.View {
	old, ok := d.Home.LoadView(b.place)
	if !ok || old.Root == "" || old.Tip == "" {
		return nil
	}
	if old.Tip == rev.ID || len(rev.Parents) == 1 && rev.Parents[0] == old.Tip {
		return &old
	}
	// A merge may have brought an older beginning along.
	if s, ok := b.store.(interface {
		BeganBefore(ctx context.Context, known string) (bool, error)
	}); ok {
		if all, err := s.BeganBefore(ctx, old.Tip); err == nil && all {
			return &old
		}
	}
	return nil
}

// root is the root revision of a bundle.
func (d *Desk) root(ctx context.Context, b *bench, rev *bundle.Revision, old *task.View) (string, error) {
	switch {
	case len(rev.Parents) == 0:
		return rev.ID, nil
	case old != nil:
		return old.Root, nil
	case b.roots[rev.ID] != "":
		return b.roots[rev.ID], nil
	}
	root, err := b.store.Root(ctx)
	if err == nil {
		b.roots = map[string]string{rev.ID: root}
	}
	return root, err
}

// firstNorth is the North as it was first worded, "" while it still is so.
// unknown says that the history was too long to look.
func (d *Desk) firstNorth(ctx context.Context, b *bench, rev *bundle.Revision, v task.View, old *task.View) (first string, unknown bool) {
	if !v.Named {
		return "", false
	}
	if old != nil && old.Root == v.Root && old.Named {
		if old.FirstUnknown {
			return "", true // too long a look once is too long for every change
		}
		if first = old.FirstNorth; first == "" {
			first = northOf(*old)
		}
	} else if first, unknown = d.lookForNorth(ctx, b, rev); unknown {
		return "", true
	}
	if first == northOf(v) {
		return "", false
	}
	return first, false
}

// lookForNorth looks for the first North that was named, from the beginning of
// the history where the store can tell where that is.
func (d *Desk) lookForNorth(ctx context.Context, b *bench, rev *bundle.Revision) (first string, unknown bool) {
	ctx, cancel := context.WithTimeout(ctx, d.part(firstNorthTime))
	defer cancel()
	if s, ok := b.store.(interface {
		Earliest(ctx context.Context, most int, fn func(*bundle.Revision) (bool, error)) error
	}); ok {
		err := s.Earliest(ctx, firstNorthEarly, func(r *bundle.Revision) (bool, error) {
			if r.State.Rail.HasNorth() {
				first = words.Cut(words.Harmless(r.State.Rail.North), maxField)
			}
			return first == "", nil
		})
		return first, err != nil || first == ""
	}
	n := 0
	err := b.store.Walk(ctx, rev.ID, func(r *bundle.Revision) (bool, error) {
		n++
		if r.State.Rail.HasNorth() {
			first = words.Cut(words.Harmless(r.State.Rail.North), maxField)
		}
		return n < firstNorthSpan, nil
	})
	return first, err != nil || n >= firstNorthSpan
}

// northOf is the North of a view, as its line says it.
func northOf(v task.View) string {
	for _, l := range v.Lines {
		if l.Field == string(bundle.FieldNorth) {
			return l.Text[min(len("North: "), len(l.Text)):]
		}
	}
	return ""
}
