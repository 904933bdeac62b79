package chronicle

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"chatrail/bundle"
)

// Where notes live in a bundle.
const (
	entriesDir = "entries/"
	tasksDir   = "tasks/"
	noteExt    = ".md"
)

// maxSlug bounds a slug, a numeric suffix included.
const maxSlug = 60

// Kind tells entries from work items.
type Kind string

// The two kinds of notes.
const (
	KindEntry    Kind = "entry"
	KindWorkItem Kind = "task"
)

// KindOf tells the kind of a note by its path, "" for a path of another kind.
func KindOf(path string) Kind {
	switch {
	case !strings.HasSuffix(path, noteExt):
		return ""
	case strings.HasPrefix(path, entriesDir):
		return KindEntry
	case strings.HasPrefix(path, tasksDir):
		return KindWorkItem
	}
	return ""
}

// Slug makes a name for a file of a title: lower-case ASCII letters, digits and
// single hyphens, 1 to 60 of them, and never a name that Windows keeps for a
// device. A title without a letter that ASCII could show is "note".
func Slug(title string) string {
	const enough = 1024 // bytes of a title that can matter
	if len(title) > enough {
		title = strings.ToValidUTF8(title[:enough], "")
	}
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1 // an accent that stands behind its letter
		}
		return r
	}, strings.ToLower(title))
	slug := bundle.Slug(bare, maxSlug)
	if slug == "" {
		return "note"
	}
	if isDevice(slug) {
		return slug + "-note"
	}
	return slug
}

// isDevice tells the names that Windows takes for a device, whatever extension
// they have.
func isDevice(name string) bool {
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, name) {
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && isDigit(name[3])
}

// EntryPath is the path of a new entry: below the day of the moment, in the zone
// that it carries, and different from all given paths.
func EntryPath(at time.Time, title string, paths []string) string {
	return unused(entriesDir+at.Format("2006/01/02-"), Slug(title), paths)
}

// WorkItemPath is the path of a new work item, different from all given paths.
func WorkItemPath(title string, paths []string) string {
	return unused(tasksDir, Slug(title), paths)
}

// unused adds a numeric suffix to a slug that is taken. Paths that differ in
// case alone are one file on many systems, so they count as the same.
func unused(prefix, slug string, paths []string) string {
	taken := make(map[string]bool)
	for _, p := range paths {
		if len(p) >= len(prefix) && strings.EqualFold(p[:len(prefix)], prefix) {
			taken[strings.ToLower(p)] = true
		}
	}
	path := prefix + slug + noteExt
	for n := 2; taken[path]; n++ {
		suffix := "-" + strconv.Itoa(n)
		path = prefix + strings.TrimRight(slug[:min(len(slug), maxSlug-len(suffix))], "-") + suffix + noteExt
	}
	return path
}
