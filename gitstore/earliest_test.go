package gitstore

import (
	"fmt"
	"testing"

	"chatrail/bundle"
)

func TestEarliestBeginsAtTheRootHoweverLongTheHistory(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := started(t, dir)
	for _, until := range []int{5, nearby + 5} { // in place, and by git
		for i := len(walked(t, s, "")); i < until; i++ {
			apply(t, s, drift(fmt.Sprint("step ", i)))
		}
		all := walked(t, s, "")
		var got []string
		err := s.Earliest(t.Context(), 3, func(r *bundle.Revision) (bool, error) {
			got = append(got, r.ID)
			return true, nil
		})
		if err != nil || len(got) != 3 {
			t.Fatalf("%d revisions: %q, %v", until, got, err)
		}
		for i, id := range got {
			if want := all[len(all)-1-i].ID; id != want {
				t.Errorf("%d revisions: place %d is %s, not %s", until, i, id, want)
			}
		}
		n := 0
		if err := s.Earliest(t.Context(), 3, func(*bundle.Revision) (bool, error) { n++; return false, nil }); err != nil || n != 1 {
			t.Errorf("went on: %d, %v", n, err)
		}
	}
}
