package gitstore

import (
	"context"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// window is how many revisions are read ahead at a time: enough for git to be
// asked in bulk, few enough to hold.
const window = 100

// prefetchDepth is how far below the top level folders of notes are read ahead:
// year, month and the notes.
const prefetchDepth = 4

// prefetch reads ahead what load and check will want of revisions: commits,
// trees, files, and the notes in which they differ from their parents. It is a
// hint: what it leaves out is read when it is asked for, and only then does a
// fault in it count. It replaces what was read ahead before.
func (l *loader) prefetch(ctx context.Context, ids []string) {
	l.Forget()
	p := prefetcher{loader: l, revs: map[string]prefetched{}}
	l.Ahead(ctx, ids)
	var parents []string
	for _, id := range ids {
		parents = append(parents, p.parents(id)...)
	}
	l.Ahead(ctx, parents)
	p.trees(ctx, append(parents, ids...))
	var want []string
	var pairs []treePair
	for _, id := range ids {
		rev, ok := p.revs[id]
		if !ok {
			continue
		}
		want = append(want, p.files(rev)...)
		for _, parent := range rev.sides() {
			for _, dir := range []string{entriesDir, tasksDir} {
				pairs = append(pairs, treePair{p.revs[parent].tree[dir], rev.tree[dir]})
			}
		}
	}
	for range prefetchDepth {
		pairs = differing(pairs)
		for _, pair := range pairs {
			want = append(want, pair.old, pair.now)
		}
		l.Ahead(ctx, want)
		pairs, want = p.below(pairs)
	}
	l.Ahead(ctx, want)
}

// prefetcher is one prefetch. All that it knows comes from what was read ahead.
type prefetcher struct {
	*loader
	revs map[string]prefetched
}

type prefetched struct {
	parents []string
	tree    map[string]string // ids at the top level, by name
}

// sides are the parents that the notes are compared with, "" for none.
func (p prefetched) sides() []string {
	if len(p.parents) == 0 {
		return []string{""}
	}
	return p.parents
}

// treePair is what one path is in a parent and in a revision; "" is nothing.
type treePair struct{ old, now string }

func (p *prefetcher) commit(id string) (objects.CommitData, bool) {
	data, ok := p.Ready(id, objects.Commit)
	if !ok {
		return objects.CommitData{}, false
	}
	c, err := p.hash.DecodeCommit(data)
	return c, err == nil && len(c.Parents) <= maxParents
}

func (p *prefetcher) parents(id string) []string {
	c, _ := p.commit(id)
	return c.Parents[:min(len(c.Parents), maxParents)]
}

// trees reads the top levels of revisions.
func (p *prefetcher) trees(ctx context.Context, ids []string) {
	var trees []string
	for _, id := range ids {
		if c, ok := p.commit(id); ok {
			trees = append(trees, c.Tree)
		}
	}
	p.Ahead(ctx, trees)
	for _, id := range ids {
		c, ok := p.commit(id)
		if _, done := p.revs[id]; done || !ok {
			continue
		}
		rev := prefetched{parents: c.Parents, tree: map[string]string{}}
		for _, e := range p.entries(c.Tree, maxTop) {
			rev.tree[e.Name] = e.ID
		}
		p.revs[id] = rev
	}
}

// entries lists a tree that was read ahead and is not too large.
func (p *prefetcher) entries(id string, most int) []objects.Entry {
	data, ok := p.Ready(id, objects.Tree)
	if !ok {
		return nil
	}
	entries, err := p.hash.DecodeTree(data)
	if err != nil || len(entries) > most {
		return nil
	}
	return entries
}

// files are the blobs of a revision that are not known yet.
func (p *prefetcher) files(rev prefetched) []string {
	want := []string{rev.tree[bundle.EventsFile]}
	if id := rev.tree[bundle.CompassFile]; p.compass[id] == (bundle.Compass{}) {
		want = append(want, id)
	}
	if id := rev.tree[bundle.RailFile]; p.rail[id].North == "" {
		want = append(want, id)
	}
	return want
}

// Bounds of the entries that are read ahead, of one folder and of all folders
// of one depth: what is out of the ordinary is read one by one.
const (
	maxPrefetchNotes = 2_000
	maxPrefetch      = 10_000
)

// below are the entries in which folders differ that were read ahead: pairs of
// ids, which may be folders, and all that is new in them.
func (p *prefetcher) below(pairs []treePair) (inside []treePair, want []string) {
	for _, pair := range pairs {
		if len(inside)+len(want) > maxPrefetch {
			break
		}
		was := map[string]string{}
		for _, e := range p.entries(pair.old, maxPrefetchNotes) {
			was[e.Name] = e.ID
		}
		for _, e := range p.entries(pair.now, maxPrefetchNotes) {
			switch old := was[e.Name]; {
			case old == e.ID:
			case e.Mode == objects.ModeDir:
				inside = append(inside, treePair{old, e.ID})
			default:
				want = append(want, e.ID)
			}
		}
	}
	return inside, want
}

// differing are the pairs worth a look, each once.
func differing(pairs []treePair) []treePair {
	seen := map[treePair]bool{}
	var some []treePair
	for _, pair := range pairs {
		if pair.old != pair.now && !seen[pair] {
			seen[pair] = true
			some = append(some, pair)
		}
	}
	return some
}
