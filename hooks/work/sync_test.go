package work

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/merge"
	"chatrail/gitstore/share"
	"chatrail/refs"
)

// hub is an empty repository that a world's project has as origin.
func (w *world) hub() string {
	w.t.Helper()
	dir := filepath.Join(filepath.Dir(w.project), "hub.git")
	w.git("init", "-q", "--bare", dir)
	w.git("remote", "add", "origin", dir)
	return dir
}

func TestAPushThatCarriesBringsNothingThatWasNotHere(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	hub := w.hub()
	w.git("push", "-q", "origin", "refs/chatrail/project:refs/chatrail/task/spike")
	for _, o := range []SyncOptions{{Auto: true}, {}} {
		s, err := w.desk.Sync(t.Context(), o)
		if err != nil || s.Failed {
			t.Fatalf("%+v, %v", s, err)
		}
		repo, err := refs.Discover(w.project)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repo.Read(refs.Task("spike")); (err == nil) == o.Auto {
			t.Errorf("a push that carries: %v; the road of another is here: %v", o.Auto, err == nil)
		}
	}
	w.git("--git-dir="+hub, "rev-parse", "--verify", "-q", projectRef)
}

func TestADryRunKnowsWhatASyncWouldRefuse(t *testing.T) {
	t.Parallel()
	take, send := share.Options{Take: true, Send: true, Person: true}, share.Options{Send: true}
	join, gone := take, take
	join.Join, gone.Gone = true, "x"
	for name, c := range map[string]struct {
		rel  merge.Relation
		o    share.Options
		want share.State
		err  error
	}{
		"ours is ahead":          {merge.Relation{OnlyA: 1, BUnderA: true, Related: true}, take, share.Sent, nil},
		"also for strangers":     {merge.Relation{OnlyA: 1, BUnderA: true, Related: true}, send, share.Sent, nil},
		"theirs is ahead":        {merge.Relation{OnlyB: 2, AUnderB: true, Related: true}, take, share.Taken, nil},
		"not from strangers":     {merge.Relation{OnlyB: 2, AUnderB: true, Related: true}, send, "", share.ErrStranger},
		"both":                   {merge.Relation{OnlyA: 1, OnlyB: 2, Related: true}, take, share.Merged, nil},
		"only a merge is ours":   {merge.Relation{OnlyB: 2, Related: true}, take, share.Taken, nil},
		"apart":                  {merge.Relation{OnlyA: 1, OnlyB: 2}, take, "", share.ErrApart},
		"apart, to be joined":    {merge.Relation{OnlyA: 1, OnlyB: 2}, join, share.Merged, nil},
		"gone, and all is there": {merge.Relation{OnlyB: 1, AUnderB: true, Related: true}, gone, share.Taken, nil},
		"gone, and it is even":   {merge.Relation{AUnderB: true, BUnderA: true, Related: true}, gone, share.Taken, nil},
		"gone, and some is lost": {merge.Relation{OnlyA: 1, Related: true}, gone, "", share.ErrGone},
		"gone, and another's":    {merge.Relation{OnlyB: 1}, gone, "", share.ErrGone},
	} {
		if got, err := outcome(c.rel, c.o); share.State(got) != c.want || err != c.err {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestASandboxIsNamedAndARemoteIsNot(t *testing.T) {
	t.Parallel()
	closed := &fs.PathError{Op: "mkdir", Path: "/p/.git/chatrail", Err: fs.ErrPermission}
	there := &refs.TransportError{Kind: refs.NotAllowed, Op: "push", Remote: "origin", Err: closed}
	for _, err := range []error{closed, &bundle.UnwritableError{Err: closed}} {
		if text := plainly(err).Error(); !strings.HasPrefix(text, "nothing can be written from here (") {
			t.Errorf("%v: %s", err, text)
		}
	}
	for _, err := range []error{there, errNoHost} {
		if plainly(err) != err {
			t.Errorf("%v became %v", err, plainly(err))
		}
	}
}
