package merge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"chatrail/bundle/merge"
	"chatrail/bundle/merge/mergetest"

	"pgregory.net/rapid"
)

// The promise of the whole package.
func TestContentDoesNotDependOnTheOrderInWhichHistoriesMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { meetInEveryOrder(t, mergetest.Begin) })
}

// Nor where ids hold anything that an id may hold.
func TestOddIdsDoNotMakeTheOrderMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { meetInEveryOrder(t, mergetest.BeginOdd) })
}

// Where somebody gave an item the id that a merge would give another one, the
// order can matter, as docs/merge.md says. The rest holds: what comes out is a
// road, holds everything below it, and comes out again.
func TestIdsOfMergesMadeByHandAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, root := mergetest.BeginForged(t)
		s.W.Check = func(w *mergetest.World, heads []string, res *merge.Result) {
			if err := res.State.Validate(); err != nil {
				t.Fatal(err)
			}
			slices.Reverse(heads)
			again, err := merge.Merge(context.Background(), w, heads)
			if err != nil || !reflect.DeepEqual(res, again) {
				t.Fatalf("made again: %v\n%+v\n%+v", err, res, again)
			}
		}
		replicas := wander(t, s, root)
		tip := replicas[0]
		for _, r := range replicas[1:] {
			tip = s.W.Merge(tip, r)
		}
		if err := s.Left(tip); err != nil {
			t.Fatal(err)
		}
	})
}

func meetInEveryOrder(t *rapid.T, begin func(*rapid.T) (*mergetest.Story, string)) {
	s, root := begin(t)
	s.W.Check = sameAsTheWhole(t)
	replicas := wander(t, s, root)
	// A revision that is no merge keeps what its parent had set aside, also where it
	// says the last word on it itself: only the next merge lets that go.
	want := map[bool]string{}
	for range 3 {
		order := rapid.Permutation(replicas).Draw(t, "order")
		tip := order[0]
		for _, r := range order[1:] {
			tip = s.W.Merge(tip, r)
		}
		if err := s.Left(tip); err != nil {
			t.Fatal(err)
		}
		got, merged := s.W.Content(tip), len(s.W.At(tip).Parents) > 1
		if want[merged] == "" {
			want[merged] = got
		}
		if got != want[merged] {
			t.Fatalf("two orders, two contents\n%s\n%s", want[merged], got)
		}
	}
}

// wander lets replicas write and meet in pairs.
func wander(t *rapid.T, s *mergetest.Story, root string) []string {
	replicas := make([]string, rapid.IntRange(2, 6).Draw(t, "replicas"))
	for i := range replicas {
		replicas[i] = root
	}
	any := rapid.IntRange(0, len(replicas)-1)
	for range rapid.IntRange(2, 20).Draw(t, "steps") {
		i := any.Draw(t, "replica")
		if rapid.IntRange(0, 9).Draw(t, "what") < 6 {
			replicas[i] = s.Edit(replicas[i])
		} else {
			replicas[i] = s.W.Merge(replicas[i], replicas[any.Draw(t, "with")])
		}
	}
	return replicas
}

// sameAsTheWhole compares each merge with one that looks at the whole histories.
func sameAsTheWhole(t *rapid.T) func(*mergetest.World, []string, *merge.Result) {
	said := func(res *merge.Result) string {
		var asides, roads []merge.Aside
		if res.SetAside != nil && json.Unmarshal(res.SetAside, &asides) != nil {
			t.Fatal("what was set aside cannot be read")
		}
		for _, a := range asides {
			if a.Field != "note" {
				roads = append(roads, a)
			}
		}
		return fmt.Sprintf("%s\n%s\n%+v %v", res.State.Compass.JSON(), res.State.Rail.JSON(), roads, res.Meta) // notes: see the contents
	}
	return func(w *mergetest.World, heads []string, res *merge.Result) {
		whole, err := merge.Whole(context.Background(), w, heads)
		if err != nil {
			t.Fatal(err)
		}
		whole.Meta = res.Meta // counts what it looked at
		if one, two := said(res), said(whole); one != two {
			t.Fatalf("down to the floor:\n%s\nthe whole history:\n%s", one, two)
		}
	}
}
