package gitstore

import (
	"testing"

	"chatrail/bundle/merge"
)

// TestGitRelatesHistoriesAsTheRuleDoes holds git's answer to the one that comes of
// reading every revision.
func TestGitRelatesHistoriesAsTheRuleDoes(t *testing.T) {
	dir := newRepo(t)
	s := openAt(t, dir)
	ctx := t.Context()
	base := create(t, s, genesisDraft()).ID
	one, two := line(t, s, base, 3, aDay("one")), line(t, s, base, 5, aDay("two"))
	merged, err := s.Merge(ctx, one, two)
	if err != nil {
		t.Fatal(err)
	}
	above, beside := line(t, s, merged, 2, aDay("above")), line(t, s, two, 1, aDay("beside"))
	o := options()
	o.Ref = "refs/chatrail/at/other"
	apart := create(t, Open(repoAt(t, dir), o), genesisDraft()).ID
	tips := []string{base, one, two, merged, above, beside, apart}
	for _, a := range tips {
		for _, b := range tips {
			got, err := s.gitRelate(ctx, a, b)
			if err != nil {
				t.Fatal(err)
			}
			l := s.loader()
			want, err := merge.Relate(ctx, s.past(l, a, b), a, b)
			l.Close()
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%.7s and %.7s: git says %+v, the rule %+v", a, b, got, want)
			}
		}
	}
}
