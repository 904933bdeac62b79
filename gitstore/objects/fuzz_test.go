package objects

import (
	"bytes"
	"testing"
)

func FuzzDecodedTreesEncodeToTheSameBytes(f *testing.F) {
	for _, o := range sample(f, SHA1) {
		f.Add(o.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := SHA1.DecodeTree(data)
		if err != nil {
			return
		}
		again, err := EncodeTree(entries)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q became %q, %v", data, again, err)
		}
	})
}

func FuzzDecodedCommitsNameFullIDs(f *testing.F) {
	for _, o := range sample(f, SHA1) {
		f.Add(o.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := SHA1.DecodeCommit(data)
		if err != nil {
			return
		}
		for _, id := range append(c.Parents, c.Tree) {
			if !SHA1.Valid(id) {
				t.Errorf("id %q", id)
			}
		}
	})
}

func FuzzCanonicalObjectsComeBack(f *testing.F) {
	var all []byte
	for _, o := range sample(f, SHA1) {
		all = append(all, o.Canonical()...)
		f.Add(o.Canonical())
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, data []byte) {
		var again []byte
		for _, o := range SHA1.ParseCanonical(data) {
			again = append(again, o.Canonical()...)
		}
		if len(again) > len(data)+64 {
			t.Errorf("%d bytes became %d", len(data), len(again))
		}
		if n := len(SHA1.ParseCanonical(again)); n != len(SHA1.ParseCanonical(data)) {
			t.Errorf("%d objects after a round", n)
		}
	})
}
