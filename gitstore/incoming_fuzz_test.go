package gitstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"testing"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

// FuzzInspectAndVerifyAgree changes bytes in the objects of a sound history,
// gives every object the id that it then has, and wants one verdict from both.
// A change is four bytes: which object, where in it (two), and what for.
func FuzzInspectAndVerifyAgree(f *testing.F) {
	y := newYard(f)
	side := y.on(y.revs[1], "side", bundle.Note{Path: "tasks/b.md", Data: []byte("b\n")}).made()
	merge := y.merged(y.tip, side)
	merge.folder(tasksDir, y.note("a.md", "a\n"), y.note("b.md", "b\n"))
	tip := y.on(merge.made(), "last", bundle.Note{Path: "tasks/b.md", Data: []byte("c\n")}).made()
	history := allObjects(f, y, tip)
	if report := verifiedAt(f, y.s, tip); !report.Valid || report.Events != 7 {
		f.Fatalf("%+v", *report)
	}
	for i := range history {
		f.Add([]byte{byte(i), 0, 5, 'x', byte(i), 0, 30, '0'})
	}
	f.Add([]byte{})
	home := y.s
	f.Fuzz(func(t *testing.T, changes []byte) {
		t.Setenv("PATH", "") // what is not in the history is nowhere: no git to ask
		found, tip := changed(history, changes)
		in := inspectorOf(home, found, tip)
		defer in.own.Close()
		defer in.loader.Close()
		_, err := in.verdict(t.Context())
		broken := asBroken(err)
		if err != nil && broken == nil {
			if _, newer := err.(*NewerMergeError); newer {
				return
			}
			t.Fatalf("inspect: %v", err)
		}
		if broken != nil {
			wantPlain(t, err)
		}
		l := inMemory(home.db, found)
		l.compass, l.rail = map[string]bundle.Compass{}, map[string]bundle.Rail{}
		defer l.Close()
		v := verifier{examiner: newExaminer(l), report: &bundle.Report{Valid: true}}
		if err := v.run(t.Context(), tip); err != nil {
			t.Fatalf("verify: %v", err)
		}
		if v.report.Valid != (broken == nil) {
			t.Errorf("inspect says %v, verify %+v", err, *v.report)
		}
		if len(changes) == 0 && broken != nil {
			t.Errorf("the sound history: %v", broken)
		}
	})
}

// allObjects are the objects of a history, each behind those that it names.
func allObjects(t testing.TB, y *yard, tip string) []objects.Object {
	t.Helper()
	l := y.s.loader()
	defer l.Close()
	var all []objects.Object
	seen := map[string]bool{}
	var add func(id string, kind objects.Kind)
	add = func(id string, kind objects.Kind) {
		if seen[id] {
			return
		}
		seen[id] = true
		data, err := l.Get(t.Context(), id, kind)
		if err != nil {
			t.Fatal(err)
		}
		switch kind {
		case objects.Commit:
			c, _ := l.hash.DecodeCommit(data)
			for _, p := range c.Parents {
				add(p, kind)
			}
			add(c.Tree, objects.Tree)
		case objects.Tree:
			entries, _ := l.hash.DecodeTree(data)
			for _, e := range entries {
				add(e.ID, map[string]objects.Kind{objects.ModeDir: objects.Tree, objects.ModeFile: objects.Blob}[e.Mode])
			}
		}
		all = append(all, objects.Object{ID: id, Kind: kind, Data: data})
	}
	add(tip, objects.Commit)
	return all
}

// changed applies changes to a history. Whatever names an object that became
// another one names that one. The last object is the tip.
func changed(history []objects.Object, changes []byte) (found map[string]objects.Object, tip string) {
	found = map[string]objects.Object{}
	type renamed struct{ old, now string }
	var names []renamed
	for i, o := range history {
		data := bytes.Clone(o.Data)
		for _, n := range names {
			data = bytes.ReplaceAll(data, []byte(n.old), []byte(n.now))
			data = bytes.ReplaceAll(data, raw(n.old), raw(n.now))
		}
		for c := range slices.Chunk(changes, 4) {
			if len(c) < 4 || int(c[0])%len(history) != i || len(data) == 0 {
				continue
			}
			switch at := (int(c[1])<<8 | int(c[2])) % len(data); c[1] >> 6 {
			case 0, 1:
				data[at] = c[3]
			case 2:
				data = slices.Insert(data, at, c[3])
			case 3:
				data = slices.Delete(data, at, min(at+1+int(c[3])%64, len(data)))
			}
		}
		now := objects.SHA1.Object(o.Kind, data)
		if now.ID != o.ID {
			names = append(names, renamed{o.ID, now.ID})
		}
		found[now.ID] = now
		tip = now.ID
	}
	return found, tip
}

func raw(id string) []byte {
	data, _ := hex.DecodeString(id)
	return data
}

// inspectorOf looks at objects in memory.
func inspectorOf(s *Store, found map[string]objects.Object, tip string) *inspector {
	l, own := inMemory(s.db, found), inMemory(s.db, found)
	for _, l := range []*loader{l, own} {
		l.compass, l.rail = map[string]bundle.Compass{}, map[string]bundle.Rail{}
	}
	in := &inspector{Inspection: Inspection{Tip: tip}, examiner: newExaminer(l), own: own}
	in.lister = func(ctx context.Context) (*listing, error) { return l.walkNew(ctx, own, tip, nil) }
	in.eventer = func(context.Context) error { return nil }
	return in
}
