package merge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"

	"github.com/google/uuid"
)

// Result is what a merge says. A backend makes a revision of it: everything is a
// function of the histories.
type Result struct {
	// Parents are the heads, in the order in which the revision names them.
	Parents []string
	State   bundle.State
	// Notes are those that somebody changed in the part of history that was
	// looked at, sorted by path. All others are as they were at Floor, which is ""
	// where there is none.
	Notes []Note
	Floor string
	// Meta is of the event: its id comes from the parents, its time is that of
	// the newest event below.
	Meta bundle.EventMeta
	// SetAside is what does not stand and nobody has settled, a list of Aside for
	// the event; nil for nothing.
	SetAside json.RawMessage
}

// Note is a note after a merge: the one of a revision, or one that was united.
type Note struct {
	Path     string
	From     string // the revision that wrote it, "" where Data holds it
	FromPath string // what it is called there
	Data     []byte
	// Side is a parent that has the same bytes at the same path, "" where none is
	// known.
	Side string
}

// Aside is one value that a merge set aside, as the event lists it.
type Aside struct {
	Field  string `json:"field"`          // "north", "compass", "item" or "note"
	ID     string `json:"id,omitempty"`   // of the item, or the path of the note
	Event  string `json:"event"`          // whose word it was
	Settle string `json:"item,omitempty"` // the open item that keeps it
}

// String says in one line what was set aside, and which item keeps it.
func (a Aside) String() string {
	what := a.Field
	if a.ID != "" {
		what += " " + a.ID
	}
	line := "set aside: " + what + " of event " + a.Event
	if a.Settle != "" {
		line += ", kept as " + a.Settle
	}
	return line
}

// Asides lists what the event of a merge says was set aside.
func Asides(e bundle.Event) []Aside {
	var list []Aside
	if len(e.SetAside) == 0 || json.Unmarshal(e.SetAside, &list) != nil {
		return nil
	}
	return list
}

// ErrNoCause says that there is nothing to merge: one head is below another, or
// all of them hold the same revisions.
var ErrNoCause = errors.New("nothing to merge")

// Merge makes one content of the histories of two or more heads.
func Merge(ctx context.Context, h History, heads []string) (*Result, error) {
	return merge(ctx, h, heads, false)
}

// merge is Merge; whole makes it look at the history down to its beginning, which
// changes nothing but the time that it takes.
func merge(ctx context.Context, h History, heads []string, whole bool) (*Result, error) {
	heads = slices.Compact(slices.Sorted(slices.Values(heads)))
	if len(heads) < 2 {
		return nil, errors.New("a merge needs two revisions")
	}
	p, err := look(ctx, h, heads, whole)
	if err != nil {
		return nil, err
	}
	if p.idle(heads) {
		return nil, ErrNoCause
	}
	res := &Result{Parents: heads, Meta: bundle.EventMeta{
		EventID:  eventID(heads),
		ReviewID: bundle.ReviewMerge,
		Time:     p.newest(heads),
		Reason:   p.reason(ctx, heads),
	}}
	res.Floor = p.floor
	asides, dropped := p.state(res)
	if err := p.notes(ctx, res, &asides); err != nil {
		return nil, err
	}
	if err := fit(p.graph, res, dropped); err != nil {
		return nil, err
	}
	if len(asides) > 0 {
		if res.SetAside, err = json.Marshal(asides); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// eventID is a UUID made from the heads: of the same merge it is the same
// everywhere.
func eventID(heads []string) string {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte(fmt.Sprintf("chatrail:merge:%d", Version)))
	return uuid.NewHash(sha256.New(), space, []byte(strings.Join(heads, " ")), 5).String()
}

// part is the part of history that a merge looks at, read.
type part struct {
	history History
	region  *region
	revs    map[string]*Revision // of the region, and its floor
	graph   *graph
	floor   string // "" where histories that began apart are joined
	failed  error  // of asking what a note's name means
}

// look reads as much of history as decides the merge: down to a revision that
// everything above has below it, and that carries nothing of which only its own
// history says whether it is still undecided.
func look(ctx context.Context, h History, heads []string, whole bool) (*part, error) {
	r, err := explore(ctx, h, heads)
	if err != nil {
		return nil, err
	}
	p := &part{history: h, region: r, revs: map[string]*Revision{}}
	touched := map[string]bool{}
	for {
		if err := p.load(ctx, touched); err != nil {
			return nil, err
		}
		if p.floor = r.floor(); p.floor == "" || !whole && !p.undecided(touched) {
			break
		}
		if err := r.deeper(ctx); err != nil {
			return nil, err
		}
	}
	if p.floor == "" {
		p.floor = r.beginning()
	}
	p.graph = newGraph(r, r.sorted(), p.revs)
	for _, n := range p.graph.nodes {
		if n.before == nil {
			n.before = beginning(&n.State)
		}
	}
	return p, nil
}

// load reads what the region has got since the last call, and notes which items
// that keep something set aside were touched there.
func (p *part) load(ctx context.Context, touched map[string]bool) error {
	var ids, fresh []string
	for id := range p.region.links {
		if p.revs[id] == nil {
			ids = append(ids, id)
			fresh = append(fresh, id)
		} else if id == p.floor {
			fresh = append(fresh, id)
		}
	}
	if floor := p.region.floor(); floor != "" && p.revs[floor] == nil {
		ids = append(ids, floor)
	}
	slices.Sort(ids)
	revs, err := p.history.Revisions(ctx, ids)
	if err != nil {
		return err
	}
	for i, rev := range revs {
		p.revs[ids[i]] = rev
	}
	for _, id := range fresh {
		rev := p.revs[id]
		if len(rev.Parents) > 1 {
			continue
		}
		var before bundle.Rail
		if len(rev.Parents) == 1 {
			before = p.revs[rev.Parents[0]].State.Rail
		}
		settles(&before, &rev.State.Rail, touched)
	}
	return nil
}

// settles notes the items that keep something set aside in which two Rails
// differ.
func settles(before, after *bundle.Rail, touched map[string]bool) {
	old, now := map[string]value{}, map[string]value{}
	for _, side := range []struct {
		rail   *bundle.Rail
		values map[string]value
	}{{before, old}, {after, now}} {
		for _, p := range []place{onNext, onRoute, inOpen, inParked} {
			for _, item := range listOf(side.rail, p) {
				if strings.HasPrefix(item.ID, settlePrefix) && isSettle(item.ID) {
					side.values[item.ID] = value{p, item.Summary}
				}
			}
		}
	}
	for id, v := range old {
		if now[id] != v {
			touched[id] = true
		}
	}
	for id, v := range now {
		if old[id] != v {
			touched[id] = true
		}
	}
}

// undecided tells whether the floor carries something set aside that nobody
// above it touched: whether it still is comes out further down.
func (p *part) undecided(touched map[string]bool) bool {
	rail := &p.revs[p.floor].State.Rail
	for _, at := range []place{onNext, onRoute, inOpen, inParked} {
		for _, item := range listOf(rail, at) {
			if strings.HasPrefix(item.ID, settlePrefix) && isSettle(item.ID) && !touched[item.ID] {
				return true
			}
		}
	}
	return false
}

// beginning is what the first revision of a history that is joined with another
// one changes: the state of a new bundle. One that says nothing yet changes
// nothing.
func beginning(s *bundle.State) *bundle.State {
	nothing := blank()
	if s.IsDefault() || s.Equal(nothing) {
		return s
	}
	return &nothing
}

// blank is the state of a new bundle by version 1 of the rule. It stays, whatever
// a new bundle says one day.
func blank() bundle.State {
	return bundle.State{
		Compass: bundle.Compass{
			Bearings: bundle.Bearings{
				North: "Brings Rail North closer.",
				East:  "Worth doing, but Rail North has to wait for it.",
				South: "Leads away from Rail North, or only looks like progress.",
				West:  "Costs much and pays back little.",
			},
			Heading:    bundle.Heading{X: 0, Y: 100, Context: "Nothing has been done yet."},
			Drift:      "None so far.",
			ReturnPath: "Not named yet: agree on North, then choose the first move.",
		},
		Rail: bundle.Rail{North: "Not named yet: what should be true when this work is done?"},
	}
}

// newest is the time of the newest event at or below the heads.
func (p *part) newest(heads []string) time.Time {
	var t time.Time
	for _, id := range heads {
		if rev := p.revs[id]; rev.Time.After(t) {
			t = rev.Time
		}
	}
	return t
}

// idle tells whether a merge of the heads would have no cause.
func (p *part) idle(heads []string) bool {
	same := true
	for _, id := range heads {
		for _, other := range heads {
			if id != other && p.region.under(other)[id] {
				return true
			}
		}
		same = same && slices.Equal(p.graph.seen[id], p.graph.seen[heads[0]])
	}
	return same
}

// reason says how much comes together.
func (p *part) reason(_ context.Context, heads []string) string {
	var counts []int
	for i, id := range heads {
		var others []int
		for j, other := range heads {
			if j != i {
				others = join(others, p.graph.seen[other])
			}
		}
		n := 0
		for _, node := range p.graph.nodes {
			if saw(p.graph.seen[id], node) && !saw(others, node) {
				n++
			}
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return "Merge " + strings.ReplaceAll(strings.Trim(fmt.Sprint(counts), "[]"), " ", " and ") + " revisions"
}

// state decides the two live truths, and says what does not stand.
func (p *part) state(res *Result) (asides []Aside, dropped []decided) {
	g := p.graph
	var floor *bundle.State
	base := blank()
	if p.floor != "" {
		floor = &p.revs[p.floor].State
		base = *floor
	}
	road := newRoad(g, floor)
	all := road.asides
	north := register(g, func(s *bundle.State) string { return s.Rail.North }, base.Rail.North, func(v string, nodes []int) {
		all = append(all, aside{field: "north", nodes: nodes, text: g.northWords(v, nodes[0])})
	})
	bearings := base.Compass.Bearings
	base.Compass = register(g, func(s *bundle.State) bundle.Compass {
		c := s.Compass
		c.Bearings = bundle.Bearings{}
		return c
	}, base.Compass, func(v bundle.Compass, nodes []int) {
		all = append(all, aside{field: "compass", nodes: nodes, text: g.compassWords(v, nodes[0])})
	})
	base.Compass.Bearings = register(g, func(s *bundle.State) bundle.Bearings { return s.Compass.Bearings }, bearings, func(bundle.Bearings, []int) {})
	if base.Compass.Validate() != nil { // two halves that do not fit into one file
		base.Compass.Bearings = blank().Compass.Bearings
	}
	all, fresh := road.derive(all)
	base.Rail = road.rail(north, fresh)
	res.State = base
	for _, a := range all {
		for _, n := range a.nodes {
			one := Aside{Field: a.field, Event: g.nodes[n].EventID, Settle: a.settle}
			if a.item {
				one.Field, one.ID = "item", a.field
			}
			asides = append(asides, one)
		}
	}
	return asides, road.dropped
}

// register decides one field: the latest of the nodes that changed it and that
// no other such node has below it. What those beside it said is handed to lost.
func register[T comparable](g *graph, of func(*bundle.State) T, base T, lost func(T, []int)) T {
	var changed []int
	for i, n := range g.nodes {
		if of(n.before) != of(&n.State) {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 {
		return base
	}
	top := g.maximal(changed)
	said := func(i int) T { return of(&g.nodes[i].State) }
	losers(top, said, func(v T, nodes []int) struct{} { lost(v, nodes); return struct{}{} })
	return said(top[len(top)-1])
}
