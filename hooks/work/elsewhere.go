package work

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"chatrail/hooks/words"
	"chatrail/refs"
)

// askLimit bounds how long init waits for the answer of a remote.
const askLimit = 3 * time.Second

// maxAsked bounds the remotes that init asks where git would choose none.
const maxAsked = 8

// elsewhere refuses to begin a history where a remote of the repository has one
// already: two that began apart are two projects until somebody joins them. The
// remote that git would choose is asked, and all of them where it would choose
// none; of the others counts what was fetched before. A remote that cannot be
// asked keeps nobody from working; what kept it is returned.
func (d *Desk) elsewhere(ctx context.Context, repo *refs.Repo, ref string) (unasked string, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.part(askLimit))
	defer cancel()
	all, err := repo.Remotes(ctx)
	if err != nil || len(all) == 0 {
		return "", nil
	}
	asked := all[:min(len(all), maxAsked)]
	chosen, err := repo.Remote(ctx, "")
	if err == nil {
		asked = []refs.Remote{chosen}
	}
	for _, remote := range append(asked[:len(asked):len(asked)], all...) {
		if _, err := repo.Read(remote.Tracking(ref)); err == nil { // fetched before
			return "", hasOne(remote, chosen)
		}
	}
	type answer struct {
		has bool
		err error
	}
	answers := make([]answer, len(asked))
	var wait sync.WaitGroup
	for i, remote := range asked {
		wait.Go(func() {
			list, err := repo.Advertised(ctx, remote, refs.Transfer{})
			answers[i] = answer{slices.ContainsFunc(list, func(r refs.Ref) bool { return r.Name == ref }), err}
		})
	}
	wait.Wait()
	for i, a := range answers {
		switch {
		case a.has:
			return "", hasOne(asked[i], chosen)
		case a.err != nil && unasked == "":
			unasked = oneLine(a.err.Error())
		}
	}
	return unasked, nil
}

// hasOne names the sync that brings what a remote has.
func hasOne(remote, chosen refs.Remote) error {
	name := ""
	if remote.Name != chosen.Name {
		name = " " + words.ShellQuote(remote.Name)
	}
	return &RefusedError{fmt.Sprintf("%s has an orientation already: `chatrail sync%s` brings it here; --apart begins another one beside it", remote.String(), name)}
}
