package share_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/merge"
	"chatrail/bundle/merge/mergetest"
	"chatrail/gitstore"
	"chatrail/gitstore/share"
)

// TestATeamBecomesEven simulates a day of a team that shares one road, in
// memory and on a clock that is not the real one. Everybody is even after two
// rounds, and nothing is lost. It prints a line of a Markdown table for each
// team; CHATRAIL_TEAMS names larger ones:
//
//	CHATRAIL_TEAMS=10,100,1000 go test -run TestATeamBecomesEven -timeout 1h -v ./gitstore/share
func TestATeamBecomesEven(t *testing.T) {
	sizes := "4"
	if s := os.Getenv("CHATRAIL_TEAMS"); s != "" {
		sizes = s
	}
	fmt.Println("| people | sync | revisions | syncs | merges | per revision | pushes refused | syncs given up | rounds | set aside | to settle at the end | Rail, bytes |")
	fmt.Println("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for word := range strings.SplitSeq(sizes, ",") {
		size, daily, ok := strings.Cut(word, ":")
		if !ok {
			daily = "12"
		}
		people, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		revisions, err := strconv.Atoi(daily)
		if err != nil || revisions < 1 {
			t.Fatalf("%s: at least one revision a day", word)
		}
		for _, each := range []bool{true, false} {
			if !each && revisions <= sessions {
				continue // the same
			}
			synctest.Test(t, func(t *testing.T) { newTeam(people, revisions, each).day(t) })
		}
	}
}

// What a person does in a day, and what a sync costs.
const (
	workday  = 8 * time.Hour
	sessions = 3
	exchange = time.Second // a fetch, and a push: between the two others are first
)

// team is a number of people, each at a machine, and what they share.
type team struct {
	mu     sync.Mutex
	w      *mergetest.World
	hub    string
	people []*person
	daily  int  // revisions a person a day, spread over the sessions
	each   bool // sync after each revision, else at the end of a session

	written                         []string
	events, syncs, refused, givenUp int
	asides                          map[string]bool
}

// person is a replica, and a share.Store and Remote: the world is locked but
// while something travels.
type person struct {
	team *team
	name int
	tip  string
	rand *rand.Rand
}

func newTeam(people, daily int, each bool) *team {
	tm := &team{w: mergetest.New(), daily: daily, each: each, asides: map[string]bool{}}
	tm.w.Check = func(_ *mergetest.World, _ []string, res *merge.Result) {
		for _, i := range mergetest.Items(res.State.Rail) {
			if merge.IsSetAside(i) {
				tm.asides[i.ID] = true
			}
		}
	}
	first := bundle.DefaultState()
	first.Rail.North = "The importer streams"
	tm.hub = tm.w.Write("", tm.event(), time.Now(), first, nil)
	for i := range people {
		tm.people = append(tm.people, &person{team: tm, name: i, tip: tm.hub, rand: rand.New(rand.NewPCG(uint64(people), uint64(i)))})
	}
	return tm
}

func (tm *team) event() string {
	tm.events++
	return fmt.Sprintf("%08x-0000-4000-8000-%012d", uint32(tm.events*2654435761), tm.events)
}

// day is a day's work of all, the rounds until all are even, and what is left.
func (tm *team) day(t *testing.T) {
	var all sync.WaitGroup
	for _, p := range tm.people {
		all.Go(func() { p.day(t) })
	}
	all.Wait()
	syncs, rounds := tm.syncs, 0
	for even := false; !even; rounds++ {
		if rounds > 2 {
			t.Fatal("the team is not even after two rounds")
		}
		for _, p := range tm.people { // one after another
			p.sync(t)
		}
		even = !slices.ContainsFunc(tm.people, func(p *person) bool { return p.tip != tm.hub })
	}
	below := tm.w.Below(tm.hub)
	for _, id := range tm.written {
		if !below[id] {
			t.Fatalf("revision %.12s is lost", id)
		}
	}
	rail := tm.w.At(tm.hub).State.Rail
	settle := 0
	for _, i := range mergetest.Items(rail) {
		if merge.IsSetAside(i) {
			settle++
		}
	}
	merges := len(below) - len(tm.written) - 1
	how := "at the end of a session"
	if tm.each {
		how = "after each revision"
	}
	fmt.Printf("| %d | %s | %d | %d | %d | %.2f | %d | %d | %d | %d | %d | %d |\n", len(tm.people), how, len(tm.written), syncs, merges,
		float64(merges)/float64(len(tm.written)), tm.refused, tm.givenUp, rounds, len(tm.asides), settle, len(rail.JSON()))
}

// day is a person's: sessions at random times, revisions in them.
func (p *person) day(t *testing.T) {
	sessions := min(sessions, p.team.daily)
	for range sessions {
		time.Sleep(time.Duration(p.rand.Int64N(int64(workday) / int64(sessions) / 2)))
		for range p.team.daily / sessions {
			time.Sleep(time.Duration(p.rand.Int64N(int64(workday) / int64(p.team.daily))))
			p.write()
			if p.team.each {
				p.sync(t)
			}
		}
		if !p.team.each {
			p.sync(t)
		}
	}
}

func (p *person) sync(t *testing.T) {
	_, err := share.Sync(t.Context(), p, p, both)
	p.team.mu.Lock()
	defer p.team.mu.Unlock()
	p.team.syncs++
	switch {
	case errors.Is(err, share.ErrBehind):
		p.team.givenUp++
	case err != nil:
		t.Error(err)
	}
}

// write is a revision: mostly where the work stands, often a step of the road.
func (p *person) write() {
	tm := p.team
	tm.mu.Lock()
	defer tm.mu.Unlock()
	state := tm.w.At(p.tip).State
	rail := &state.Rail
	rail.Route, rail.Open, rail.Parked = slices.Clone(rail.Route), slices.Clone(rail.Open), slices.Clone(rail.Parked)
	item := bundle.Item{ID: fmt.Sprintf("step-%d-%d", p.name, tm.events), Summary: "A step of the road that somebody has found"}
	switch n := p.rand.IntN(100); {
	case n < 45:
		state.Compass.Heading.Context = fmt.Sprintf("Revision %d of %d: the reader streams", tm.events, p.name)
	case n < 65 && len(rail.Route) < 100:
		rail.Route = append(rail.Route, item)
	case n < 85 && len(rail.Route) > 0: // next is done, the head of the route follows
		next := rail.Route[0]
		rail.Route, rail.Next = rail.Route[1:], &next
	case n < 90 && len(rail.Open) < 100:
		rail.Open = append(rail.Open, item)
	case n < 93 && len(rail.Parked) < 100:
		rail.Parked = append(rail.Parked, item)
	case n < 94:
		rail.North = fmt.Sprint("The importer streams, as worded by ", p.name)
	default: // something is settled
		for _, i := range mergetest.Items(*rail) {
			if merge.IsSetAside(i) {
				mergetest.Take(rail, i.ID)
				break
			}
		}
		state.Compass.Drift = fmt.Sprint("Settled something, ", tm.events)
	}
	p.tip = tm.w.Write(p.tip, tm.event(), time.Now(), state, nil)
	tm.written = append(tm.written, p.tip)
}

func (p *person) Present() (string, error) { return p.tip, nil }

func (p *person) MoveOn(ctx context.Context, _ string, next func(context.Context, string) (string, error)) error {
	to, err := next(ctx, p.tip)
	if err == nil {
		p.tip = to
	}
	return err
}

func (p *person) Inspect(context.Context, string, string) (bool, error) { return false, nil }

func (p *person) Relate(ctx context.Context, a, b string) (merge.Relation, error) {
	p.team.mu.Lock()
	defer p.team.mu.Unlock()
	return merge.Relate(ctx, p.team.w, a, b)
}

func (p *person) Merge(_ context.Context, a, b string) (string, error) {
	p.team.mu.Lock()
	defer p.team.mu.Unlock()
	return p.team.w.MustMerge(a, b), nil
}

func (p *person) Move(_ context.Context, from, to, _ string) error {
	if p.tip != from {
		return gitstore.ErrMoved
	}
	p.tip = to
	return nil
}

func (p *person) Tip(context.Context) (string, error) {
	p.team.mu.Lock()
	tip := p.team.hub
	p.team.mu.Unlock()
	time.Sleep(exchange)
	return tip, nil
}

// Push takes its time before the hub decides.
func (p *person) Elsewhere(context.Context) ([]string, error) { return nil, nil }

func (p *person) Push(_ context.Context, tip string) error {
	time.Sleep(exchange)
	tm := p.team
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if !tm.w.Below(tip)[tm.hub] {
		tm.refused++
		return share.ErrBehind
	}
	tm.hub = tip
	return nil
}
