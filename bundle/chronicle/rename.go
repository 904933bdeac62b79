package chronicle

import (
	"path"
	"slices"
	"strings"
)

// Rename rewrites what a note says of notes that have got another path: moved
// maps old paths to new ones. It looks at closes, advances, closed_by and spec,
// which hold what somebody typed, and knows a note by each of the ways that
// Resolve does: the new name is of the same kind. Names without a folder count
// where they can only mean a note: in closes and advances as work items, in
// closed_by unless it is the reason of a cut. In spec they may be files of the
// repository.
//
// The lines of other keys and the body stay as they are; the same bytes come
// back where there is nothing to do, or front matter that cannot be changed.
func Rename(note []byte, moved map[string]string) []byte {
	n := Read(note)
	if n.Broken != nil || len(moved) == 0 {
		return note
	}
	after := n.Meta
	for _, key := range []string{"closes", "advances"} {
		items := slices.Clone(*after.texts(key))
		for i, item := range items {
			items[i] = renamed(item, moved, KindWorkItem)
		}
		*after.texts(key) = items
	}
	after.Spec = renamed(after.Spec, moved)
	if after.Status == Cut {
		after.ClosedBy = renamed(after.ClosedBy, moved)
	} else {
		after.ClosedBy = renamed(after.ClosedBy, moved, KindWorkItem, KindEntry)
	}
	out, err := edit(note, differences(&n.Meta, &after, nil))
	if err != nil {
		return note
	}
	return out
}

// renamed is what a reference becomes. Names without a folder are looked for
// among notes of the given kinds, and taken where they mean one note only.
func renamed(ref string, moved map[string]string, bare ...Kind) string {
	if to, ok := moved[ref]; ok {
		return to
	}
	dot, ext := "", ""
	name := ref
	if rest, ok := strings.CutPrefix(name, "./"); ok {
		dot, name = "./", rest
	}
	if rest, ok := strings.CutSuffix(name, noteExt); ok {
		ext, name = noteExt, rest
	}
	if to, ok := moved[name+noteExt]; ok {
		return dot + strings.TrimSuffix(to, noteExt) + ext
	}
	// As in Resolve the name of a file goes before the name without its day.
	for _, short := range []func(string) string{fileName, slugName} {
		var found []string
		for from, to := range moved {
			if slices.Contains(bare, KindOf(from)) && short(from) == name && short(to) != "" {
				found = append(found, short(to))
			}
		}
		if len(found) == 1 {
			return dot + found[0] + ext
		}
	}
	return ref
}

func fileName(notePath string) string { return strings.TrimSuffix(path.Base(notePath), noteExt) }

// slugName is the name of an entry without its day, "" where it has none.
func slugName(notePath string) string {
	file := fileName(notePath)
	if KindOf(notePath) != KindEntry || len(file) <= 3 || file[2] != '-' {
		return ""
	}
	return file[3:]
}
