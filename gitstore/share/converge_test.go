package share_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"chatrail/bundle/merge"
	"chatrail/bundle/merge/mergetest"
	"chatrail/gitstore"
	"chatrail/gitstore/share"

	"pgregory.net/rapid"
)

// machine is a replica in memory.
type machine struct {
	w   *mergetest.World
	tip string
	// killed ends the next sync where it would move the reference.
	killed bool
	busy   func() // writes before each move
}

var errKilled = errors.New("killed")

func (m *machine) Present() (string, error) { return m.tip, nil }

func (m *machine) Inspect(context.Context, string, string) (bool, error) { return false, nil }

func (m *machine) Relate(ctx context.Context, a, b string) (merge.Relation, error) {
	return merge.Relate(ctx, m.w, a, b)
}

func (m *machine) Merge(_ context.Context, a, b string) (string, error) {
	return m.w.MustMerge(a, b), nil
}

func (m *machine) Move(_ context.Context, from, to, _ string) error {
	if m.killed {
		m.killed = false
		return errKilled
	}
	if m.busy != nil {
		m.busy()
	}
	if m.tip != from {
		return gitstore.ErrMoved
	}
	m.tip = to
	return nil
}

func (m *machine) MoveOn(ctx context.Context, _ string, next func(context.Context, string) (string, error)) error {
	to, err := next(ctx, m.tip)
	if err == nil {
		m.tip = to
	}
	return err
}

// remote is what one machine sees of a place where others push too.
type remote struct {
	w      *mergetest.World
	tip    *string
	before func() // runs before each push: somebody is first
	others []string
}

func (r *remote) Elsewhere(context.Context) ([]string, error) { return r.others, nil }

func (r *remote) Tip(context.Context) (string, error) { return *r.tip, nil }

func (r *remote) Push(_ context.Context, tip string) error {
	if r.before != nil {
		r.before()
	}
	if *r.tip != "" && !r.w.Below(tip)[*r.tip] {
		return share.ErrBehind
	}
	*r.tip = tip
	return nil
}

var both = share.Options{Take: true, Send: true, Person: true}

func TestMachinesConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		s, root := mergetest.Begin(t)
		machines := make([]*machine, rapid.IntRange(2, 6).Draw(t, "machines"))
		for i := range machines {
			machines[i] = &machine{w: s.W, tip: root}
		}
		hub := ""
		some := rapid.IntRange(0, len(machines)-1)
		for range rapid.IntRange(2, 24).Draw(t, "steps") {
			m, other := machines[some.Draw(t, "machine")], machines[some.Draw(t, "other")]
			switch n := rapid.IntRange(0, 11).Draw(t, "what"); {
			case n < 6:
				m.tip = s.Edit(m.tip)
			case n < 8: // in pairs
				if m != other {
					meet(t, m, &remote{w: s.W, tip: &other.tip}, nil)
				}
			case n == 8: // killed between the push and the move
				m.killed = true
				meet(t, m, &remote{w: s.W, tip: &hub}, errKilled)
				m.killed = false
			case n == 9: // another one is first
				first := true
				meet(t, m, &remote{w: s.W, tip: &hub, before: func() {
					if first && m != other {
						first = false
						other.tip = s.Edit(other.tip)
						meet(t, other, &remote{w: s.W, tip: &hub}, nil)
					}
				}}, nil)
			case n == 10: // somebody writes here meanwhile
				first := true
				meet(t, m, &remote{w: s.W, tip: &hub, before: func() {
					if first {
						first = false
						m.tip = s.Edit(m.tip)
					}
				}}, nil)
			default:
				meet(t, m, &remote{w: s.W, tip: &hub}, nil)
			}
		}
		for _, m := range machines {
			meet(t, m, &remote{w: s.W, tip: &hub}, nil)
		}
		made := s.W.Merges
		for _, m := range machines {
			out, err := share.Sync(ctx, m, &remote{w: s.W, tip: &hub}, both)
			if err != nil || out.State != share.Even && out.State != share.Taken {
				t.Fatalf("last round: %+v, %v", out, err)
			}
			if m.tip != hub {
				t.Fatalf("a machine is at %s, the hub at %s", m.tip, hub)
			}
		}
		if s.W.Merges != made {
			t.Fatal("a merge without a cause")
		}
		if err := s.Left(hub); err != nil {
			t.Fatal(err)
		}
	})
}

func meet(t *rapid.T, m *machine, r *remote, allowed error) {
	if _, err := share.Sync(context.Background(), m, r, both); err != nil && !errors.Is(err, allowed) {
		t.Fatal(err)
	}
}

// Somebody writes here faster than the remote answers, for as long as it takes.
func TestBusyWriterKeepsNoSyncFromEnding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, root := mergetest.Begin(t)
		m, other := &machine{w: s.W, tip: root}, s.Edit(root)
		m.tip = s.Edit(root)
		hub := other
		written := 0
		m.busy = func() {
			m.tip = s.Edit(m.tip)
			written++
		}
		r := &remote{w: s.W, tip: &hub, before: m.busy}
		out, err := share.Sync(context.Background(), m, r, both)
		if err != nil || out.State != share.Merged || out.Theirs != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		if written > 8 || !s.W.Below(m.tip)[hub] {
			t.Fatalf("after %d more revisions here the hub is at %s", written, hub)
		}
		m.busy = nil
		meet(t, m, &remote{w: s.W, tip: &hub}, nil)
		if err := s.Left(hub); err != nil || m.tip != hub {
			t.Fatal(err)
		}
	})
}

// Two hubs may hold the same revisions under different merges, of which neither
// can take the other's. Nothing is made of it and nothing moves, until somebody
// writes.
func TestSeveralRemotesConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, root := mergetest.Begin(t)
		machines := make([]*machine, rapid.IntRange(1, 4).Draw(t, "machines"))
		for i := range machines {
			machines[i] = &machine{w: s.W, tip: root}
		}
		hubs := make([]string, rapid.IntRange(2, 3).Draw(t, "hubs"))
		seen := make([][]string, len(machines)) // by machine, of each hub
		for i := range seen {
			seen[i] = make([]string, len(hubs))
		}
		with := func(m, h int) {
			var others []string
			for i, tip := range seen[m] {
				if i != h && tip != "" {
					others = append(others, tip)
				}
			}
			meet(t, machines[m], &remote{w: s.W, tip: &hubs[h], others: others}, nil)
			seen[m][h] = hubs[h]
		}
		one, hub := rapid.IntRange(0, len(machines)-1), rapid.IntRange(0, len(hubs)-1)
		for range rapid.IntRange(2, 24).Draw(t, "steps") {
			m := one.Draw(t, "machine")
			if rapid.Bool().Draw(t, "write") {
				machines[m].tip = s.Edit(machines[m].tip)
			} else {
				with(m, hub.Draw(t, "hub"))
			}
		}
		round := func() string {
			for m := range machines {
				for h := range hubs {
					with(m, h)
				}
			}
			state := fmt.Sprint(hubs)
			for _, m := range machines {
				state += m.tip
			}
			return state
		}
		quiet := func() string {
			want := ""
			for n := 0; ; n++ {
				made, now := s.W.Merges, round()
				if now == want && s.W.Merges == made {
					return want
				}
				if want = now; n > 3 {
					t.Fatalf("after %d rounds something still moves: %s", n, want)
				}
			}
		}
		quiet()
		for _, tip := range slices.Concat(hubs, tips(machines)) {
			if s.W.Content(tip) != s.W.Content(hubs[0]) {
				t.Fatal("two contents")
			}
		}
		last := machines[one.Draw(t, "last")]
		last.tip = s.Edit(last.tip)
		quiet()
		for i, tip := range slices.Concat(hubs, tips(machines)) {
			if tip != hubs[0] {
				t.Fatalf("%d is at %s, the first hub at %s", i, tip, hubs[0])
			}
		}
		if err := s.Left(hubs[0]); err != nil {
			t.Fatal(err)
		}
	})
}

func tips(machines []*machine) (all []string) {
	for _, m := range machines {
		all = append(all, m.tip)
	}
	return all
}
