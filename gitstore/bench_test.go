package gitstore

import (
	"fmt"
	"testing"
)

func BenchmarkApply(b *testing.B) {
	dir := newRepo(b)
	s := openAt(b, dir)
	create(b, s, genesisDraft())
	for i := 0; b.Loop(); i++ {
		apply(b, s, drift(fmt.Sprint(i)))
	}
}

func BenchmarkTip(b *testing.B) {
	s := started(b, newRepo(b))
	for i := range 5 {
		apply(b, s, drift(fmt.Sprint(i)))
	}
	for b.Loop() {
		if _, err := s.Tip(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
