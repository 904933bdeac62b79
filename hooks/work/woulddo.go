package work

import (
	"context"

	"chatrail/bundle/merge"
	"chatrail/gitstore"
	"chatrail/gitstore/share"
)

// wouldDo says what a sync would do, and does nothing: what is not here yet is not
// fetched, so what it would come to is not known in all cases.
func (s *syncing) wouldDo(ctx context.Context, out SyncedRef, x *share.Exchange, store *gitstore.Store, here string, o share.Options) SyncedRef {
	theirs, err := x.Ref(out.Ref).Tip(ctx)
	if err != nil {
		return out.failed(s.words(out.Ref, err))
	}
	out.Before, out.After, out.Remote = here, here, theirs
	switch {
	case here == theirs && o.Gone == "":
		out.State = string(share.Even)
		return out
	case theirs == "" && here != "":
		out.State = string(share.Sent)
		return out
	case theirs == "" || here == "" && !o.Take:
		return out.failed(s.words(out.Ref, share.ErrGone))
	case !x.Here(out.Ref):
		// It may lie below ours: somebody has moved the remote back.
		if rel, err := store.Relate(ctx, here, theirs); here != "" && o.Gone == "" && err == nil && rel.BUnderA {
			out.State, out.Ours = string(share.Sent), rel.OnlyA
			return out
		}
		if !o.Take {
			return out.failed(s.words(out.Ref, share.ErrStranger))
		}
		out.State = string(share.Taken)
		return out
	}
	if _, err := share.Of(store).Inspect(ctx, theirs, here); err != nil {
		return out.failed(s.words(out.Ref, err))
	}
	before := here
	if o.Gone != "" {
		before = o.Gone
	}
	if before == "" {
		out.State = string(share.Taken)
		return out
	}
	rel, err := store.Relate(ctx, before, theirs)
	if err == nil {
		out.State, err = outcome(rel, o)
		out.Ours, out.Theirs = rel.OnlyA, rel.OnlyB
	} else if o.Gone != "" {
		err = share.ErrGone
	}
	if err != nil {
		return out.failed(s.words(out.Ref, err))
	}
	return out
}

// outcome is what a sync of two tips comes to.
func outcome(rel merge.Relation, o share.Options) (string, error) {
	switch {
	case o.Gone != "" && (rel.OnlyA > 0 || !rel.Related):
		return "", share.ErrGone
	case !rel.Related && !o.Join:
		return "", share.ErrApart
	case rel.BUnderA && o.Gone == "":
		return string(share.Sent), nil
	case !o.Take:
		return "", share.ErrStranger
	case rel.OnlyA == 0:
		return string(share.Taken), nil
	}
	return string(share.Merged), nil
}
