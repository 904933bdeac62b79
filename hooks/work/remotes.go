package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatrail/gitstore"
	"chatrail/gitstore/share"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// How long status compares histories, and with how many remotes.
const (
	compareLimit = 2 * time.Second
	maxCompared  = 5
)

// inspected says what is wrong with a tip that was fetched, "" for nothing. A sync
// has said it already, a plain fetch has not looked.
func (d *Desk) inspected(ctx context.Context, store *gitstore.Store, p task.Place, remote refs.Remote, here, there string) string {
	for _, h := range d.Home.HeldBy(p.ID()) {
		if h.Tip == there && h.Remote == remote.String() {
			return h.Why
		}
	}
	_, err := share.Of(store).Inspect(ctx, there, here)
	var broken *gitstore.BrokenRuleError
	var newer *gitstore.NewerMergeError
	if errors.As(err, &broken) || errors.As(err, &newer) {
		return oneLine(err.Error())
	}
	return ""
}

// How Status.Remotes begins for a remote with which nothing goes together.
const (
	NotTaken       = "what it has is not taken"
	AnotherHistory = "another history"
)

// seenRemotes says how far the remotes of a bundle are, as the last fetch, sync
// or push has left them. Nobody is asked.
func (d *Desk) seenRemotes(ctx context.Context, p task.Place) []string {
	repo, err := refs.At(p.Path)
	if err != nil || p.Kind != task.KindGit {
		return nil
	}
	store := gitstore.Open(repo, gitstore.Options{Ref: p.Ref, KnownTip: d.Home.KnownTip(p)})
	here, err := store.Present()
	if err != nil {
		return nil // frozen, which status says
	}
	ctx, cancel := context.WithTimeout(ctx, d.part(compareLimit))
	defer cancel()
	remotes, err := repo.Remotes(ctx)
	if err != nil {
		return nil // status is no place to complain about git's configuration
	}
	var lines []string
	known := map[string]string{} // what each was seen to have
	compared := map[string]bool{}
	remotes = slices.DeleteFunc(remotes, func(remote refs.Remote) bool {
		there, err := repo.Read(remote.Tracking(p.Ref))
		known[remote.String()] = there
		return err != nil // never seen there
	})
	more := len(remotes) - maxCompared
	if more > 0 {
		if first, err := repo.Remote(ctx, ""); err == nil {
			slices.SortStableFunc(remotes, func(a, b refs.Remote) int { return chosenFirst(a, first) - chosenFirst(b, first) })
		}
		remotes = remotes[:maxCompared]
	}
	for _, remote := range remotes {
		compared[remote.String()] = true
		if text := d.compared(ctx, store, p, remote, here, known[remote.String()]); text != "" {
			lines = append(lines, remote.String()+": "+text)
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("%d more that are not looked at: `chatrail fetch NAME` looks", more))
	}
	for _, h := range d.Home.HeldBy(p.ID()) { // what a URL has that was given by hand
		if now, err := repo.Read(h.Track); err == nil && now == h.Tip && !compared[h.Remote] {
			lines = append(lines, h.Remote+": "+NotTaken+": "+h.Why)
		}
	}
	return lines
}

// chosenFirst puts the remote before others that git would choose.
func chosenFirst(remote, chosen refs.Remote) int {
	if remote.Name == chosen.Name {
		return 0
	}
	return 1
}

// owes lists the remotes that the bundle is owed to. A name that means no remote
// any more is owed nothing: nothing could ever settle it.
func (st *Status) owes(ctx context.Context, d *Desk, p task.Place) {
	var err error
	if st.Owed, err = d.Home.Owed(p); err != nil {
		st.NotSettled = append(st.NotSettled, err.Error())
	}
	if !slices.ContainsFunc(st.Owed, isNamed) {
		return
	}
	repo, err := refs.At(p.Path)
	if err != nil {
		return
	}
	remotes, err := repo.Remotes(ctx)
	if err != nil {
		return // in doubt it is said
	}
	st.Owed = slices.DeleteFunc(st.Owed, func(o task.Owed) bool {
		return isNamed(o) && !slices.ContainsFunc(remotes, func(r refs.Remote) bool { return r.String() == o.Name })
	})
}

// isNamed is false for a URL or a path, which git takes whatever is configured.
func isNamed(o task.Owed) bool { return !strings.ContainsAny(o.Name, `/\:`) }

// compared says how far one remote is.
func (d *Desk) compared(ctx context.Context, store *gitstore.Store, p task.Place, remote refs.Remote, here, there string) string {
	if there == here {
		return "even, as last seen"
	}
	if why := d.inspected(ctx, store, p, remote, here, there); why != "" {
		return NotTaken + ": " + why
	}
	if here == "" {
		return "it has an orientation that is not here: `chatrail sync` brings it"
	}
	rel, err := store.Relate(ctx, here, there)
	switch {
	case err != nil:
		return ""
	case !rel.Related:
		return AnotherHistory + ", as last seen"
	case rel.OnlyA == 0 && rel.OnlyB == 0:
		return "even but for merges, as last seen"
	}
	var parts []string
	if rel.OnlyA > 0 {
		parts = append(parts, count(rel.OnlyA, "revision")+" to send")
	}
	if rel.OnlyB > 0 {
		parts = append(parts, count(rel.OnlyB, "revision")+" to take")
	}
	return strings.Join(parts, ", ") + ", as last seen"
}
