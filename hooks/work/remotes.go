package work

import (
	"context"
	"errors"
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
	seen := map[string]bool{}
	for _, remote := range remotes[:min(len(remotes), maxCompared)] {
		seen[remote.String()] = true
		there, err := repo.Read(remote.Tracking(p.Ref))
		if err != nil {
			continue // never seen there
		}
		if text := d.compared(ctx, store, p, remote, here, there); text != "" {
			lines = append(lines, remote.String()+": "+text)
		}
	}
	for _, h := range d.Home.HeldBy(p.ID()) { // what a URL has that was given by hand
		if now, err := repo.Read(h.Track); err == nil && now == h.Tip && !seen[h.Remote] {
			lines = append(lines, h.Remote+": "+NotTaken+": "+h.Why)
		}
	}
	return lines
}

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
