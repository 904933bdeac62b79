package work

import (
	"cmp"
	"context"
	"slices"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// How a task that came before is found.
const (
	// maxLooked bounds the receipts that are read, the last written first.
	maxLooked = 200
	// justNow is how long ago a session ended whose end and whose follower's start
	// are one act of a person.
	justNow = time.Minute
	// atWork is how long ago a task may have been at work to be in doubt beside the
	// one that was so last.
	atWork = time.Hour
	// maxDoubt bounds the tasks that are named where they cannot be told apart.
	maxDoubt = 3
)

// Before finds the task that came before a session which begins without its
// context, in the same work tree and of the same client; several where they
// cannot be told apart, and nothing across places. Where the client says which
// it is, that one is meant or none. which are those that were found at the start already.
func (d *Desk) Before(ctx context.Context, p agent.Payload, which []string) ([]words.Earlier, error) {
	list, err := d.tasksHere(p)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var said []words.Earlier
	if len(which) == 0 {
		list = d.chooseBefore(list, p)
	} else {
		list = only(list, func(r task.Receipt) bool { return slices.Contains(which, task.Short(r.TaskKey)) })
	}
	for _, r := range list {
		v, err := d.View(ctx, r.Pin.Place)
		if err != nil || v.Frozen != "" {
			continue // there is nothing to go on with
		}
		e := words.Earlier{Task: task.Short(r.TaskKey), Agent: agent.Host(r.Agent).Title(), At: r.LastAt()}
		if v.Named && d.Home.Trusted(d.marked(r.Pin.Place), v.Root) {
			e.North = northOf(v)
		}
		said = append(said, e)
	}
	return said, nil
}

// tasksHere are the tasks of a client that had a word in the place of an event,
// the last at work first.
func (d *Desk) tasksHere(p agent.Payload) ([]task.Receipt, error) {
	here := task.Folder(p.CWD)
	keys, err := d.Home.RecentReceipts(maxLooked)
	if err != nil || here == "" {
		return nil, err
	}
	var list []task.Receipt
	folders := map[string]string{} // many tasks, few folders
	for _, key := range keys {
		r, err := d.Home.LoadReceipt(key)
		if err != nil || r.Pin == nil || r.CWD == "" || key == task.Key(p.SessionID) || r.Agent != string(p.Host) {
			continue
		}
		folder, ok := folders[r.CWD]
		if !ok {
			folder = task.Folder(r.CWD)
			folders[r.CWD] = folder
		}
		if folder == here {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b task.Receipt) int {
		return cmp.Or(b.LastAt().Compare(a.LastAt()), cmp.Compare(a.TaskKey, b.TaskKey))
	})
	return list, nil
}

// chooseBefore chooses among the tasks of a place.
func (d *Desk) chooseBefore(list []task.Receipt, p agent.Payload) []task.Receipt {
	if parent := agent.ForkedFrom(p); parent != "" {
		return only(list, func(r task.Receipt) bool { return r.TaskKey == task.Key(parent) })
	}
	now := d.Now()
	ago := func(t time.Time) time.Duration { return now.Sub(t) }
	source := p.Event.Source
	if source == turn.Clear { // the old session ended just before, and said why
		cleared := only(list, func(r task.Receipt) bool {
			return r.Left != nil && r.Left.Cleared && ago(r.Left.At).Abs() <= justNow
		})
		if len(cleared) > 0 {
			slices.SortStableFunc(cleared, func(a, b task.Receipt) int { return b.Left.At.Compare(a.Left.At) })
			return cleared[:1]
		}
	}
	// A session can be forked after it ended, and not be cleared.
	list = only(list, func(r task.Receipt) bool {
		return source == turn.Fork || r.Left == nil || ago(r.Left.At).Abs() <= justNow
	})
	if p.Host.StartsUntold(source) { // it may as well be a start like any other
		list = only(list, func(r task.Receipt) bool { return ago(r.LastAt()) <= atWork })
	}
	if len(list) == 0 {
		return nil
	}
	first := list[0]
	list = only(list, func(r task.Receipt) bool { return r.TaskKey == first.TaskKey || ago(r.LastAt()) <= atWork })
	return list[:min(len(list), maxDoubt)]
}

func only(list []task.Receipt, keep func(task.Receipt) bool) (kept []task.Receipt) {
	for _, r := range list {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}
