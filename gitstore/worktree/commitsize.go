package worktree

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatrail/refs"
)

// Size is how much a commit changes: against its parent, the first one of a
// merge, and against nothing where it has none.
type Size struct {
	ID      string // of the commit, hex, in full
	Files   int    // a rename is two, a submodule that moved and a binary file are one
	Added   int    // lines; a binary file has none
	Deleted int
}

// Sizes finds the commits that names mean, as git reads the names of revisions,
// and measures them: one size for each name, in the order of the names. It
// starts two git processes, whatever the number of names, and asks no server
// for what a partial clone lacks.
func Sizes(ctx context.Context, repo *refs.Repo, commits ...string) ([]Size, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	ids, err := commitIDs(ctx, repo, commits)
	if err != nil {
		return nil, err
	}
	measured, err := measure(ctx, repo, ids)
	if err != nil {
		return nil, err
	}
	sizes := make([]Size, len(ids))
	for i, id := range ids {
		size, ok := measured[id]
		if !ok {
			return nil, fmt.Errorf("git log says nothing of commit %s", id)
		}
		sizes[i] = *size
	}
	return sizes, nil
}

// commitIDs resolves names of revisions.
func commitIDs(ctx context.Context, repo *refs.Repo, names []string) ([]string, error) {
	asked := make([]string, len(names))
	for i, name := range names {
		if name == "" || strings.ContainsAny(name, "\n\x00") {
			return nil, noCommit(name)
		}
		asked[i] = name
		if !strings.HasPrefix(name, ":/") { // ":/text" is a commit, and all behind it is the text
			asked[i] += "^{commit}"
		}
	}
	out, err := output(repo.Git(ctx, "-c", "protocol.allow=never", "cat-file", "--batch-check=%(objectname)"), asked)
	if err != nil {
		return nil, err
	}
	answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(answers) != len(names) {
		return nil, fmt.Errorf("git cat-file answered %d times when asked for %d commits", len(answers), len(names))
	}
	for i, answer := range answers {
		if !isID(answer) {
			return nil, noCommit(names[i])
		}
	}
	return answers, nil
}

func noCommit(name string) error {
	return fmt.Errorf("%q names no single commit: give a commit's id, as git log shows it, or a branch or tag", harmless(name))
}

// measure reads the sizes of commits. Every setting of a user that changes what
// git log prints is overruled, so that a commit has one size.
func measure(ctx context.Context, repo *refs.Repo, ids []string) (map[string]*Size, error) {
	asked := slices.Compact(slices.Sorted(slices.Values(ids)))
	// log.diffMerges is what newer versions read -m by; older ones go by
	// --first-parent.
	out, err := output(repo.Git(ctx, "-c", "protocol.allow=never", "-c", "log.diffMerges=first-parent",
		"log", "--stdin", "--no-walk=unsorted", "-m", "--first-parent", "--root",
		"--format=commit %H", "--numstat", "-z", "--no-renames", "--diff-algorithm=myers", "-O/dev/null",
		"--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-color", "--no-show-signature"), asked)
	if err != nil {
		return nil, err
	}
	return parseSizes(out)
}

// parseSizes reads records that end with a NUL: "commit <id>", each followed by
// the numbers of its files, the first of them behind a line break.
func parseSizes(out string) (map[string]*Size, error) {
	measured := map[string]*Size{}
	var size *Size
	for out != "" {
		record, rest, ended := strings.Cut(out, "\x00")
		out = rest
		if id, ok := strings.CutPrefix(record, "commit "); ok && ended && isID(id) {
			size = &Size{ID: id}
			measured[id] = size
			continue
		}
		added, deleted, ok := parseNumbers(strings.TrimPrefix(record, "\n"))
		if !ok || !ended || size == nil {
			return nil, fmt.Errorf("git log wrote a record that is not understood: %.80q", record)
		}
		size.Files++
		size.Added += added
		size.Deleted += deleted
	}
	return measured, nil
}

// parseNumbers reads "<added>\t<deleted>\t<path>", with "-" for the lines of a
// binary file.
func parseNumbers(record string) (added, deleted int, ok bool) {
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) != 3 || parts[2] == "" {
		return 0, 0, false
	}
	if parts[0] == "-" && parts[1] == "-" {
		return 0, 0, true
	}
	a, errA := strconv.ParseUint(parts[0], 10, 31)
	d, errD := strconv.ParseUint(parts[1], 10, 31)
	return int(a), int(d), errA == nil && errD == nil
}
