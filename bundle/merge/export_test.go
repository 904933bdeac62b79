package merge

import "context"

// Whole is Merge over the whole of the histories.
func Whole(ctx context.Context, h History, heads []string) (*Result, error) {
	return merge(ctx, h, heads, true)
}
