package gitstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/bundle"
)

// wantFrozen says that a bundle is frozen for a cause, refuses writes, and
// still gives its revisions up to those that are broken.
func wantFrozen(t *testing.T, s *Store, cause string, readable int) {
	t.Helper()
	_, err := s.Tip(t.Context())
	if frozen := asFrozen(err); frozen == nil || !strings.Contains(frozen.Cause, cause) {
		t.Errorf("tip: %v, want frozen: … %s", err, cause)
	}
	again := asFrozen(err)
	if _, err = s.Tip(t.Context()); again != nil && err.Error() != again.Error() {
		t.Errorf("the cause changed from %v to %v", again, err)
	}
	ran := false
	_, changed, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		ran = true
		return drift("on frozen ground")(present)
	})
	if asFrozen(err) == nil || changed || ran {
		t.Errorf("apply: changed %v, ran %v, %v", changed, ran, err)
	}
	if _, err := s.Create(t.Context(), genesisDraft()); err == nil {
		t.Error("create replaced a frozen bundle")
	}
	report, err := s.Verify(t.Context())
	if err != nil || report.Valid || report.Frozen == "" {
		t.Errorf("report %+v, %v", report, err)
	}
	seen := 0
	s.Walk(t.Context(), "", func(*bundle.Revision) (bool, error) { seen++; return true, nil })
	if seen != readable {
		t.Errorf("%d revisions can be read, want %d", seen, readable)
	}
}

func TestTipThatItsEventDoesNotExplainIsFrozen(t *testing.T) {
	type maker struct {
		dir, tip string
		t        *testing.T
	}
	blob := func(m maker, text string) string {
		return gitInput(m.t, m.dir, text, "hash-object", "-w", "--stdin")
	}
	// A step changes the lines of git ls-tree of the tip.
	edit := func(name, line string) func(maker, []string) []string {
		return func(m maker, lines []string) []string {
			var kept []string
			for _, l := range lines {
				if !strings.HasSuffix(l, "\t"+name) {
					kept = append(kept, l)
				}
			}
			if line != "" {
				kept = append(kept, line)
			}
			return kept
		}
	}
	show := func(m maker, rev, name string) string { return git(m.t, m.dir, "show", rev+":"+name) + "\n" }
	for _, c := range []struct {
		name     string
		edit     func(maker, []string) []string
		cause    string
		readable int
	}{
		{"live file that no event wrote", func(m maker, l []string) []string {
			id := blob(m, strings.Replace(show(m, m.tip, bundle.CompassFile), "drift two", "drift 2", 1))
			return edit(bundle.CompassFile, "100644 blob "+id+"\t"+bundle.CompassFile)(m, l)
		}, "live files that its event does not explain", 4},
		{"live file written otherwise", func(m maker, l []string) []string {
			id := blob(m, show(m, m.tip, bundle.RailFile)+"\n")
			return edit(bundle.RailFile, "100644 blob "+id+"\t"+bundle.RailFile)(m, l)
		}, "a live file that its event did not write", 4},
		{"live file that is none", func(m maker, l []string) []string {
			return edit(bundle.RailFile, "100644 blob "+blob(m, "north: [")+"\t"+bundle.RailFile)(m, l)
		}, "cannot be read", 3},
		{"event of the parent", func(m maker, l []string) []string {
			id := git(m.t, m.dir, "rev-parse", m.tip+"~1:"+bundle.EventsFile)
			return edit(bundle.EventsFile, "100644 blob "+id+"\t"+bundle.EventsFile)(m, l)
		}, "does not follow from its parent", 4},
		{"digest that is wrong", func(m maker, l []string) []string {
			line := show(m, m.tip, bundle.EventsFile)
			i := strings.Index(line, `"after_sha256":"`) + len(`"after_sha256":"`)
			id := blob(m, line[:i]+strings.Repeat("0", 64)+line[i+64:])
			return edit(bundle.EventsFile, "100644 blob "+id+"\t"+bundle.EventsFile)(m, l)
		}, "does not follow from its parent", 4},
		{"two events", func(m maker, l []string) []string {
			line := show(m, m.tip, bundle.EventsFile)
			return edit(bundle.EventsFile, "100644 blob "+blob(m, line+line)+"\t"+bundle.EventsFile)(m, l)
		}, "exactly one event", 3},
		{"event that is none", func(m maker, l []string) []string {
			return edit(bundle.EventsFile, "100644 blob "+blob(m, "{}\n")+"\t"+bundle.EventsFile)(m, l)
		}, "an event that cannot be read", 3},
		{"foreign file", func(m maker, l []string) []string {
			return edit("README", "100644 blob "+blob(m, "hello\n")+"\tREADME")(m, l)
		}, "a file that is not of a bundle", 4},
		{"executable", func(m maker, l []string) []string {
			id := git(m.t, m.dir, "rev-parse", m.tip+":"+bundle.RailFile)
			return edit(bundle.RailFile, "100755 blob "+id+"\t"+bundle.RailFile)(m, l)
		}, "that is not a plain file", 3},
		{"link", func(m maker, l []string) []string {
			return edit(bundle.CompassFile, "120000 blob "+blob(m, "/etc/passwd")+"\t"+bundle.CompassFile)(m, l)
		}, "that is not a plain file", 3},
		{"missing file", edit(bundle.RailFile, ""), "has no " + bundle.RailFile, 3},
		{"notes that are a file", func(m maker, l []string) []string {
			return edit("entries", "100644 blob "+blob(m, "x")+"\tentries")(m, l)
		}, "an entry of the wrong kind", 4},
		{"note that no event wrote", func(m maker, l []string) []string {
			dir := gitInput(m.t, m.dir, "100644 blob "+blob(m, "x")+"\tb.md\n", "mktree")
			return edit("entries", "040000 tree "+dir+"\tentries")(m, l)
		}, "notes that its event does not explain", 4},
		{"note that is a link", func(m maker, l []string) []string {
			dir := gitInput(m.t, m.dir, "120000 blob "+blob(m, "/etc/passwd")+"\tb.md\n", "mktree")
			return edit("entries", "040000 tree "+dir+"\tentries")(m, l)
		}, "a note that is not a plain file", 4},
		{"note that is gone", edit("tasks", ""), "notes that its event does not explain", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyTemplate(t, "four revisions", func() string {
				dir := makeRepo(t, nil)
				s := started(t, dir)
				apply(t, s, drift("one", bundle.Note{Path: "tasks/a.md", Data: []byte("a\n")}))
				apply(t, s, question("open?"))
				apply(t, s, drift("drift two"))
				return dir
			})
			tip := git(t, dir, "rev-parse", testRef)
			m := maker{dir, tip, t}
			lines := c.edit(m, strings.Split(git(t, dir, "ls-tree", tip), "\n"))
			made := gitInput(t, dir, strings.Join(lines, "\n")+"\n", "mktree")
			commit := git(t, dir, "commit-tree", "-p", tip+"~1", "-m", "by hand", made)
			git(t, dir, "update-ref", testRef, commit)
			wantFrozen(t, openAt(t, dir), c.cause, c.readable)
			if now := git(t, dir, "rev-parse", testRef); now != commit {
				t.Errorf("the tip moved to %s", now)
			}
		})
	}
}

func TestSecondParentThatNoEventNamesIsFrozen(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	one := apply(t, s, drift("one")).ID
	commit := git(t, dir, "commit-tree", "-p", one+"~1", "-p", "HEAD", "-m", "by hand", one+"^{tree}")
	git(t, dir, "update-ref", testRef, commit)
	s = openAt(t, dir)
	_, err := s.Tip(t.Context())
	if frozen := asFrozen(err); frozen == nil || !strings.Contains(frozen.Cause, "parents that its event does not name") {
		t.Errorf("tip: %v", err)
	}
	if _, changed, err := s.Apply(t.Context(), drift("two")); asFrozen(err) == nil || changed {
		t.Errorf("apply: %v, %v", changed, err)
	}
}

func TestForeignCommitAtTheTipIsFrozen(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "update-ref", testRef, "HEAD")
	wantFrozen(t, openAt(t, dir), "has no "+bundle.EventsFile, 0)
}

func TestBlobAtTheTipIsFrozen(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "update-ref", testRef, git(t, dir, "rev-parse", "HEAD:file"))
	wantFrozen(t, openAt(t, dir), "cannot be read", 0)
}

func TestDeletedReferenceIsFrozenWhereItsTipIsKnown(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	tip := apply(t, s, drift("one"))
	git(t, dir, "update-ref", "-d", testRef)

	for name, s := range map[string]*Store{
		"this process": s,
		"the next one": Open(repoAt(t, dir), Options{Ref: testRef, KnownTip: tip.ID}),
	} {
		t.Run(name, func(t *testing.T) {
			wantFrozen(t, s, testRef+" is gone; it was at "+tip.ID[:12], 2)
			if rev, err := s.Tip(t.Context()); rev == nil || rev.ID != tip.ID || err == nil {
				t.Errorf("tip %v, %v", rev, err)
			}
			if rev, err := s.Read(t.Context(), tip.ID); err != nil || rev.ID != tip.ID {
				t.Errorf("read %v, %v", rev, err)
			}
		})
	}
	if _, err := openAt(t, dir).Tip(t.Context()); !errors.Is(err, bundle.ErrNotFound) {
		t.Errorf("without a known tip: %v", err)
	}
}

func TestCorruptReferenceIsFrozen(t *testing.T) {
	dir := newRepo(t)
	tip := apply(t, started(t, dir), drift("one"))
	path := filepath.Join(dir, ".git", filepath.FromSlash(testRef))
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wantFrozen(t, Open(repoAt(t, dir), Options{Ref: testRef, KnownTip: tip.ID}), testRef+" is corrupt", 2)
	wantFrozen(t, openAt(t, dir), testRef+" is corrupt", 0)
	if data, err := os.ReadFile(path); err != nil || len(data) != 0 {
		t.Errorf("the reference now holds %q, %v", data, err)
	}
}

func TestRevisionsBelowABrokenOneStayReadable(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	apply(t, s, drift("one"))
	broken := apply(t, s, drift("two"))
	apply(t, s, drift("three"))
	loseObject(t, dir, git(t, dir, "rev-parse", broken.ID+":"+bundle.EventsFile))

	var seen []string
	err := openAt(t, dir).Walk(t.Context(), "", func(r *bundle.Revision) (bool, error) {
		seen = append(seen, r.Event.Reason)
		return true, nil
	})
	if got := strings.Join(seen, ", "); got != "three, one, Create ChatRail" {
		t.Errorf("walked %s", got)
	}
	if asFrozen(err) == nil {
		t.Errorf("walk: %v", err)
	}
	report, err := openAt(t, dir).Verify(t.Context())
	if err != nil || report.Valid || report.Events != 3 {
		t.Errorf("report %+v, %v", report, err)
	}
}

// loseObject removes a loose object.
func loseObject(t *testing.T, dir, id string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
}
