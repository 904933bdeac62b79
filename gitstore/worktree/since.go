package worktree

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatrail/refs"
)

// Since is a moment in the life of a work tree, to be kept and given to Commits
// later.
type Since struct {
	// Entry names the last entry that the reflog of HEAD had, emptyLog where it had
	// none. "" is not known.
	Entry string
	// Time stands in where the entry is not known, or gone from the log: what was
	// logged in a later second counts.
	Time time.Time
}

const emptyLog = "-"

// Now is the present moment of a work tree.
func Now(ctx context.Context, repo *refs.Repo) (Since, error) {
	now := Since{Entry: emptyLog, Time: time.Now()}
	_, err := eachEntry(ctx, repo, func(e entry) bool {
		now.Entry = e.name()
		return false
	})
	return now, err
}

// name tells an entry from others, for what any source of entries knows of it.
func (e entry) name() string {
	sum := fnv.New64a()
	io.WriteString(sum, e.message)
	return fmt.Sprintf("%s.%d.%016x", e.id, e.when.Unix(), sum.Sum64())
}

// logged are the entries of a log after a moment, oldest first.
type logged struct {
	entries []entry
	base    string // where HEAD stood at that moment, "" where that is not known
	whole   bool   // false where a bound or a broken line hides some
}

// after reads the log of HEAD back to a moment. An entry that is not found, as
// after "git reflog expire", leaves the time to decide.
func after(ctx context.Context, repo *refs.Repo, since Since) (logged, error) {
	var all []entry
	var found bool
	base := ""
	whole, err := eachEntry(ctx, repo, func(e entry) bool {
		if since.Entry != "" && e.name() == since.Entry {
			found, base = true, e.id
			return false
		}
		if since.Entry == "" && !e.when.After(since.Time) {
			base = e.id
			return false
		}
		all = append(all, e)
		return true
	})
	if err != nil {
		return logged{}, err
	}
	if !found && since.Entry != "" && since.Entry != emptyLog {
		older := slices.IndexFunc(all, func(e entry) bool { return !e.when.After(since.Time) })
		if older < 0 {
			// What took away that entry may have taken away later ones.
			whole = false
		} else {
			all, base = all[:older], all[older].id
		}
	}
	slices.Reverse(all)
	return logged{entries: all, base: base, whole: whole}, nil
}

// eachEntry calls fn for the entries of the log of this work tree's HEAD, the
// newest first, until it returns false. whole is false where a bound or a line
// that is none hides some.
func eachEntry(ctx context.Context, repo *refs.Repo, fn func(entry) bool) (whole bool, err error) {
	if repo.RefStorage != "files" {
		return entriesByGit(ctx, repo, fn)
	}
	broken := false
	whole, err = eachLine(filepath.Join(repo.GitDir, "logs", "HEAD"), func(line string) bool {
		e, ok := parseEntry(line, len(repo.ZeroID()))
		if !ok {
			broken = true
			return true
		}
		return fn(e)
	})
	return whole && !broken, err
}

// maxByGit is how many entries git is asked for.
const maxByGit = 20000

// entriesByGit asks git for the log where it is not kept in a file.
func entriesByGit(ctx context.Context, repo *refs.Repo, fn func(entry) bool) (whole bool, err error) {
	if head, err := repo.Head(); err != nil || head.Unborn {
		return true, err
	}
	cmd := repo.Git(ctx, "log", "--walk-reflogs", fmt.Sprintf("--max-count=%d", maxByGit), "--date=raw",
		"--no-show-signature", "--no-patch", "--format=%H %gd %gs", "HEAD", "--")
	out, err := output(cmd, nil)
	if err != nil {
		return false, err
	}
	count := 0
	for line := range strings.Lines(out) {
		e, ok := parseWalked(strings.TrimSuffix(line, "\n"))
		if !ok {
			return false, fmt.Errorf("git log wrote a line that is not understood: %.80q", line)
		}
		if count++; !fn(e) {
			return true, nil
		}
	}
	return count < maxByGit, nil
}

// parseWalked reads "<id> HEAD@{<seconds> <zone>} <message>".
func parseWalked(line string) (entry, bool) {
	id, rest, _ := strings.Cut(line, " HEAD@{")
	date, message, ok := strings.Cut(rest, "} ")
	if !ok || !isID(id) {
		return entry{}, false
	}
	seconds, zone, _ := strings.Cut(date, " ")
	when, ok := moment(seconds, zone)
	return entry{id: id, when: when, message: message}, ok
}
