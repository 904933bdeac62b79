package work

import (
	"context"
	"errors"
	"time"

	"chatrail/bundle"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/refs"
)

// Status is what a person asks first when something seems wrong.
type Status struct {
	Bundle  string `json:"bundle,omitempty"`  // in words
	Backend string `json:"backend,omitempty"` // "git", "directory", "private directory"
	Where   string `json:"where,omitempty"`
	Ref     string `json:"ref,omitempty"`
	Tip     string `json:"tip,omitempty"`
	North   string `json:"north,omitempty"`
	Moved   string `json:"moved,omitempty"` // RFC 3339 time of the last revision

	Task   string `json:"task,omitempty"` // short key of the caller's task
	Pinned string `json:"pinned,omitempty"`
	Review string `json:"review,omitempty"` // id of the open review
	Agent  string `json:"agent,omitempty"`

	Frozen  string `json:"frozen,omitempty"` // the cause
	Repair  string `json:"repair,omitempty"` // a command that helps
	Trusted bool   `json:"trusted"`
	Paused  string `json:"paused,omitempty"`

	Unsettled  []Unsettled    `json:"unsettled,omitempty"`   // what merges set aside, until somebody settles it
	Remotes    []string       `json:"remotes,omitempty"`     // how far remotes are, as last seen, in words
	Inside     string         `json:"inside,omitempty"`      // the project that this submodule lies in
	Unread     string         `json:"unread,omitempty"`      // a .chatrail/ that the ref replaced
	Elsewhere  string         `json:"elsewhere,omitempty"`   // the folder's bundle, where the task is pinned to another
	Tasks      []TaskLine     `json:"tasks,omitempty"`       // of this project, the last at work first
	MoreTasks  int            `json:"more_tasks,omitempty"`  // that are not listed
	Others     []string       `json:"others,omitempty"`      // other roads of this repository
	Apart      *task.Apart    `json:"apart,omitempty"`       // the environment of the agent's hooks names another work tree
	OtherPlace string         `json:"other_place,omitempty"` // the folder that the agent calls its project, where commands go by another one
	Waiting    []string       `json:"waiting,omitempty"`     // text in the spool and the drop box
	Owed       []task.Owed    `json:"owed,omitempty"`        // remotes that the bundle did not get to
	LastSeen   []task.Seen    `json:"last_seen,omitempty"`   // hooks
	Failures   []task.Trouble `json:"failures,omitempty"`    // of hooks, in the last week
	StateHome  string         `json:"state_home"`            //
	NotSettled []string       `json:"not_settled,omitempty"` // what a person should look at, in words
}

// Status looks at everything and changes nothing.
func (d *Desk) Status(ctx context.Context, session string) (*Status, error) {
	st := &Status{StateHome: d.Home.Dir}
	var err error
	if st.LastSeen, err = d.Home.Seen(); err != nil {
		st.NotSettled = append(st.NotSettled, "the state home cannot be read: "+err.Error())
	}
	if st.Failures, err = d.Home.Troubles(d.Now()); err != nil {
		st.NotSettled = append(st.NotSettled, "the failures of hooks cannot be read: "+err.Error())
	}
	s, err := d.Scope(ctx, session)
	var none *NoBundleError
	if errors.As(err, &none) {
		st.task(d, &Scope{Key: d.task(session)})
		if repo, err := refs.Discover(d.Dir); err == nil && !repo.OwnedByOther() {
			st.Remotes = d.seenRemotes(ctx, task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: refs.Project(), WorkTree: repo.WorkTree})
		}
		st.waits(d)
		st.tasks(ctx, d, &Scope{Key: d.task(session)})
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	st.task(d, s)
	st.place(s.Place)
	rev, err := s.Tip(ctx)
	var frozen *bundle.FrozenError
	switch {
	case errors.As(err, &frozen):
		st.Frozen = frozen.Cause
		st.Repair = d.repair(s.Place)
	case err != nil:
		return nil, err
	}
	if rev != nil {
		st.Tip, st.North, st.Moved = rev.ID, rev.State.Rail.North, rev.Event.Time.Format(time.RFC3339)
	}
	if rev != nil {
		st.Unsettled = unsettledItems(rev.State.Rail)
	}
	st.Remotes = d.seenRemotes(ctx, s.Place)
	root := s.Place.Root
	if s.Store != nil {
		switch found, err := s.Store.Root(ctx); {
		case err == nil:
			root = found
		case errors.As(err, &frozen) && st.Frozen == "":
			st.Frozen = frozen.Cause
		}
	}
	st.Trusted = d.Home.Trusted(d.marked(s.Place), root)
	if v, ok := d.Home.LoadView(s.Place); ok && v.Root != "" && root != "" && v.Root != root {
		st.NotSettled = append(st.NotSettled, "another bundle stands here than the one that was here before")
	}
	st.Paused = string(d.Home.Paused(d.Env, s.Receipt))
	if st.Paused == "" && d.Home.PlaceOff(s.Place) {
		st.Paused = string(task.PausedBundle)
	}
	st.surroundings(d, s)
	st.tasks(ctx, d, s)
	return st, nil
}

func (st *Status) task(d *Desk, s *Scope) {
	if s.Key == "" {
		return
	}
	st.Task = task.Short(s.Key)
	if s.Receipt.Pin != nil {
		st.Pinned, st.Agent = s.Receipt.Pin.Title(), s.Receipt.Agent
	}
	if s.Receipt.Apart != (task.Apart{}) {
		st.Apart = &s.Receipt.Apart
	}
	if r := s.Receipt.Turn.Review; r != nil && r.Status == turn.Pending {
		st.Review = r.ID
	}
	found, refused := task.CollectDrops(d.Env, s.Key)
	for _, f := range found {
		st.Waiting = append(st.Waiting, f.Path)
	}
	for _, f := range refused {
		st.NotSettled = append(st.NotSettled, f.Path+" is left alone: "+f.Reason)
	}
	if s.Receipt.Damaged != "" {
		st.NotSettled = append(st.NotSettled, s.Receipt.Damaged)
	}
}

func (st *Status) place(p task.Place) {
	st.Bundle, st.Where, st.Ref = p.Title(), p.Path, p.Ref
	switch p.Kind {
	case task.KindGit:
		st.Backend = "git"
		if p.WorkTree != "" {
			st.Where = p.WorkTree
		}
	case task.KindPrivate:
		st.Backend = "private directory"
	default:
		st.Backend = "directory"
	}
}

// surroundings tells what lies about that a person would not expect.
func (st *Status) surroundings(d *Desk, s *Scope) {
	st.waits(d)
	st.owes(d, s.Place)
	st.others(d)
	if repo, err := refs.Discover(d.Dir); err == nil {
		if top, ok := task.Superproject(repo); ok {
			st.Inside = top
		}
	}
	if s.Place.Kind == task.KindGit && s.Place.Ref == refs.Project() {
		if older := d.olderFolder(s.Place); older != "" {
			st.Unread = older
		}
	}
	if s.Receipt.Pin != nil {
		if here, err := d.discover(); err == nil && here.ID() != s.Place.ID() {
			st.Elsewhere = here.Title()
		}
	}
}

// waits lists what is in the spool.
func (st *Status) waits(d *Desk) {
	items, err := d.Home.SpoolList()
	if err != nil {
		st.NotSettled = append(st.NotSettled, "the spool cannot be read: "+err.Error())
	}
	for _, i := range items {
		st.Waiting = append(st.Waiting, i.Path)
	}
}

// owes lists the remotes that the bundle is owed to.
func (st *Status) owes(d *Desk, p task.Place) {
	var err error
	if st.Owed, err = d.Home.Owed(p); err != nil {
		st.NotSettled = append(st.NotSettled, err.Error())
	}
}

// maxOthers bounds the roads that are listed.
const maxOthers = 20

// tasks lists the tasks of the project.
func (st *Status) tasks(ctx context.Context, d *Desk, s *Scope) {
	var err error
	if st.Tasks, st.MoreTasks, err = d.Tasks(ctx, s); err != nil {
		st.NotSettled = append(st.NotSettled, "the receipts cannot be read: "+err.Error())
	}
	if st.Apart == nil {
		st.OtherPlace = d.OtherPlace()
	}
}

// OtherPlace is the folder that an agent calls its project in the environment,
// where that is another one than the working directory lies in: hooks go by the
// payload and commands by the folder.
func (d *Desk) OtherPlace() string {
	return task.ApartIn(d.Env, d.Dir, agent.Hosts()...).Said
}

// others lists the roads of the repository, which adopt can name.
func (st *Status) others(d *Desk) {
	if repo, err := refs.Discover(d.Dir); err == nil {
		roads, _ := repo.List(refs.Namespace + "task/") // a broken one is another command's to tell
		for _, road := range roads {
			if name, ok := refs.Decode(road.Name[len(refs.Namespace+"task/"):]); ok {
				st.Others = append(st.Others, "road "+name)
			}
		}
	}
	st.Others = st.Others[:min(len(st.Others), maxOthers)]
}

// repair is the command that brings back the last revision that was known, where
// the reference is gone or at something else.
func (d *Desk) repair(p task.Place) string {
	if p.Kind != task.KindGit {
		return ""
	}
	now, err := d.Home.Check(p)
	known := d.Home.KnownTip(p)
	if err != nil || now.Repo == nil || known == "" || now.Tip == known {
		return ""
	}
	if _, err := now.Repo.Read(p.Ref); errors.Is(err, refs.ErrCorrupt) {
		// Git moves no reference that it cannot read, but makes it a symbolic one.
		return "git symbolic-ref " + p.Ref + " " + refs.Namespace + "none && git update-ref --no-deref " + p.Ref + " " + known
	}
	return "git update-ref " + p.Ref + " " + known
}
