package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/dir"
	"chatrail/bundle/merge"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
)

// Revision reads the revision at, the tip where it is "". A frozen bundle is
// read as far as it goes; then warn is the *bundle.FrozenError.
func (s *Scope) Revision(ctx context.Context, at string) (rev *bundle.Revision, warn, err error) {
	rev, err = s.Tip(ctx)
	var frozen *bundle.FrozenError
	if errors.As(err, &frozen) {
		warn, err = err, nil
		if rev == nil && at == "" {
			return nil, nil, warn
		}
	}
	if err == nil && at != "" {
		if s.Store == nil {
			return nil, nil, warn
		}
		rev, err = s.Store.Read(ctx, at)
		if errors.Is(err, bundle.ErrNotFound) {
			err = fmt.Errorf("no revision %q here: `chatrail log` lists them", at)
		}
	}
	return rev, warn, err
}

// Reorientation is the four lines for programs.
type Reorientation struct {
	Drift      string `json:"drift"`
	Heading    [2]int `json:"heading"`
	North      string `json:"north"`
	Now        string `json:"now"`
	ReturnPath string `json:"return_path"`
	Revision   string `json:"revision"`
}

// Reorient is where a revision stands and points.
func Reorient(rev *bundle.Revision) Reorientation {
	h := rev.State.Compass.Heading
	return Reorientation{
		Drift: rev.State.Compass.Drift, Heading: [2]int{h.X, h.Y}, North: rev.State.Rail.North,
		Now: h.Context, ReturnPath: rev.State.Compass.ReturnPath, Revision: rev.ID,
	}
}

// Shown are the live truths of a revision for programs: one of them, or both
// where what is "".
func Shown(rev *bundle.Revision, what bundle.Target) map[string]any {
	v := map[string]any{"revision": rev.ID}
	if what != bundle.TargetRail {
		v[string(bundle.TargetCompass)] = rev.State.Compass.JSON()
	}
	if what != bundle.TargetCompass {
		v[string(bundle.TargetRail)] = rev.State.Rail.JSON()
	}
	return v
}

// Entry is a line of the log.
type Entry struct {
	Revision string    `json:"revision"`
	Parents  []string  `json:"parents,omitempty"`
	Event    string    `json:"event"`
	Review   string    `json:"review,omitempty"`
	Time     time.Time `json:"time"`
	Reason   string    `json:"reason"`
	Task     string    `json:"task,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Branch   string    `json:"branch,omitempty"`
	Head     string    `json:"head,omitempty"`
	Changes  []string  `json:"changes,omitempty"`
}

// from is the id that at names, "" for the tip, and what keeps the bundle from
// being read whole.
func (s *Scope) from(ctx context.Context, at string) (id string, warn, err error) {
	if s.Store == nil {
		return "", nil, &bundle.FrozenError{Cause: s.Frozen}
	}
	if s.Frozen != "" {
		warn = &bundle.FrozenError{Cause: s.Frozen}
	}
	if at == "" {
		return "", warn, nil
	}
	rev, _, err := s.Revision(ctx, at)
	if err != nil {
		return "", nil, err
	}
	return rev.ID, warn, nil
}

// History calls fn for every revision from at down ("": the tip), newest first,
// until it returns false.
func (s *Scope) History(ctx context.Context, at string, fn func(Entry) (bool, error)) error {
	from, warn, err := s.from(ctx, at)
	if err != nil {
		return err
	}
	err = s.Store.Walk(ctx, from, func(r *bundle.Revision) (bool, error) {
		changes, err := changesOf(r)
		if err != nil {
			return false, err
		}
		return fn(Entry{
			Revision: r.ID, Parents: r.Parents, Event: r.Event.EventID, Review: r.Event.ReviewID, Time: r.Event.Time,
			Reason: r.Event.Reason, Task: r.Event.Task, Agent: r.Event.Agent, Branch: r.Event.Branch, Head: r.Event.Head,
			Changes: changes,
		})
	})
	return s.cause(ctx, cmp.Or(err, warn))
}

// cause is the nearer cause where a bundle turns out to be frozen on the way.
func (s *Scope) cause(ctx context.Context, err error) error {
	if frozen(err) {
		if _, tipErr := s.Tip(ctx); frozen(tipErr) {
			return tipErr
		}
	}
	return err
}

// changesOf tells what an event changed, from what it holds itself.
func changesOf(r *bundle.Revision) ([]string, error) {
	before := r.State
	for _, t := range r.Event.Transitions {
		if t.BeforeSHA256 == "" {
			return nil, nil // the first event: everything is new
		}
		var err error
		switch t.Target {
		case bundle.TargetCompass:
			before.Compass, err = bundle.CompassFromJSON(t.Before)
		case bundle.TargetRail:
			before.Rail, err = bundle.RailFromJSON(t.Before)
		}
		if err != nil {
			return nil, err
		}
	}
	changes := bundle.Changes(before, r.State)
	for _, a := range merge.Asides(r.Event) {
		changes = append(changes, words.Harmless(bundle.OneLine(a.String(), maxAside)))
	}
	return changes, nil
}

// maxAside bounds, in characters, the line of a log that says what a merge set
// aside.
const maxAside = 160

// Events calls fn with the bytes of every event up to at ("": the tip), oldest
// first.
func (s *Scope) Events(ctx context.Context, at string, fn func(line []byte) error) error {
	from, warn, err := s.from(ctx, at)
	if err != nil {
		return err
	}
	var lines [][]byte
	err = s.Store.Walk(ctx, from, func(r *bundle.Revision) (bool, error) {
		lines = append(lines, r.Event.Line)
		return true, nil
	})
	for i := len(lines) - 1; i >= 0; i-- {
		if err := fn(lines[i]); err != nil {
			return err
		}
	}
	return s.cause(ctx, cmp.Or(err, warn))
}

// Validation is the verdict of validate.
type Validation struct {
	Valid    bool     `json:"valid"`
	Events   int      `json:"events"`
	Frozen   string   `json:"frozen,omitempty"`
	Pending  []string `json:"pending,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Validate checks a whole history: the bundle in the folder path, or where it
// is "" that of the caller. what names it.
func (d *Desk) Validate(ctx context.Context, path, session string) (v *Validation, what string, err error) {
	var store bundle.Store
	var top string // of the project
	if path != "" {
		if store, what, err = folderStore(path); err != nil {
			return nil, "", err
		}
		top = filepath.Dir(what)
	} else {
		s, err := d.Scope(ctx, session)
		if err != nil {
			return nil, "", err
		}
		if what = s.Place.Title(); s.Store == nil {
			return &Validation{Frozen: s.Frozen}, what, nil
		}
		store, top = s.Store, s.Place.WorkTree
	}
	r, err := store.Verify(ctx)
	if err != nil {
		return nil, "", err
	}
	v = &Validation{Valid: r.Valid, Events: r.Events, Frozen: r.Frozen, Warnings: r.Warnings}
	for _, t := range r.Pending {
		v.Pending = append(v.Pending, string(t))
	}
	if r.Valid {
		lost, err := lostSpecs(ctx, store, top)
		if err != nil {
			return nil, "", err
		}
		v.Warnings = append(v.Warnings, lost...)
	}
	return v, what, nil
}

// folderStore opens the bundle that a path means: the folder itself, or the
// .chatrail/ in it.
func folderStore(path string) (bundle.Store, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.IsDir() {
		return nil, "", fmt.Errorf("%s is not a folder; name the folder that holds %s", path, bundle.EventsFile)
	}
	if below := filepath.Join(path, ".chatrail"); isDir(below) {
		path = below
	}
	if shape, err := dir.Shape(path); err != nil || shape == dir.Absent {
		return nil, "", errors.Join(fmt.Errorf("no bundle in %s: name the folder that holds %s", path, bundle.EventsFile), err)
	}
	return dir.Open(path, dir.Options{}), path, nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// mayShow says whether words of a bundle may be shown to an agent that did not
// ask for them.
func (d *Desk) mayShow(p task.Place) bool {
	root := p.Root
	if root == "" {
		v, _ := d.Home.LoadView(p)
		root = v.Root
	}
	return d.Home.Trusted(p, root)
}
