package work

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/gitstore/worktree"
	"chatrail/refs"
)

// DoRewrite carries stamps over to what their commits became.
const DoRewrite Deed = "rewrite"

// Bounds of what git says of one rewrite.
const (
	maxPairs    = 100_000
	maxPairLine = 4 << 10
)

// parsePairs reads what git gives a post-rewrite hook: a line for each commit
// that was rewritten, "<old> <new>" and perhaps more words behind it. Several
// old ones may have become one.
func parsePairs(in io.Reader) (map[string]string, error) {
	moved := map[string]string{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxPairLine)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if len(words) < 2 || !isCommitID(words[0]) || !isCommitID(words[1]) {
			return nil, errors.New("a line of what was rewritten is not understood")
		}
		if moved[words[0]] = words[1]; len(moved) > maxPairs {
			return nil, errors.New("more commits were rewritten than can be followed")
		}
	}
	return moved, lines.Err()
}

// measureTime bounds how long the commits of all entries are measured; see part.
const measureTime = 800 * time.Millisecond

func isCommitID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// PostRewrite carries the stamps of commits that an amend or a rebase rewrote
// over to what they became, in every entry and as one revision. What the entries
// weigh is measured anew. how is what git calls the rewrite; in has the pairs.
func (d *Desk) PostRewrite(ctx context.Context, how string, in io.Reader) error {
	moved, err := parsePairs(in)
	if err != nil || len(moved) == 0 {
		return err
	}
	s, repo, err := d.commitScope(ctx)
	if err != nil {
		return err
	}
	if how == "amend" && worktree.InProgress(repo).Kind == worktree.Rebase {
		return nil // the end of the rebase tells of all of them, and an abort of none
	}
	n := d.deed(s, repo, DoRewrite)
	// The ids matter more than the sizes: measuring leaves time for the writing.
	soon, cancel := context.WithTimeout(ctx, d.part(measureTime))
	defer cancel()
	scale := &scale{ctx: soon, repo: repo, known: map[string]chronicle.Commit{}}
	return d.apply(ctx, s, n, func(present *bundle.Revision) (written, error) {
		w, err := d.restamp(ctx, s, present, moved, scale)
		switch how {
		case "amend":
			w.reason = "Carry stamps over an amend"
		case "rebase":
			w.reason = "Carry stamps over a rebase"
		default:
			w.reason = "Carry stamps over a rewrite"
		}
		return w, err
	})
}

// restamp is what a rewrite comes to on one revision.
func (d *Desk) restamp(ctx context.Context, s *Scope, present *bundle.Revision, moved map[string]string, scale *scale) (w written, err error) {
	x, err := d.index(ctx, s.Place, s.Store, present.ID)
	if err != nil {
		return w, err
	}
	short := map[string]bool{} // how the old ids begin, for stamps that somebody shortened
	for old := range moved {
		short[old[:leastID]] = true
	}
	stamped := map[string]bool{}
	for _, item := range x.Entries(chronicle.Filter{State: chronicle.PublishedState}) {
		stamped[item.Path] = item.Broken == "" && hasAny(item.Hashes, short)
	}
	var all []string
	err = s.Store.EachNote(ctx, present.ID, func(bundle.NoteRef) bool { return true }, func(ref bundle.NoteRef, before []byte) error {
		after := before
		if bytes.Contains(before, []byte(" covers=")) {
			after = chronicle.CarryCovers(before, moved)
		}
		if stamped[ref.Path] {
			if data, err := chronicle.Restamp(after, moved); err == nil {
				after = data // one that cannot be edited does not keep the others back
				all = append(all, chronicle.Read(after).Hashes...)
			}
		}
		if !bytes.Equal(before, after) {
			w.notes = append(w.notes, bundle.Note{Path: ref.Path, Data: after})
		}
		return nil
	})
	if err != nil {
		return w, err
	}
	scale.weigh(all)
	for i, note := range w.notes {
		if stat, ok := scale.stat(chronicle.Read(note.Data).Hashes); ok && stamped[note.Path] {
			if data, err := chronicle.SetStat(note.Data, stat); err == nil {
				w.notes[i].Data = data
			}
		}
	}
	return w, nil
}

// leastID is how many digits an abbreviated id has at least.
const leastID = 7

func hasAny(hashes []string, short map[string]bool) bool {
	for _, h := range hashes {
		if len(h) >= leastID && short[h[:leastID]] {
			return true
		}
	}
	return false
}

// scale weighs commits, each once.
type scale struct {
	ctx   context.Context
	repo  *refs.Repo
	known map[string]chronicle.Commit
}

// weigh measures commits together: most often all of them are there.
func (s *scale) weigh(names []string) {
	var ask []string
	for _, name := range names {
		if _, ok := s.known[name]; !ok {
			ask = append(ask, name)
		}
	}
	sizes, err := worktree.Sizes(s.ctx, s.repo, ask...)
	if err != nil {
		return
	}
	for i, name := range ask {
		s.known[name] = chronicle.Commit(sizes[i])
	}
}

// stat is the size of some commits, and false where one of them cannot be
// measured, since it is gone or was never here: then what is written stands.
func (s *scale) stat(hashes []string) (sum chronicle.Stat, ok bool) {
	s.weigh(hashes)
	for _, h := range hashes {
		c, ok := s.known[h]
		if !ok {
			return sum, false
		}
		sum.Files += c.Files
		sum.Added += c.Added
		sum.Deleted += c.Deleted
	}
	return sum, true
}
