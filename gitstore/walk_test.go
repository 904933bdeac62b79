package gitstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/gitstore/objects"
)

// drawHistory makes a history of commits with one to three parents, and clocks
// that go wrong. The last commit has all others below it.
func drawHistory(rt *rapid.T) (tip string, parents map[string][]string, found map[string]objects.Object) {
	parents, found = map[string][]string{}, map[string]objects.Object{}
	var ids, loose []string // loose: without a child yet
	hours := rapid.IntRange(0, 48)
	add := func(from []string) {
		id := objects.SHA1.Object(objects.Tree, nil).ID
		c := objects.CommitData{Tree: id, Parents: from, Message: fmt.Sprint(len(ids))}
		c.Committer.When = time.Unix(int64(hours.Draw(rt, "hour"))*3600, 0)
		o := objects.SHA1.Object(objects.Commit, c.Encode())
		ids, parents[o.ID], found[o.ID] = append(ids, o.ID), from, o
		var still []string
		for _, l := range loose {
			keep := true
			for _, p := range from {
				keep = keep && p != l
			}
			if keep {
				still = append(still, l)
			}
		}
		loose = append(still, o.ID)
	}
	add(nil)
	for range rapid.IntRange(0, 25).Draw(rt, "commits") {
		from := map[string]bool{}
		for range rapid.IntRange(0, 3).Draw(rt, "parents") {
			from[rapid.SampledFrom(ids[max(0, len(ids)-6):]).Draw(rt, "parent")] = true
		}
		var list []string
		for _, id := range ids {
			if from[id] {
				list = append(list, id)
			}
		}
		add(list)
	}
	if len(loose) > 1 {
		add(loose)
	}
	return ids[len(ids)-1], parents, found
}

func TestWalkVisitsEachRevisionOnceAndNoParentBeforeItsChild(t *testing.T) {
	db := objects.Open(repoAt(t, newRepo(t)))
	rapid.Check(t, func(rt *rapid.T) {
		tip, parents, found := drawHistory(rt)
		l := inMemory(db, found)
		defer l.Close()
		visited := map[string]bool{}
		err := l.descend(context.Background(), tip, func(id string, _ objects.CommitData) (bool, error) {
			if visited[id] {
				rt.Fatalf("%s comes twice", id)
			}
			for _, p := range parents[id] {
				if visited[p] {
					rt.Fatalf("%s comes after its parent %s", id, p)
				}
			}
			visited[id] = true
			return true, nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		if len(visited) != len(parents) {
			rt.Fatalf("%d commits visited, of %d", len(visited), len(parents))
		}
	})
}

func TestWalkPassesByACommitThatIsLost(t *testing.T) {
	db := objects.Open(repoAt(t, newRepo(t)))
	rapid.Check(t, func(rt *rapid.T) {
		tip, parents, found := drawHistory(rt)
		lost := ""
		for id := range parents {
			if id > lost && id != tip {
				lost = id
			}
		}
		delete(found, lost)
		l := inMemory(db, found)
		defer l.Close()
		visited := map[string]bool{}
		err := l.descend(context.Background(), tip, func(id string, _ objects.CommitData) (bool, error) {
			visited[id] = true
			return true, nil
		})
		if (asFrozen(err) != nil) != (lost != "") {
			rt.Fatalf("lost %q: %v", lost, err)
		}
		want := map[string]bool{}
		var reach func(string)
		reach = func(id string) {
			if id != lost && !want[id] {
				want[id] = true
				for _, p := range parents[id] {
					reach(p)
				}
			}
		}
		reach(tip)
		if len(visited) != len(want) {
			rt.Fatalf("%d commits visited, want %d", len(visited), len(want))
		}
	})
}

// inMemory is a loader that finds objects in a map, as if they came from a
// journal.
func inMemory(db *objects.DB, found map[string]objects.Object) *loader {
	return &loader{hash: db.Hash(), Reader: db.Reader(func(context.Context, *objects.Reader) map[string]objects.Object { return found })}
}
