package gitstore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"chatrail/bundle"
)

// line puts many revisions upon one in a single write.
func line(b testing.TB, s *Store, from string, n int, draft func(i int) bundle.Change) string {
	b.Helper()
	ctx := b.Context()
	l := s.loader()
	defer l.Close()
	present, err := l.load(ctx, from)
	if err != nil {
		b.Fatal(err)
	}
	w := s.writer(l, fixedIdentity)
	for i := range n {
		d, err := draft(i)(present.revision())
		if err != nil {
			b.Fatal(err)
		}
		d.Meta.Time = time.Date(2026, 11, 30, 12, 0, i, 0, time.UTC)
		if len(d.Notes) > 0 { // whose folders are read
			if err := s.db.Write(ctx, w.objs); err != nil {
				b.Fatal(err)
			}
			w.objs = nil
		}
		next, err := w.next(ctx, present, d)
		if err != nil {
			b.Fatal(err)
		}
		present = next
	}
	if err := s.db.Write(ctx, w.objs); err != nil {
		b.Fatal(err)
	}
	return present.id
}

// BenchmarkMergeThousandApart merges two histories a thousand revisions apart:
// both as they were written, one in a pack as a fetch leaves it, and both in one.
// A merge may take 300 ms. Beside the median stands that of git reading the same
// objects, in turn: on a busy machine only the ratio means something.
func BenchmarkMergeThousandApart(b *testing.B) {
	dir := newRepo(b)
	s := openAt(b, dir)
	base := create(b, s, genesisDraft()).ID
	two := line(b, s, base, 1000, aDay("two"))
	ways := []struct {
		name string
		tip  string // packed before
	}{{"loose", ""}, {"fetched", two}, {"packed", "one"}}
	one := ""
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			if one == "" {
				one = line(b, s, base, 1000, aDay("one"))
			}
			if way.tip == "one" {
				way.tip = one
			}
			if way.tip != "" {
				git(b, dir, "update-ref", "refs/packed/"+way.name, way.tip)
				git(b, dir, "-c", "core.looseCompression=1", "repack", "-q", "-d", "-l", "--unpack-unreachable=1.second.ago")
			}
			var ours, gits []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := s.Merge(b.Context(), one, two); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, time.Since(start))
				start = time.Now()
				git(b, dir, "-c", "alias.all=!git rev-list --objects "+one+"..."+two+" | cut -c1-40 | git cat-file --batch >/dev/null", "all")
				gits = append(gits, time.Since(start))
			}
			slices.Sort(ours)
			slices.Sort(gits)
			us, git := ours[len(ours)/2], gits[len(gits)/2]
			b.ReportMetric(float64(us.Microseconds())/1000, "ms/merge")
			b.ReportMetric(float64(us)/float64(git), "of-git-reading")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// aDay is what a machine records: mostly where the work stands, now and then a
// question and a note.
func aDay(who string) func(int) bundle.Change {
	return func(i int) bundle.Change {
		switch {
		case i%10 == 0:
			return question(fmt.Sprint(who, " asks ", i))
		case i%5 == 0:
			path := fmt.Sprintf("entries/2026/%02d/%02d-%s-%d.md", 1+i/100, 1+i%28, who, i)
			return drift(fmt.Sprint(who, i), bundle.Note{Path: path, Data: []byte("what happened\n")})
		}
		return drift(fmt.Sprint(who, i))
	}
}
