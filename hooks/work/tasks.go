package work

import (
	"cmp"
	"context"
	"slices"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// TaskLine is one task of a project.
type TaskLine struct {
	Task   string    `json:"task"` // short key, as adopt takes it
	Title  string    `json:"title,omitempty"`
	Agent  string    `json:"agent,omitempty"`
	Last   time.Time `json:"last,omitzero"` // when it was last at work
	Bundle string    `json:"bundle"`
	This   bool      `json:"this,omitempty"` // the caller's
}

// maxTasks bounds the tasks that are listed, maxTaskTitle what each is called.
const (
	maxTasks     = 20
	maxTaskTitle = 80
)

// Tasks lists the tasks of a project, the last at work first: those that go by
// the bundle, those with a road of their own in its repository, and those that
// were at work in this folder, whatever they go by. more counts what is left out.
func (d *Desk) Tasks(ctx context.Context, s *Scope) (list []TaskLine, more int, err error) {
	keys, err := d.Home.Receipts()
	if err != nil {
		return nil, 0, err
	}
	here := task.Folder(d.Dir)
	var repo string // of this folder
	if r, err := refs.Discover(d.Dir); err == nil {
		repo = r.CommonDir
	}
	folders := map[string]string{}
	folderOf := func(cwd string) string {
		if _, ok := folders[cwd]; !ok {
			folders[cwd] = task.Folder(cwd)
		}
		return folders[cwd]
	}
	var found []task.Receipt
	for _, key := range keys {
		r, err := d.Home.LoadReceipt(key)
		if err != nil || r.Pin == nil {
			continue
		}
		p := r.Pin.Place
		if key == s.Key || s.Place.Kind != "" && p.ID() == s.Place.ID() ||
			p.Kind == task.KindGit && (p.Path == repo || p.Path == s.Place.Path) ||
			here != "" && r.CWD != "" && folderOf(r.CWD) == here {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b task.Receipt) int {
		return cmp.Or(b.LastAt().Compare(a.LastAt()), cmp.Compare(a.TaskKey, b.TaskKey))
	})
	more = max(0, len(found)-maxTasks)
	titles := d.taskTitles(ctx, s)
	for _, r := range found[:len(found)-more] {
		list = append(list, TaskLine{
			Task: task.Short(r.TaskKey), Title: cmp.Or(titles[task.Short(r.TaskKey)], d.northAt(r.Pin.Place)),
			Agent: r.Agent, Last: r.LastAt(), Bundle: r.Pin.Title(), This: r.TaskKey == s.Key,
		})
	}
	return list, more, nil
}

// taskTitles is what each task last wrote an entry about, by short key: tasks of
// one bundle have one North.
func (d *Desk) taskTitles(ctx context.Context, s *Scope) map[string]string {
	titles := map[string]string{}
	if s.Store == nil {
		return titles
	}
	rev, _, err := s.Revision(ctx, "")
	if err != nil || rev == nil {
		return titles
	}
	x, err := d.index(ctx, s.Place, s.Store, rev.ID)
	if err != nil {
		return titles
	}
	for _, item := range x.Entries(chronicle.Filter{}) {
		if key := item.Task; key != "" && titles[task.Short(key)] == "" {
			titles[task.Short(key)] = bundle.OneLine(item.Title, maxTaskTitle)
		}
	}
	return titles
}

// northAt is the North at a place as a cache knows it, "" where none is named or
// an agent asks, who did not ask for the words of that bundle.
func (d *Desk) northAt(p task.Place) string {
	v, ok := d.Home.LoadView(p)
	if !ok || !v.Named || d.byAgent() && !d.Home.Trusted(d.marked(p), v.Root) {
		return ""
	}
	return bundle.OneLine(northOf(v), maxTaskTitle)
}
