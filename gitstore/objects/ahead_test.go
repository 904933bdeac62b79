package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// packed makes a repository whose objects are all in a pack.
func packed(t testing.TB, objs ...Object) (string, *DB) {
	t.Helper()
	dir, db := bareRepo(t)
	if err := db.Write(t.Context(), objs); err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, o := range objs {
		list += o.ID + "\n"
	}
	git(t, dir, list, "pack-objects", "-q", "objects/pack/pack")
	git(t, dir, "", "prune-packed")
	return dir, db
}

func many(n, size int) (objs []Object, ids []string) {
	for i := range n {
		o := SHA1.Object(Blob, append(fmt.Append(nil, i), bytes.Repeat([]byte("x"), size)...))
		objs, ids = append(objs, o), append(ids, o.ID)
	}
	return objs, ids
}

func TestWhatWasReadAheadIsThereWithoutAnyGit(t *testing.T) {
	objs, ids := many(3000, 100) // more questions than a pipe holds
	loose := SHA1.Object(Blob, []byte("loose"))
	dir, db := packed(t, objs...)
	if err := db.Write(t.Context(), []Object{loose}); err != nil {
		t.Fatal(err)
	}
	gone := SHA1.Object(Blob, []byte("gone")).ID
	r := db.Reader(nil)
	defer r.Close()
	r.Ahead(t.Context(), append([]string{gone, loose.ID, "", "no id"}, append(ids, ids...)...))
	if err := os.RemoveAll(filepath.Join(dir, "objects")); err != nil {
		t.Fatal(err)
	}
	for _, o := range append(objs, loose) {
		if data, err := r.Get(t.Context(), o.ID, Blob); err != nil || !bytes.Equal(data, o.Data) {
			t.Fatalf("%s: %q, %v", o.ID, data, err)
		}
	}
	if _, err := r.Get(t.Context(), ids[0], Tree); !errors.Is(err, ErrBroken) {
		t.Errorf("as a tree: %v", err)
	}
	if _, ok := r.Ready(gone, Blob); ok {
		t.Error("what is missing is ready")
	}
	r.Forget()
	if _, ok := r.Ready(ids[0], Blob); ok {
		t.Error("ready after it was forgotten")
	}
}

func TestReadingAheadIsBounded(t *testing.T) {
	objs, ids := many(9, 4<<20)
	huge := SHA1.Object(Blob, bytes.Repeat([]byte("x"), MaxSize+1))
	_, db := packed(t, append(objs, huge)...)
	r := db.Reader(nil)
	defer r.Close()
	r.Ahead(t.Context(), ids)
	ready := 0
	for _, id := range ids {
		if _, ok := r.Ready(id, Blob); ok {
			ready++
		}
	}
	if ready == 0 || ready > aheadBytes/(4<<20) {
		t.Errorf("%d of %d are held", ready, len(ids))
	}
	for _, o := range objs {
		if _, err := r.Get(t.Context(), o.ID, Blob); err != nil {
			t.Errorf("%s: %v", o.ID, err)
		}
	}
	r.Forget()
	r.Ahead(t.Context(), []string{ids[0], huge.ID, ids[1]})
	if _, err := r.Get(t.Context(), huge.ID, Blob); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := r.Get(t.Context(), ids[1], Blob); err != nil {
		t.Errorf("behind one that is too large: %v", err)
	}
}

func TestReadingAheadIsBoundedInNumber(t *testing.T) {
	objs, ids := many(100, 0)
	_, db := packed(t, objs...)
	r := db.Reader(nil)
	defer r.Close()
	r.ahead = map[string]Object{}
	for i := range aheadObjects - 50 {
		r.ahead[fmt.Sprint(i)] = Object{}
	}
	r.Ahead(t.Context(), ids)
	if len(r.ahead) != aheadObjects {
		t.Errorf("%d objects are held", len(r.ahead))
	}
	if _, err := r.Get(t.Context(), ids[99], Blob); err != nil {
		t.Error(err)
	}
}

func TestReadingAheadAsksNobodyForADamagedFile(t *testing.T) {
	dir, db := bareRepo(t)
	o, other := SHA1.Object(Blob, []byte("hello")), SHA1.Object(Blob, []byte("other"))
	putLoose(t, dir, o.ID, nil)
	wrong, err := compress(other)
	if err != nil {
		t.Fatal(err)
	}
	putLoose(t, dir, other.ID[:2]+o.ID[2:], wrong)
	r := db.Reader(nil)
	defer r.Close()
	r.Ahead(t.Context(), []string{o.ID, other.ID[:2] + o.ID[2:]})
	if len(r.ahead) != 0 || r.batch != nil {
		t.Errorf("%d objects, git %v", len(r.ahead), r.batch != nil)
	}
}

func TestReadingAheadEndsWithItsContext(t *testing.T) {
	objs, ids := many(3000, 10)
	_, db := packed(t, objs...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := db.Reader(nil)
	defer r.Close()
	r.Ahead(ctx, ids)
	if len(r.ahead) != 0 {
		t.Errorf("%d objects", len(r.ahead))
	}
	if _, err := r.Get(t.Context(), ids[0], Blob); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
