package work

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/words"
)

// lostSpecs names the work items whose specification is neither a note nor a
// path below top, one line each. Nothing is read but names.
func lostSpecs(ctx context.Context, store bundle.Store, top string) ([]string, error) {
	tip, err := store.Tip(ctx)
	if err != nil {
		return nil, nil // the verdict says so already
	}
	x := &chronicle.Index{}
	err = store.EachNote(ctx, tip.ID,
		func(ref bundle.NoteRef) bool { return true },
		func(ref bundle.NoteRef, data []byte) error {
			x.Add(ref.Path, data)
			return nil
		})
	if err != nil {
		return nil, err
	}
	var lost []string
	for _, item := range x.WorkItems(chronicle.Filter{}) {
		if item.Spec != "" && !resolves(x, item.Spec, top) {
			lost = append(lost, fmt.Sprintf("%s: its spec %q is neither a note nor a path of the project",
				words.Harmless(item.Path), words.Cut(words.Harmless(item.Spec), 120)))
		}
	}
	return lost, nil
}

func resolves(x *chronicle.Index, spec, top string) bool {
	if len(x.Resolve(chronicle.KindEntry, spec))+len(x.Resolve(chronicle.KindWorkItem, spec)) > 0 {
		return true
	}
	path, _, _ := strings.Cut(spec, "#") // of a heading in the file
	local := filepath.FromSlash(path)
	return top != "" && filepath.IsLocal(local) && exists(filepath.Join(top, local))
}
