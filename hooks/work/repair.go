package work

import (
	"context"
	"errors"
	"strings"

	"chatrail/hooks/task"
	"chatrail/refs"
)

// asideNames is where a repair keeps what stands on a reference of ours. Nothing
// there is read, sent or listed as a road.
const asideNames = "refs/chatrail-aside/"

// repair is the command that brings back the last revision that was known, where
// the reference is gone or at something else. It is run as it is printed, by
// agents too, so nothing is lost by it: what the reference holds meanwhile gets a
// name before, and one that has moved on since then stays where it is.
func (d *Desk) repair(ctx context.Context, p task.Place) string {
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
	if now.Tip == "" {
		return "git update-ref " + p.Ref + " " + known + " " + strings.Repeat("0", len(known))
	}
	back := "git update-ref " + p.Ref + " " + known + " " + now.Tip
	if now.Repo.Git(ctx, "merge-base", "--is-ancestor", now.Tip, known).Run() == nil {
		return back
	}
	aside := asideNames + strings.TrimPrefix(p.Ref, refs.Namespace) + "/" + now.Tip[:12]
	return "git update-ref " + aside + " " + now.Tip + " && " + back
}
