package work

import (
	"context"
)

// BySync is the Carrier that makes the remote of a push even, as far as that may
// be without asking anybody: where the remote has words that no person has taken
// yet, only what it lacks is sent.
func (d *Desk) BySync(ctx context.Context, remote, url string) (CarryResult, error) {
	s, err := d.Sync(ctx, SyncOptions{Remote: d.pushedTo(ctx, remote, url), Auto: true})
	if err != nil {
		return CarryResult{}, err
	}
	var result CarryResult
	for _, ref := range s.Refs {
		if ref.Why != "" {
			result.Kept = append(result.Kept, KeptRef{Ref: ref.Ref, Why: ref.Why})
		}
	}
	return result, nil
}

// pushedTo is the remote by its name where that means the one URL that git pushes
// to now, so that what is known of it counts, else the URL.
func (d *Desk) pushedTo(ctx context.Context, name, url string) string {
	if url == "" {
		return name
	}
	repo, err := d.pushing()
	if err != nil {
		return url
	}
	if r, err := repo.Remote(ctx, name); err == nil && r.URL == withoutCredentials(url) {
		return name
	}
	return url
}
