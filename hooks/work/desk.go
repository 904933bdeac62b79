// Package work does what commands and hooks ask for: it finds the bundle of a
// task or a place, answers reviews, makes and moves bundles, and prepares what
// is said of them. It knows no command line.
package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/dir"
	"chatrail/gitstore"
	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
)

// Desk is where work is done: for one user, in one folder.
type Desk struct {
	Home task.Home
	Env  func(string) string
	Dir  string // working directory; "" where it is unknown or gone
	Now  func() time.Time
	// Fallback lists changed paths where there is no git program, nil for none.
	Fallback func(dir string) ([]worktree.Change, error)
	// Secret tells whether a note of an agent's memory looks like it holds a
	// secret; nil asks the rules that redact what is stored.
	Secret func(text string) bool
	// Still says that nothing may be written, caches included.
	Still bool
	// Caller is the key of the task that asks, where it is known otherwise than by
	// a session id. Child says that a sub-agent asks: it reads and never writes.
	Caller string
	Child  bool
	// Agent says that an agent asks, whatever the environment says.
	Agent bool
	// Carry takes the orientation along with a push, nil where nothing does.
	Carry Carrier
}

// NewDesk is a desk with the present clock.
func NewDesk(h task.Home, env func(string) string, dir string) *Desk {
	return &Desk{Home: h, Env: env, Dir: dir, Now: time.Now}
}

// UsageError says that a command was put together wrongly.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// patience bounds how long a command of a person waits for others.
const patience = 10 * time.Second

// NoBundleError says that there is no orientation here, and what helps.
type NoBundleError struct{ Where string }

func (e *NoBundleError) Error() string {
	return "no orientation in " + e.Where + " or above it: make one with `chatrail init`"
}

// bench is a bundle on the desk: where it is and the store that opens it.
type bench struct {
	place task.Place
	store bundle.Store
	// frozen is the cause for which nothing may be written, "" while healthy as
	// far as can be told from outside. store may be nil then.
	frozen string
	roots  map[string]string // of revisions, as this bench found them
}

// open opens the bundle at a place, and makes sure that it is the one that the
// place was made for.
func (d *Desk) open(ctx context.Context, p task.Place) (*bench, error) {
	now, err := d.Home.Check(p)
	if err != nil {
		return nil, err
	}
	b := &bench{place: now.Place, frozen: now.Frozen}
	if p.Kind != task.KindGit {
		b.store = dir.Open(p.Path, dir.Options{Private: p.Kind == task.KindPrivate, Cache: prefixCache{d.Home, p, d.Still}})
		return b, nil
	}
	if now.Repo == nil || now.Tip == "" && d.Home.KnownTip(p) == "" {
		return b, nil
	}
	b.store = gitstore.Open(now.Repo, gitstore.Options{
		Ref: p.Ref, JournalDir: d.Home.JournalDir(p), KnownTip: d.Home.KnownTip(p),
	})
	if v, ok := d.Home.LoadView(p); p.Root == "" || now.Tip == "" || ok && v.Tip == now.Tip && !now.AskRoot {
		return b, nil // Check has compared what there is to compare
	}
	return b, d.identify(ctx, b, now)
}

// identify compares the root revision of a bundle whose tip no cache knows.
func (d *Desk) identify(ctx context.Context, b *bench, now task.Standing) error {
	rev, err := b.store.Tip(ctx)
	if rev == nil {
		var frozen *bundle.FrozenError
		if errors.As(err, &frozen) {
			return nil // whoever reads it is told
		}
		return err
	}
	root, err := d.root(ctx, b, rev, d.follows(ctx, b, rev))
	if err != nil {
		return err
	}
	if git, ok := b.store.(*gitstore.Store); ok && root != b.place.Root {
		if roots, err := git.Roots(ctx); err == nil && slices.Contains(roots, b.place.Root) {
			b.place.Root, b.frozen = root, "" // joined with a history that began earlier
		}
	}
	switch {
	case root != b.place.Root:
		b.frozen = "another bundle stands on " + b.place.Ref
	case now.AskRoot:
		b.frozen = ""
		b.place.Marker, err = now.Repo.Marker()
	}
	return err
}

// tip reads the newest revision. A frozen bundle gives what can be read beside
// the error.
func (b *bench) tip(ctx context.Context) (*bundle.Revision, error) {
	if b.store == nil {
		return nil, &bundle.FrozenError{Cause: b.frozen}
	}
	rev, err := b.store.Tip(ctx)
	if err != nil && rev != nil && rev.State.Validate() != nil {
		rev = nil // nothing of it can be read
	}
	if b.frozen != "" { // seen from outside: the nearer cause
		err = &bundle.FrozenError{Cause: b.frozen}
	}
	return rev, err
}

// writable refuses a bundle that is frozen.
func (b *bench) writable() error {
	if b.frozen != "" {
		return &bundle.FrozenError{Cause: b.frozen}
	}
	return nil
}

// prefixCache lets the directory backend remember in the state home which part
// of a history it verified.
type prefixCache struct {
	home  task.Home
	place task.Place
	still bool
}

func (c prefixCache) Load() []byte {
	data, err := c.home.LoadPrefix(c.place)
	if err != nil {
		return nil // a cache that cannot be read is no cache
	}
	return data
}

func (c prefixCache) Save(data []byte) {
	if !c.still {
		_ = c.home.SavePrefix(c.place, data) // a cache that cannot be kept is made anew
	}
}

// Scope is what a command means: the bundle of the caller's task, else the one
// of the folder.
type Scope struct {
	// Key is the caller's task, "" outside one. Receipt is its receipt.
	Key     string
	Receipt task.Receipt
	Place   task.Place
	Store   bundle.Store // nil where nothing can be read
	Frozen  string       // the cause, "" while healthy as far as is known
}

// Scope finds the bundle that the caller means: of the task, where there is one
// and it is pinned, else the project's. session may be "": then agents'
// variables in the environment tell the task.
func (d *Desk) Scope(ctx context.Context, session string) (*Scope, error) {
	s := &Scope{Key: d.task(session)}
	if s.Key != "" {
		var err error
		if s.Receipt, err = d.Home.LoadReceipt(s.Key); err != nil {
			return nil, err
		}
	}
	if s.Receipt.Pin != nil {
		s.Place = s.Receipt.Pin.Place
		if moved, ok, err := d.Successor(ctx, s.Place, d.Dir); err == nil && ok {
			s.Place = moved
		}
	} else {
		var err error
		if s.Place, err = d.discover(); err != nil {
			return nil, err
		}
	}
	b, err := d.open(ctx, s.Place)
	if err != nil {
		return nil, err
	}
	s.Place, s.Store, s.Frozen = b.place, b.store, b.frozen
	if s.Frozen == "" {
		s.Frozen = s.Place.Frozen
	}
	return s, nil
}

// Tip reads the newest revision of the scope's bundle.
func (s *Scope) Tip(ctx context.Context) (*bundle.Revision, error) {
	return (&bench{place: s.Place, store: s.Store, frozen: s.Frozen}).tip(ctx)
}

// task is the key of the caller's task, "" outside one.
func (d *Desk) task(session string) string {
	if session == "" && d.Caller != "" {
		return d.Caller
	}
	if session == "" {
		_, session, _ = task.InAgent(d.Env)
	}
	if session == "" {
		return ""
	}
	return task.Key(session)
}

var errGone = errors.New("the working directory is gone: change to another one")

// discover finds the project bundle of the working directory.
func (d *Desk) discover() (task.Place, error) {
	if d.Dir == "" {
		return task.Place{}, errGone
	}
	user, _ := task.UserHome(d.Env) // unknown: the search ends at the root
	p, err := task.Discover(d.Dir, task.DiscoverOptions{State: d.Home, UserHome: user})
	if errors.Is(err, task.ErrNone) {
		return p, &NoBundleError{Where: d.Dir}
	}
	return p, err
}

// needTask refuses, with the command that helps, where there is no task.
func needTask(key, command string) error {
	if key == "" {
		return fmt.Errorf("this is not inside a task: name it, as in `%s --session-id ID`", strings.TrimSpace("chatrail "+command))
	}
	return nil
}
