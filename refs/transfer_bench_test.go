package refs

import (
	"os"
	"path/filepath"
	"testing"
)

// The same thousand revisions by us and by plain git: "by us" may take 1.3 times
// as long.
func BenchmarkTransfer(b *testing.B) {
	for _, op := range []string{"push", "fetch"} {
		for _, by := range []string{"us", "git"} {
			b.Run(op+" by "+by, func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					p := newPair(b)
					tip := p.grow(b, Project(), many(1000, "revision")...)
					q := p.another(b, "there")
					git(b, p.dir, "push", "-q", "origin", p.tip+":"+Project())
					_, err := q.fetch(b, "")
					must(b, err)
					if op == "fetch" {
						git(b, p.dir, "push", "-q", "origin", tip+":"+Project())
					}
					m := p.remote(b, "")
					b.StartTimer()
					switch op + by {
					case "pushus":
						_, err = p.repo.Push(b.Context(), m, p.mine(b), Transfer{})
					case "pushgit":
						git(b, p.dir, "push", "-q", "origin", tip+":"+Project())
					case "fetchus":
						_, err = q.repo.Fetch(b.Context(), m, nil, Transfer{})
					case "fetchgit":
						git(b, q.dir, "fetch", "-q", "--no-tags", "origin", "+refs/chatrail/*:refs/chatrail-remote/origin/*")
					}
					b.StopTimer()
					must(b, err)
					must(b, os.RemoveAll(filepath.Dir(p.dir)))
				}
			})
		}
	}
}
