package work

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
)

func gitIn(t checker, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// as is the desk of a session's commands, "" for a person, in a folder, with
// some more of an environment.
func (w *world) as(session, dir string, env ...string) *Desk {
	d := *w.desk
	d.Dir = dir
	d.Env = func(name string) string {
		for _, v := range env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		if name == "CLAUDE_CODE_SESSION_ID" && session != "" {
			return w.session(session)
		}
		return w.desk.Env(name)
	}
	return &d
}

// opened writes an entry and returns its path.
func (w *world) opened(d *Desk, title, text string, more func(*chronicle.Meta)) string {
	w.t.Helper()
	noted, err := d.Note(context.Background(), Noting{Do: DoNew, Title: title, Text: text}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	if more != nil {
		w.edit(d, noted.Path, more)
	}
	return noted.Path
}

// edit changes the front matter of a note as a person does with an editor.
func (w *world) edit(d *Desk, path string, more func(*chronicle.Meta)) {
	w.t.Helper()
	s, err := d.Scope(context.Background(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	_, _, err = s.Store.Apply(context.Background(), func(present *bundle.Revision) (bundle.Draft, error) {
		data, err := s.Store.Note(context.Background(), present.ID, path)
		if err != nil {
			return bundle.Draft{}, err
		}
		meta := chronicle.Read(data).Meta
		more(&meta)
		data, err = chronicle.Update(data, meta)
		return bundle.Draft{State: present.State, Notes: []bundle.Note{{Path: path, Data: data}}, Meta: bundle.EventMeta{ReviewID: bundle.ReviewChronicle, Reason: "Edit"}}, err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// front is what the front matter of a note says, in the bundle of a desk.
func (w *world) front(d *Desk, path string) chronicle.Meta {
	w.t.Helper()
	s, err := d.Scope(context.Background(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	rev, err := s.Tip(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	data, err := s.Store.Note(context.Background(), rev.ID, path)
	if err != nil {
		w.t.Fatal(err)
	}
	return chronicle.Read(data).Meta
}

func published(m chronicle.Meta) bool { return m.Published() }

// commit makes a commit that adds some lines, and returns its id.
func (w *world) commit(lines string) string {
	w.t.Helper()
	name := filepath.Join(w.project, "file")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	f.WriteString(lines)
	f.Close()
	w.git("add", "file")
	w.git("commit", "-q", "-m", "x")
	return w.git("rev-parse", "HEAD")
}

// newBundle has a repository with a commit and a bundle, on a reference or in a
// folder of it.
func newBundle(t *testing.T, backend string) *world {
	w := newWorld(t, backend)
	if backend == "git" {
		w.git("commit", "-q", "--allow-empty", "-m", "first")
	}
	if _, err := w.desk.Init(t.Context(), InitOptions{}); err != nil {
		t.Fatal(err)
	}
	if backend != "git" {
		w.git("init", "-q", "-b", "main")
		w.git("commit", "-q", "--allow-empty", "-m", "first")
	}
	return w
}

func TestACommitStampsAllDraftsOfItsTaskAsOneRevision(t *testing.T) {
	for _, backend := range backends {
		w := newBundle(t, backend)
		w.prompt("s")
		d := w.as("s", w.project)
		if _, err := d.Note(t.Context(), Noting{Do: DoWorkItem, Title: "Do it"}, ""); err != nil {
			t.Fatal(err)
		}
		closes := func(m *chronicle.Meta) { m.Closes = []string{"do-it"} }
		paths := []string{w.opened(d, "One", "words", closes), w.opened(d, "Two", "words", closes), w.opened(d, "Three", "words", nil)}
		before := len(w.reasons())
		id := w.commit("1\n2\n")
		if err := d.PostCommit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if m := w.front(d, path); len(m.Hashes) != 1 || m.Hashes[0] != id || m.Stat != (chronicle.Stat{Files: 1, Added: 2}) {
				t.Errorf("%s: %s: %v %v", backend, path, m.Hashes, m.Stat)
			}
		}
		if m := w.front(d, "tasks/do-it.md"); m.Status != chronicle.Done {
			t.Errorf("%s: the work item is %s", backend, m.Status)
		}
		if err := d.PostCommit(t.Context()); err != nil { // the same once more
			t.Fatal(err)
		}
		if after := w.reasons(); len(after) != before+1 || !strings.HasPrefix(after[before], "Stamp "+id[:12]+" on several") {
			t.Errorf("%s: %q", backend, after[before:])
		}
	}
}

// A commit is of the repository that git says, not of the one where the hook
// happens to stand.
func TestACommitOfAnotherRepositoryStampsNothing(t *testing.T) {
	w := newBundle(t, "git")
	path := w.opened(w.desk, "Draft", "words", nil)
	other := filepath.Join(w.project, "..", "other")
	gitIn(t, filepath.Dir(other), "init", "-q", other)
	gitIn(t, other, "commit", "-q", "--allow-empty", "-m", "x")
	for _, d := range []*Desk{
		w.as("", w.project, "GIT_DIR="+filepath.Join(other, ".git"), "GIT_WORK_TREE="+w.project),
		w.as("", other),
	} {
		if err := d.PostCommit(t.Context()); err == nil {
			t.Error("no word of it")
		}
	}
	w.prompt("s")
	if err := w.as("s", other).PostCommit(t.Context()); err != errNotHere {
		t.Error(err)
	}
	if m := w.front(w.desk, path); m.Published() {
		t.Error("stamped")
	}
}

// A private bundle takes what its task commits where no project has a bundle.
func TestAPrivateBundleTakesCommitsOfPlainRepositories(t *testing.T) {
	w := newWorld(t, "git")
	w.prompt("s") // no bundle here: a private one
	d := w.as("s", w.project)
	path := w.opened(d, "Draft", "words", nil)
	w.commit("1\n")
	bundled := newBundle(t, "git")
	bundled.commit("1\n")
	if err := w.as("s", bundled.project).PostCommit(t.Context()); err != errNotHere {
		t.Error(err)
	}
	if published(w.front(d, path)) {
		t.Error("stamped with a commit of another project")
	}
	if err := d.PostCommit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !published(w.front(d, path)) {
		t.Error("not stamped")
	}
}

// The road of a folder is found from where the commit was made, which git says
// in GIT_PREFIX.
func TestACommitInAFolderIsOfTheRoadOfThatFolder(t *testing.T) {
	w := newBundle(t, "git")
	below := filepath.Join(w.project, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	d := w.as("", below)
	if _, err := d.Init(t.Context(), InitOptions{Here: true}); err != nil {
		t.Fatal(err)
	}
	path := w.opened(d, "Draft", "words", nil)
	w.commit("1\n")
	for prefix, stamped := range map[string]bool{"GIT_PREFIX=": false, "GIT_PREFIX=../": false} {
		if err := w.as("", w.project, prefix).PostCommit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if published(w.front(d, path)) != stamped {
			t.Errorf("with %s: %v", prefix, !stamped)
		}
	}
	if err := w.as("", w.project, "GIT_PREFIX=below/").PostCommit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !published(w.front(d, path)) {
		t.Error("not stamped")
	}
}

func TestAPausedPlaceIsNotStamped(t *testing.T) {
	w := newBundle(t, "git")
	path := w.opened(w.desk, "Draft", "words", nil)
	w.commit("1\n")
	if _, err := w.desk.Pause(t.Context(), true, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.desk.PostCommit(t.Context()); err == nil || published(w.front(w.desk, path)) {
		t.Error("stamped")
	}
}

// Stamps are carried over whoever wrote them and however short; several that
// became one are one; what cannot be followed or measured stays as it is.
func TestARewriteDropsNothing(t *testing.T) {
	w := newBundle(t, "git")
	a, b := w.commit("1\n"), w.commit("2\n")
	gone := strings.Repeat("0123456789", 4)
	stamped := func(hashes ...string) func(*chronicle.Meta) {
		return func(m *chronicle.Meta) { m.Hashes, m.Stat = hashes, chronicle.Stat{Files: 7, Added: 7, Deleted: 7} }
	}
	w.prompt("s")
	both := w.opened(w.desk, "Both", "words", stamped(a, b))
	short := w.opened(w.as("s", w.project), "Short", "words", stamped(a[:9]))
	lost := w.opened(w.desk, "Lost", "words", stamped(b, gone))
	untouched := w.opened(w.desk, "Untouched", "words", stamped(gone))
	draft := w.opened(w.desk, "Draft", "words", nil)
	before := len(w.reasons())

	w.git("reset", "-q", "--soft", a+"~1")
	w.git("commit", "-q", "-m", "squashed")
	c := w.git("rev-parse", "HEAD")
	pairs := a + " " + c + "\n" + b + " " + c + " more words\n"
	for range 2 {
		if err := w.desk.PostRewrite(t.Context(), "rebase", strings.NewReader(pairs)); err != nil {
			t.Fatal(err)
		}
	}
	one := chronicle.Stat{Files: 1, Added: 2}
	old := chronicle.Stat{Files: 7, Added: 7, Deleted: 7}
	for path, want := range map[string]struct {
		hashes string
		stat   chronicle.Stat
	}{
		both: {c, one}, short: {c, one}, lost: {c + " " + gone, old}, untouched: {gone, old}, draft: {"", chronicle.Stat{}},
	} {
		if m := w.front(w.desk, path); strings.Join(m.Hashes, " ") != want.hashes || m.Stat != want.stat {
			t.Errorf("%s: %v %v, not %v", path, m.Hashes, m.Stat, want)
		}
	}
	if after := w.reasons(); len(after) != before+1 || after[before] != "Carry stamps over a rebase" {
		t.Errorf("%q", after[before:])
	}
}

func TestARewriteThatIsNotUnderstoodWritesNothing(t *testing.T) {
	w := newBundle(t, "git")
	id := w.commit("1\n")
	path := w.opened(w.desk, "Draft", "words", func(m *chronicle.Meta) { m.Hashes = []string{id} })
	for _, in := range []string{id, id + " " + id[:12], "x " + id, id + " " + strings.ToUpper(id), strings.Repeat("a", maxPairLine+1), id + "\x00" + id} {
		if err := w.desk.PostRewrite(t.Context(), "amend", strings.NewReader(id+" "+strings.Repeat("b", 40)+"\n"+in+"\n")); err == nil {
			t.Errorf("%.50q was taken", in)
		}
	}
	if m := w.front(w.desk, path); m.Hashes[0] != id {
		t.Error(m.Hashes)
	}
}

func FuzzParsePairs(f *testing.F) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 64)
	f.Add(a + " " + b + "\n")
	f.Add(a + " " + a + " x\n\n" + b + " " + a)
	f.Add(a)
	f.Fuzz(func(t *testing.T, in string) {
		moved, err := parsePairs(strings.NewReader(in))
		if err != nil && moved != nil && len(moved) > maxPairs {
			t.Error(len(moved))
		}
		if err != nil {
			return
		}
		for from, to := range moved {
			if !isCommitID(from) || !isCommitID(to) || !strings.Contains(in, from) || !strings.Contains(in, to) {
				t.Errorf("%q became %q", from, to)
			}
		}
		if len(moved) > strings.Count(in, "\n")+1 {
			t.Errorf("%d pairs", len(moved))
		}
	})
}
