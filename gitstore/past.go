package gitstore

import (
	"bufio"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"chatrail/bundle"
	"chatrail/bundle/merge"
	"chatrail/gitstore/objects"
)

// past reads verified history for the rule of merging, much of it at a time. It
// remembers what it read, for the length of one merge. A state comes from the
// events that lead to it, which say what the live files say and are quicker read.
type past struct {
	*loader
	links map[string]objects.CommitData
	revs  map[string]*merge.Revision
	whole map[string]*stored // those that were read with all their files
	trees map[string][]objects.Entry
	store *Store
	tips  []string
	asked int // commits that were read one at a time
}

func (s *Store) past(l *loader, tips ...string) *past {
	return &past{loader: l, links: map[string]objects.CommitData{}, revs: map[string]*merge.Revision{},
		whole: map[string]*stored{}, trees: map[string][]objects.Entry{}, store: s, tips: tips}
}

// maxAhead bounds how much history is read before anybody asks for it.
const maxAhead = 20_000

// patience is how many commits are read one at a time before git is asked for all
// that only some of the tips have: most merges are of a few.
const patience = 40

// ahead reads those commits. It is a hint: what it does not read is read when it
// is asked for.
func (p *past) ahead(ctx context.Context) {
	tips := p.tips
	if len(tips) != 2 {
		return
	}
	listing, stop := context.WithCancel(ctx)
	defer stop()
	cmd := p.store.db.Git(listing, "rev-list", tips[0]+"..."+tips[1], "--")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	ids := slices.Clone(tips)
	for lines := bufio.NewScanner(out); lines.Scan() && len(ids) < maxAhead; {
		ids = append(ids, lines.Text())
	}
	stop() // of a longer list the rest is not wanted
	_ = cmd.Wait()
	for some := range slices.Chunk(ids, aheadChunk) {
		p.Ahead(ctx, some)
		for _, id := range some {
			if data, ok := p.Ready(id, objects.Commit); ok {
				if c, err := p.hash.DecodeCommit(data); err == nil {
					p.links[id] = c
				}
			}
		}
		p.Forget()
	}
}

// aheadChunk is how many revisions are read at once.
const aheadChunk = 500

func (p *past) link(ctx context.Context, id string) (objects.CommitData, error) {
	if c, ok := p.links[id]; ok {
		return c, nil
	}
	if p.asked++; p.asked == patience {
		p.ahead(ctx)
		if c, ok := p.links[id]; ok {
			return c, nil
		}
	}
	c, err := p.commit(ctx, id)
	if err == nil {
		p.links[id] = c
	}
	return c, err
}

func (p *past) Link(ctx context.Context, id string) (merge.Link, error) {
	c, err := p.link(ctx, id)
	if err != nil {
		return merge.Link{}, err
	}
	if len(c.Parents) > 1 && mergeMarkOf(c.Message) != knownMark {
		return merge.Link{}, unmade(id, c)
	}
	return merge.Link{Parents: c.Parents, When: c.Committer.When}, nil
}

func (p *past) Revisions(ctx context.Context, ids []string) ([]*merge.Revision, error) {
	events := map[string]bundle.Outcome{}
	unread := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return p.revs[id] != nil })
	for some := range slices.Chunk(unread, aheadChunk) {
		if err := p.events(ctx, some, events); err != nil {
			return nil, err
		}
	}
	revs := make([]*merge.Revision, 0, len(ids))
	for _, id := range ids {
		if err := p.follow(ctx, id, events); err != nil {
			return nil, err
		}
		revs = append(revs, p.revs[id])
	}
	return revs, nil
}

// readOutcome reads the event of a revision from its file. It reads nothing else:
// many are read side by side.
func readOutcome(id string, data []byte) (bundle.Outcome, error) {
	line, err := eventLine(id, data)
	if err != nil {
		return bundle.Outcome{}, err
	}
	o, err := bundle.ParseOutcome(line)
	return o, unreadableEvent(id, err)
}

// events reads the events of revisions.
func (p *past) events(ctx context.Context, ids []string, events map[string]bundle.Outcome) error {
	defer p.Forget()
	var trees, blobs []string
	for _, id := range ids {
		c, err := p.link(ctx, id)
		if err != nil {
			return err
		}
		trees = append(trees, c.Tree)
	}
	p.Ahead(ctx, trees)
	revs := make([]*stored, len(ids))
	for i, id := range ids {
		r := &stored{id: id, commit: p.links[id]}
		var err error
		if r.tree, err = p.top(ctx, r); err != nil {
			return err
		}
		revs[i] = r
		blobs = append(blobs, r.tree[bundle.EventsFile].ID)
	}
	p.Ahead(ctx, blobs)
	files := make([][]byte, len(revs))
	for i, r := range revs {
		var err error
		if files[i], err = p.file(ctx, r, bundle.EventsFile); err != nil {
			return err
		}
	}
	read, errs := make([]bundle.Outcome, len(revs)), make([]error, len(revs))
	var all sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(revs))
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(revs); i += workers {
				read[i], errs[i] = readOutcome(revs[i].id, files[i])
			}
		})
	}
	all.Wait()
	for i, r := range revs {
		if errs[i] != nil {
			return errs[i]
		}
		events[r.id] = read[i]
	}
	return nil
}

// follow makes a revision and those below it whose events were read: the state
// before it and what the event made of it.
func (p *past) follow(ctx context.Context, id string, events map[string]bundle.Outcome) error {
	var line []string
	for p.revs[id] == nil {
		c := p.links[id]
		if _, read := events[id]; !read || len(c.Parents) == 0 {
			if err := p.load(ctx, id); err != nil {
				return err
			}
			break
		}
		line = append(line, id)
		id = c.Parents[0]
	}
	for _, id := range slices.Backward(line) {
		c, o := p.links[id], events[id]
		state := p.revs[c.Parents[0]].State
		if o.Compass != nil {
			state.Compass = *o.Compass
		}
		if o.Rail != nil {
			state.Rail = *o.Rail
		}
		if err := p.add(ctx, &stored{id: id, commit: c, state: state}, o); err != nil {
			return err
		}
	}
	return nil
}

// load reads a revision with all its files.
func (p *past) load(ctx context.Context, id string) error {
	r, err := p.revision(ctx, id)
	if err != nil {
		return err
	}
	p.links[id] = r.commit
	e := r.event
	return p.add(ctx, r, bundle.Outcome{EventID: e.EventID, Time: e.Time, Task: e.Task, Agent: e.Agent, Notes: e.Notes})
}

// add keeps a revision, whose event is o. Of r it looks at the commit and the state.
func (p *past) add(ctx context.Context, r *stored, o bundle.Outcome) error {
	wrote := make([]string, 0, len(o.Notes))
	for _, n := range o.Notes {
		wrote = append(wrote, n.Path)
	}
	if len(r.commit.Parents) < 2 && carriesImport(r) {
		var err error
		if wrote, err = p.imported(ctx, r.id); err != nil {
			return err
		}
	}
	p.revs[r.id] = &merge.Revision{
		ID: r.id, Parents: r.commit.Parents, EventID: o.EventID, Time: o.Time,
		Task: o.Task, Agent: o.Agent, State: r.state, Wrote: wrote,
	}
	return nil
}

// imported are the notes that came with a revision out of a directory, whose
// event does not name them.
func (p *past) imported(ctx context.Context, id string) ([]string, error) {
	r, err := p.revision(ctx, id)
	if err != nil {
		return nil, err
	}
	var parent *stored
	if len(r.commit.Parents) > 0 {
		if parent, err = p.revision(ctx, r.commit.Parents[0]); err != nil {
			return nil, err
		}
	}
	changes, err := p.noteChanges(ctx, r, parent)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.path)
	}
	return paths, nil
}

// revision reads a revision whole.
func (p *past) revision(ctx context.Context, id string) (*stored, error) {
	if r, ok := p.whole[id]; ok {
		return r, nil
	}
	r, err := p.loader.load(ctx, id)
	if err != nil {
		return nil, err
	}
	p.whole[id] = r
	return r, nil
}

func (p *past) Note(ctx context.Context, id, path string) ([]byte, error) {
	blob, err := p.noteID(ctx, id, path)
	if err != nil {
		return nil, err
	}
	data, err := p.Get(ctx, blob, objects.Blob)
	return data, broken(err, "revision %s has a note that cannot be read", short(id))
}

func (p *past) HasNote(ctx context.Context, id, path string) (bool, error) {
	_, err := p.noteID(ctx, id, path)
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// noteID is the id of the blob of a note, bundle.ErrNotFound where there is none.
func (p *past) noteID(ctx context.Context, id, path string) (string, error) {
	r, err := p.revision(ctx, id)
	if err != nil {
		return "", err
	}
	name, rest, _ := strings.Cut(path, "/")
	entry, ok := r.tree[name]
	for ok && entry.Mode == objects.ModeDir && rest != "" {
		entries, err := p.entries(ctx, r, entry.ID)
		if err != nil {
			return "", err
		}
		name, rest, _ = strings.Cut(rest, "/")
		i := slices.IndexFunc(entries, func(e objects.Entry) bool { return e.Name == name })
		if ok = i >= 0; ok {
			entry = entries[i]
		}
	}
	if !ok || rest != "" || entry.Mode != objects.ModeFile {
		return "", bundle.ErrNotFound
	}
	return entry.ID, nil
}

func (p *past) entries(ctx context.Context, r *stored, id string) ([]objects.Entry, error) {
	if entries, ok := p.trees[id]; ok {
		return entries, nil
	}
	entries, err := p.tree(ctx, id)
	if err != nil {
		return nil, broken(err, "revision %s has a tree that cannot be read", short(r.id))
	}
	p.trees[id] = entries
	return entries, nil
}
