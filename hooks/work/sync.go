package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/merge"
	"chatrail/gitstore"
	"chatrail/gitstore/objects"
	"chatrail/gitstore/share"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// How long a sync may take unless its caller says so. At a terminal a person sees
// what happens and can stop it.
const (
	syncLimit  = 2 * time.Minute
	watchLimit = 10 * time.Minute
)

// noteLimit bounds what has to be written down after the time is up.
const noteLimit = 2 * time.Second

// SyncOptions say what is to be shared with which remote.
type SyncOptions struct {
	Remote string // name or URL; "" for the one that git would choose
	Roads  []string
	// Push sends without taking anything. With neither Push nor Fetch both sides
	// are made even.
	Push bool
	// Fetch only brings what the remote has into the tracking namespace.
	Fetch  bool
	Join   bool // join histories that began apart
	DryRun bool // say what would happen
	All    bool // also the roads of others, however many there are

	Limit time.Duration // how long it may take; 0 for what is usual

	Ask      bool      // git may ask the person at the terminal for a password
	Progress io.Writer // what git says meanwhile; nil for nobody
	// Auto is a sync that nobody asked for, from a hook: it takes no first words
	// from anywhere.
	Auto bool
}

// bounded is ctx with the time that a sync may take.
func (o SyncOptions) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := o.Limit
	switch {
	case limit > 0:
	case o.Ask:
		limit = watchLimit
	default:
		limit = syncLimit
	}
	return context.WithTimeout(ctx, limit)
}

func (o SyncOptions) transfer() refs.Transfer {
	return refs.Transfer{Ask: o.Ask, Progress: o.Progress, DryRun: o.DryRun}
}

// Synced is what became of a sync.
type Synced struct {
	Remote string      `json:"remote"`
	Refs   []SyncedRef `json:"refs"`
	// More counts roads of others that were left there.
	More int `json:"more,omitempty"`
	// Failed says that something could not be done: the reasons are with the refs.
	Failed bool `json:"failed"`
}

// SyncedRef is what became of one reference.
type SyncedRef struct {
	Ref    string `json:"ref"`
	Name   string `json:"name"` // as people call it
	State  string `json:"state"`
	Why    string `json:"why,omitempty"` // in one line, where it failed
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Remote string `json:"remote_tip,omitempty"`
	Theirs int    `json:"theirs"` // revisions that came
	Ours   int    `json:"ours"`   // revisions that went
	// Unsettled are the items that keep what merges set aside.
	Unsettled []string `json:"unsettled,omitempty"`
	// NoRoom are the entries to which the merge at the tip moved items that the
	// Rail had no room for.
	NoRoom []string `json:"no_room,omitempty"`
	// Owed says that it could not be sent and is done at the next chance.
	Owed bool `json:"owed,omitempty"`

	err error
}

// States of a reference that could not be made even.
const (
	stateFailed = "failed"
	stateApart  = "apart" // it began apart from ours
	stateHeld   = "held"  // what the remote has breaks a rule and stays outside
	stateFrozen = "frozen"
)

// maxOfOthers bounds how many bundles beside the project's a sync that brings new
// ones leaves here.
const maxOfOthers = 100

// Sync makes the bundles of this repository and those of a remote even.
func (d *Desk) Sync(ctx context.Context, o SyncOptions) (*Synced, error) {
	find := d.shareable
	if o.Auto {
		find = d.pushing
	}
	repo, err := find()
	if err != nil {
		return nil, err
	}
	choose := repo.Remote
	if o.Push {
		choose = repo.PushRemote
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, _, agent := task.InAgent(d.Env)
	s := &syncing{d: d, repo: repo, o: o, objects: objects.Open(repo), person: !agent && !o.Auto}
	if o.Push {
		s.offer = s.offering(ctx) // while git looks for the remote
	}
	if s.remote, err = choose(ctx, o.Remote); err != nil {
		if stop(); s.offer != nil {
			<-s.offer
		}
		return nil, err
	}
	s.out = &Synced{Remote: s.remote.String(), Refs: []SyncedRef{}}
	ctx, cancel := o.bounded(ctx) // the remote's time, and git's configuration is read
	defer cancel()
	return s.out, s.run(ctx)
}

// shareable is the repository of this folder, whose bundles can travel.
func (d *Desk) shareable() (*refs.Repo, error) {
	if d.Dir == "" {
		return nil, errGone
	}
	repo, err := refs.Discover(d.Dir)
	if errors.Is(err, refs.ErrNotRepo) {
		return nil, &RefusedError{"only an orientation in a git repository can be shared with a remote, and this folder is in none"}
	}
	if err != nil {
		return nil, err
	}
	if repo.OwnedByOther() {
		return nil, &RefusedError{"this repository belongs to another user"}
	}
	return repo, nil
}

// pushing is the repository for which git has called a hook: it says so in the
// environment.
func (d *Desk) pushing() (*refs.Repo, error) {
	repo, err := refs.DiscoverEnv(d.Dir, d.Env)
	if err == nil && repo.OwnedByOther() {
		err = &RefusedError{"this repository belongs to another user"}
	}
	return repo, err
}

// syncing is one sync.
type syncing struct {
	d      *Desk
	repo   *refs.Repo
	remote refs.Remote
	o      SyncOptions
	person bool // somebody at the keyboard asked for it
	out    *Synced

	objects *objects.DB  // one git reads them for all bundles
	offer   <-chan offer // of a push
}

func (s *syncing) run(ctx context.Context) error {
	if s.o.Push {
		return s.push(ctx, <-s.offer)
	}
	ours, err := s.repo.List(refs.Namespace)
	if err != nil && len(ours) == 0 {
		return err
	}
	x, err := share.Open(ctx, s.repo, s.remote, s.o.transfer())
	if err != nil {
		s.owe(ctx, ours, err)
		return err
	}
	var first []string // what the remote did not list
	names := s.names(ours, x.Names())
	if err := s.missing(names); err != nil {
		return err
	}
	x.Bring(ctx, names)
	for _, name := range names {
		if ctx.Err() != nil {
			s.add(s.late(ctx, name))
			continue
		}
		if !x.Lists(name) {
			first = append(first, name)
		}
		s.add(s.one(ctx, x, name))
	}
	s.shown(ctx, first)
	return nil
}

// missing refuses a road that was asked for and that nobody has.
func (s *syncing) missing(names []string) error {
	for _, road := range s.o.Roads {
		if !slices.ContainsFunc(names, func(name string) bool { return roadName(name) == road }) {
			return &RefusedError{fmt.Sprintf("there is no road %q here or at %s: `chatrail fetch --list` lists what there is", oneLine(road), s.remote.String())}
		}
	}
	return nil
}

func (s *syncing) add(ref SyncedRef) {
	s.out.Failed = s.out.Failed || ref.err != nil
	s.out.Refs = append(s.out.Refs, ref)
}

// late is a reference whose turn did not come.
func (s *syncing) late(ctx context.Context, name string) SyncedRef {
	out := SyncedRef{Ref: name, Name: roadName(name)}
	err := s.inTime(ctx, ctx.Err())
	if _, readErr := s.repo.Read(name); readErr == nil {
		out.Owed = s.remember(ctx, s.place(name), share.Outcome{}, err)
	}
	return out.failed(err)
}

// inTime is what an error means that came after the time was up, wherever the
// work was then: between two exchanges with the remote it is the context's own.
func (s *syncing) inTime(ctx context.Context, err error) error {
	var transport *refs.TransportError
	if err == nil || ctx.Err() == nil || errors.As(err, &transport) {
		return err
	}
	return &refs.TransportError{Kind: refs.OutOfTime, Op: "push", Remote: s.remote.String(), Err: ctx.Err()}
}

// names are the references that take part: all of here, also the project's that
// is gone, and of those that only the remote has the project's and a bounded
// number of others. A push that carries takes part in nothing new.
func (s *syncing) names(ours []refs.Ref, theirs []string) []string {
	var names []string
	others := 0
	for _, ref := range ours {
		if !refs.Known(ref.Name) {
			continue
		}
		names = append(names, ref.Name)
		if ref.Name != refs.Project() {
			others++
		}
	}
	if project := refs.Project(); !slices.Contains(names, project) && !slices.Contains(theirs, project) && s.gone(s.place(project)) != "" {
		names = append(names, project)
	}
	for _, name := range theirs {
		if slices.Contains(names, name) || s.o.Auto || !refs.Known(name) || !s.person && name != refs.Project() {
			continue // a remote does not say which bundles there are here
		}
		if name != refs.Project() {
			if others++; others > maxOfOthers && !s.o.All && len(s.o.Roads) == 0 {
				s.out.More++
				continue
			}
		}
		names = append(names, name)
	}
	if len(s.o.Roads) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(s.o.Roads, roadName(name)) })
	}
	slices.Sort(names)
	return names
}

func (s *syncing) one(ctx context.Context, x *share.Exchange, name string) SyncedRef {
	out := SyncedRef{Ref: name, Name: roadName(name)}
	p := s.place(name)
	store := s.store(p)
	here, err := s.healthy(ctx, store)
	o := share.Options{Take: true, Send: true, Join: s.o.Join && s.person, Person: s.person}
	if err != nil {
		if ctx.Err() != nil {
			return s.late(ctx, name)
		}
		if o.Gone = s.gone(p); o.Gone == "" {
			return out.failed(err)
		}
		store = gitstore.Open(s.repo, gitstore.Options{Ref: p.Ref, JournalDir: s.d.Home.JournalDir(p), Objects: s.objects})
	}
	known := s.person || s.d.Home.RemoteKnown(p, s.remote.URL)
	if !known && (here != "" || o.Gone != "") {
		o.Take = false // first words from there are a person's to take
	}
	if s.o.DryRun {
		return s.wouldDo(ctx, out, x, store, here, o)
	}
	res, err := share.Sync(ctx, share.Of(store), x.Ref(name), o)
	err = s.inTime(ctx, err)
	out.State, out.Before, out.After, out.Remote, out.Theirs, out.Ours = string(res.State), res.Before, res.After, res.Remote, res.Theirs, res.Ours
	if res.After != here && res.After != "" {
		if took := s.took(ctx, p, store, here == ""); err == nil {
			err = took
		}
	}
	if err == nil && s.person {
		if err = s.d.Home.KnowRemote(ctx, p, s.remote.URL); err == nil && res.State == share.Even {
			err = s.trust(ctx, p, store)
		}
	}
	if res.After != "" {
		if rev, readErr := store.Read(ctx, res.After); readErr == nil {
			for _, u := range unsettledItems(rev.State.Rail) {
				out.Unsettled = append(out.Unsettled, u.ID)
			}
			for _, n := range rev.Event.Notes {
				if rev.Event.ReviewID == bundle.ReviewMerge && res.After != here && merge.IsOverflow(n.Path) {
					out.NoRoom = append(out.NoRoom, n.Path)
				}
			}
		}
	}
	if errors.Is(err, share.ErrBehind) && !known {
		err = share.ErrStranger // and nothing that a later chance would mend
	}
	out.Owed = s.remember(ctx, s.place(name), res, err)
	if err == nil {
		return out
	}
	return out.failed(s.words(name, err))
}

// gone is what the reference of a bundle was at that is not there any more, ""
// for one that is there or was never seen.
func (s *syncing) gone(p task.Place) string {
	if _, err := s.repo.Read(p.Ref); !errors.Is(err, refs.ErrNoRef) {
		return ""
	}
	return s.d.knownTip(p, s.repo)
}

func (r SyncedRef) failed(err error) SyncedRef {
	r.State, r.Why, r.err = stateFailed, oneLine(err.Error()), err
	var known *notEvenError
	var frozen *bundle.FrozenError
	switch {
	case errors.As(err, &known):
		r.State = known.state
	case errors.As(err, &frozen):
		r.State = stateFrozen
	}
	return r
}

// Frozen tells whether a bundle could not be made even because it is frozen here.
func (s *Synced) Frozen() bool {
	return slices.ContainsFunc(s.Refs, func(r SyncedRef) bool { return r.State == stateFrozen })
}
