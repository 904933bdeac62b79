package refs

import (
	"reflect"
	"testing"
)

func TestRemotesAreThoseThatGitLists(t *testing.T) {
	t.Parallel()
	type set [][]string
	add := func(key, value string) []string { return []string{"--add", key, value} }
	for name, c := range map[string]struct {
		settings set
		asks     bool // only git knows
	}{
		"none":              {},
		"one":               {settings: set{add("remote.origin.url", "https://u:p@host/x"), add("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")}},
		"several":           {settings: set{add("remote.b.url", "b"), add("remote.a.url", "host:x"), add("remote.c.d.url", "/c d"), add("remote.B.url", "B")}},
		"two URLs":          {settings: set{add("remote.o.url", "/1"), add("remote.o.url", "ssh://h/2")}},
		"another push URL":  {settings: set{add("remote.o.pushurl", "ssh://h/2"), add("remote.o.url", "/1"), add("remote.o.pushurl", "/3")}},
		"a filter":          {settings: set{add("remote.o.url", "/1"), add("remote.o.promisor", "true"), add("remote.o.partialclonefilter", "blob:none")}},
		"a rewritten URL":   {settings: set{add("remote.o.url", "gh:x"), add("url.https://host/.insteadOf", "gh:")}, asks: true},
		"rewritten to push": {settings: set{add("remote.o.url", "https://host/x"), add("url.ssh://host/.pushInsteadOf", "https://host/")}, asks: true},
		"no URL":            {settings: set{add("remote.o.prune", "true"), add("remote.p.url", "/p")}, asks: true},
		"an empty URL":      {settings: set{add("remote.o.url", "/1"), add("remote.o.url", ""), add("remote.o.url", "/2")}, asks: true},
		"a helper":          {settings: set{add("remote.o.url", "/1"), add("remote.o.vcs", "hg")}, asks: true},
		"a line break":      {settings: set{add("remote.o.url", "/1\n/2")}, asks: true},
		"a slash in front":  {settings: set{add("remote./o.url", "/1")}, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			for _, args := range c.settings {
				git(t, dir, append([]string{"config"}, args...)...)
			}
			r := found(t, dir)
			settings, err := r.remoteSettings(t.Context())
			must(t, err)
			if _, known := settings.listing(); known == c.asks {
				t.Errorf("told without git: %v", known)
			}
			got, err := r.Remotes(t.Context())
			must(t, err)
			out, _, err := run(r.gitConfigured(t.Context(), "remote", "-v"))
			must(t, err)
			if want := parseRemotes(out); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\ngit has %+v", got, want)
			}
		})
	}
}
