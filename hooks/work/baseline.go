package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"chatrail/gitstore/worktree"
	"chatrail/hooks/task"
	"chatrail/refs"
)

// baseline is how a work tree was when a task began: what lay about then is not
// its work, and what was committed before are not its commits.
type baseline struct {
	Top   string    `json:"top"`             // of the work tree
	At    time.Time `json:"at"`              // when it was looked at
	Entry string    `json:"entry,omitempty"` // the last one in the log of HEAD, see worktree.Since
	// Paths are the changed paths with their content, both in short: a name can
	// hold what nobody wants stored.
	Paths map[string]string `json:"paths,omitempty"`
	// Partial says that there may have been more.
	Partial bool `json:"partial,omitempty"`
}

// Bounds of a baseline: the receipt that holds it is read at every event.
const (
	maxBaseline  = 300
	baselineTime = 700 * time.Millisecond
)

var baselineBounds = worktree.Bounds{Paths: maxBaseline, Bytes: 64 << 20}

// Baseline looks at the work tree that a folder lies in, at the beginning of a
// task. It returns nil where there is none.
func (d *Desk) Baseline(ctx context.Context, p task.Place, dir string) (json.RawMessage, error) {
	here := *d
	here.Dir = dir
	repo := here.repoOf(p, false)
	if repo == nil || repo.WorkTree == "" {
		return nil, nil
	}
	began := baseline{Top: repo.WorkTree, At: d.Now().UTC()}
	if now, err := worktree.Now(ctx, repo); err == nil {
		began.Entry = now.Entry
	}
	short, cancel := context.WithTimeout(ctx, d.part(baselineTime))
	defer cancel()
	listing, err := worktree.Changed(short, repo.WorkTree, worktree.Options{Limit: maxBaseline, Fallback: d.Fallback})
	if err != nil || listing.Refused != "" {
		began.Partial = true
		return json.Marshal(began)
	}
	contents, partial := worktree.Contents(short, repo.WorkTree, d.notOurs(repo, listing.Changed), baselineBounds)
	began.Partial = partial || listing.Partial
	if len(contents) > 0 {
		began.Paths = make(map[string]string, len(contents))
	}
	for path, content := range contents {
		began.Paths[inShort(path)] = inShort(content)
	}
	return json.Marshal(began)
}

// inShort tells a text from another.
func inShort(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// baseline is that of the caller's task. Of a task that has none it is the
// moment of its pin.
func (s *Scope) baseline() baseline {
	var began baseline
	if s.Receipt.Baseline != nil && json.Unmarshal(s.Receipt.Baseline, &began) == nil && !began.At.IsZero() {
		return began
	}
	began = baseline{Partial: true}
	if s.Receipt.Pin != nil {
		began.At = s.Receipt.Pin.Since
	}
	return began
}

// since is the moment from which commits count.
func (b baseline) since(repo *refs.Repo) worktree.Since {
	if b.Top != repo.WorkTree {
		return worktree.Since{Time: b.At}
	}
	return worktree.Since{Entry: b.Entry, Time: b.At}
}

// had tells whether a path lay changed as it is before the task began. Where that
// was not looked at, the file system tells when the path last changed; in doubt
// it is work of the task.
func (b baseline) had(repo *refs.Repo, c worktree.Change, content string) bool {
	if b.At.IsZero() {
		return false
	}
	if b.Top == repo.WorkTree {
		old, ok := b.Paths[inShort(c.Path)]
		switch {
		case ok && content != "":
			return old == inShort(content)
		case !ok && !b.Partial:
			return false
		}
	}
	path := pathOf(repo, c)
	at, ok := lastChange(path)
	if !ok { // removed: its folder changed then
		at, ok = lastChange(filepath.Dir(path))
	}
	return ok && at.Before(b.At.Add(-clockTick))
}

// pathOf is where a changed path lies.
func pathOf(repo *refs.Repo, c worktree.Change) string {
	return filepath.Join(repo.WorkTree, filepath.FromSlash(strings.TrimSuffix(c.Path, "/")))
}

// clockTick is how far the times of files lag behind the clock.
const clockTick = 20 * time.Millisecond
