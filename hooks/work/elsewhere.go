package work

import (
	"context"
	"fmt"
	"slices"
	"time"

	"chatrail/refs"
)

// askLimit bounds how long init waits for the answer of a remote.
const askLimit = 3 * time.Second

// elsewhere refuses to begin a history where a remote of the repository has one
// already: two that began apart are two projects until somebody joins them. A
// remote that cannot be asked keeps nobody from working; what kept it is
// returned.
func (d *Desk) elsewhere(ctx context.Context, repo *refs.Repo, ref string) (unasked string, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.part(askLimit))
	defer cancel()
	remote, err := repo.Remote(ctx, "")
	if err != nil {
		return "", nil // there is none, or several and none of them is meant
	}
	has := func(where string) error {
		return &RefusedError{fmt.Sprintf("%s has an orientation already: `chatrail sync` brings it here; --apart begins another one beside it", where)}
	}
	if _, err := repo.Read(remote.Tracking(ref)); err == nil { // fetched before
		return "", has(remote.String())
	}
	list, err := repo.Advertised(ctx, remote, refs.Transfer{})
	if err != nil {
		return oneLine(err.Error()), nil
	}
	if slices.ContainsFunc(list, func(r refs.Ref) bool { return r.Name == ref }) {
		return "", has(remote.String())
	}
	return "", nil
}
