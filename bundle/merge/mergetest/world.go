// Package mergetest holds histories in memory, for tests of what merges and
// syncs do to them.
package mergetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/merge"
)

// World is every revision that any replica ever made. It is for one goroutine.
type World struct {
	revs map[string]*Revision
	// Merges counts the merges that were made.
	Merges int
	// Check is called for every merge, nil for no call.
	Check func(w *World, heads []string, res *merge.Result)
	// Lenient lets two tips with the same revisions say two things.
	Lenient bool
}

// Revision is one revision with all its notes.
type Revision struct {
	merge.Revision
	Notes map[string]string
}

// New is a world without a revision.
func New() *World { return &World{revs: map[string]*Revision{}} }

// At is a revision, which has to stay as it is.
func (w *World) At(id string) *Revision { return w.revs[id] }

// Link is of merge.History, as are the three below.
func (w *World) Link(_ context.Context, id string) (merge.Link, error) {
	r := w.revs[id]
	return merge.Link{Parents: r.Parents, When: r.Time}, nil
}

// Revisions reads revisions.
func (w *World) Revisions(_ context.Context, ids []string) ([]*merge.Revision, error) {
	var list []*merge.Revision
	for _, id := range ids {
		list = append(list, &w.revs[id].Revision)
	}
	return list, nil
}

// Note reads a note.
func (w *World) Note(_ context.Context, id, path string) ([]byte, error) {
	if text, ok := w.revs[id].Notes[path]; ok {
		return []byte(text), nil
	}
	return nil, bundle.ErrNotFound
}

// HasNote tells whether there is one.
func (w *World) HasNote(_ context.Context, id, path string) (bool, error) {
	_, ok := w.revs[id].Notes[path]
	return ok, nil
}

// add keeps a revision. Its id is that of what it holds, as in git.
func (w *World) add(r Revision) string {
	data, err := json.Marshal([]any{r.Parents, r.EventID, r.Time, r.State.Compass.JSON(), r.State.Rail.JSON(), r.Notes})
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(data)
	r.ID = hex.EncodeToString(sum[:20])
	if w.revs[r.ID] == nil {
		w.revs[r.ID] = &r
	}
	return r.ID
}

// Write makes a revision that is no merge; parent "" begins a history.
func (w *World) Write(parent, event string, at time.Time, s bundle.State, notes map[string]string) string {
	r := Revision{Revision: merge.Revision{EventID: event, Time: at, State: s}, Notes: map[string]string{}}
	if parent != "" {
		r.Parents = []string{parent}
		maps.Copy(r.Notes, w.revs[parent].Notes)
	}
	for path, text := range notes {
		if old, ok := r.Notes[path]; !ok || old != text {
			r.Notes[path] = text
			r.Wrote = append(r.Wrote, path)
		}
	}
	slices.Sort(r.Wrote)
	return w.add(r)
}

// Merge makes the merge of two revisions, or takes the one that holds everything
// of the other. Two that hold the same have to say the same.
func (w *World) Merge(a, b string) string {
	belowA, belowB := w.Below(a), w.Below(b)
	switch {
	case belowA[b]:
		return a
	case belowB[a]:
		return b
	case maps.Equal(w.plain(belowA), w.plain(belowB)):
		if !w.Lenient && w.Content(a) != w.Content(b) {
			panic("the same revisions say two things:\n" + w.Content(a) + "\n" + w.Content(b))
		}
		return a
	}
	return w.MustMerge(a, b)
}

// plain are those of some revisions that are no merges.
func (w *World) plain(ids map[string]bool) map[string]bool {
	plain := maps.Clone(ids)
	maps.DeleteFunc(plain, func(id string, _ bool) bool { return len(w.revs[id].Parents) > 1 })
	return plain
}

// MustMerge makes the merge of two revisions in any case.
func (w *World) MustMerge(a, b string) string {
	res, err := merge.Merge(context.Background(), w, []string{a, b})
	if err != nil {
		panic(err)
	}
	for range 2 { // maps have no order, and a merge must not show it
		again, err := merge.Merge(context.Background(), w, []string{b, a})
		if err != nil || !reflect.DeepEqual(res, again) {
			panic(fmt.Sprintf("the same merge, another time: %+v, %+v, %v", res, again, err))
		}
	}
	w.Merges++
	if w.Check != nil {
		w.Check(w, []string{a, b}, res)
	}
	r := Revision{
		Revision: merge.Revision{Parents: res.Parents, EventID: res.Meta.EventID, Time: res.Meta.Time, State: res.State},
		Notes:    map[string]string{},
	}
	if res.Floor != "" {
		r.Notes = maps.Clone(w.revs[res.Floor].Notes)
	}
	for _, n := range res.Notes {
		if n.From != "" {
			n.Data = []byte(w.revs[n.From].Notes[n.FromPath])
			if n.Side != "" && w.revs[n.Side].Notes[n.Path] != string(n.Data) {
				panic("a side that has another note")
			}
		}
		r.Notes[n.Path] = string(n.Data)
	}
	return w.add(r)
}

// Below are the revisions at or below one.
func (w *World) Below(id string) map[string]bool {
	seen := map[string]bool{}
	for open := []string{id}; len(open) > 0; {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[id] {
			seen[id] = true
			open = append(open, w.revs[id].Parents...)
		}
	}
	return seen
}

// Content is what a revision says, without how it came to be.
func (w *World) Content(id string) string {
	r := w.revs[id]
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", r.State.Compass.JSON(), r.State.Rail.JSON())
	for _, path := range slices.Sorted(maps.Keys(r.Notes)) {
		fmt.Fprintf(&b, "%s %q\n", path, r.Notes[path])
	}
	return b.String()
}
