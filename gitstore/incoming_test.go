package gitstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

func TestSoundHistoryIsTaken(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			dir, revs := story(t, "--object-format="+format)
			n := len(revs)
			tip, root, middle := revs[0].ID, revs[n-1].ID, revs[5].ID
			check := func(name string, s *Store) {
				t.Helper()
				for _, c := range []struct {
					in   Inspection
					want Incoming
				}{
					{Inspection{Tip: tip}, Incoming{tip, root, n, 0, []string{root}}},
					{Inspection{Tip: tip, Root: root}, Incoming{tip, root, n, 0, []string{root}}},
					{Inspection{Tip: tip, Root: root, Known: []string{middle}}, Incoming{tip, root, 5, 0, nil}},
					{Inspection{Tip: tip, Root: root, Known: []string{root, middle}}, Incoming{tip, root, 5, 0, nil}},
					{Inspection{Tip: tip, Root: root, Known: []string{tip}}, Incoming{tip, root, 0, 0, nil}},
					{Inspection{Tip: middle, Root: root, Known: []string{tip}}, Incoming{middle, root, 0, 0, nil}},
				} {
					found, err := s.Inspect(t.Context(), c.in)
					if err != nil || found.Tip != c.want.Tip || found.Root != c.want.Root ||
						found.Revisions != c.want.Revisions || !slices.Equal(found.Roots, c.want.Roots) {
						t.Errorf("%s, %+v: %+v, %v", name, c.in, found, err)
					}
				}
			}
			check("loose", openAt(t, dir))
			git(t, dir, "gc", "-q", "--prune=now")
			check("packed", openAt(t, dir))
			if format == "sha1" {
				withoutGit(t)
				check("without git", openAt(t, dir))
			}
		})
	}
}

func TestEveryNewMergeIsRecomputedOnce(t *testing.T) {
	y := newYard(t)
	known := y.merged(y.tip, y.on(y.revs[1], "old side").made()).made()
	one := y.merged(known, y.on(y.revs[1], "side").made()).made()
	two := y.merged(one, y.on(y.revs[2], "other side").made(), y.on(y.revs[2], "third side").made()).made()
	tip := y.on(two, "three").made()
	var asked []string
	i := Inspection{Tip: tip, Known: []string{known}, Root: y.root, Merge: func(_ context.Context, id string) error {
		asked = append(asked, id)
		return nil
	}}
	found, err := y.s.Inspect(t.Context(), i)
	if err != nil || found.Merges != 2 || found.Revisions != 6 || !slices.Equal(asked, []string{one, two}) {
		t.Errorf("found %+v, %v, asked for %q", found, err, asked)
	}
	if report := verifiedAt(t, y.s, tip); !report.Valid {
		t.Errorf("report %+v", *report)
	}
	i.Merge = func(_ context.Context, id string) error { return frozenf("revision %s is not that merge", short(id)) }
	found, err = y.s.Inspect(t.Context(), i)
	wantRefused(t, found, err, "is not that merge")
	if broken := asBroken(err); broken == nil || broken.Revision != short(one) {
		t.Errorf("got %#v", err)
	}
}

func TestOddButSoundTipsAreTaken(t *testing.T) {
	y := newYard(t)
	head := func(author, committer string) func(*sheet) {
		return func(s *sheet) { s.heads = "author " + author + "\ncommitter " + committer + "\n" }
	}
	who := "a <b@c> 1 +0000"
	tips := map[string]string{}
	for name, change := range map[string]func(*sheet){
		"signed": func(s *sheet) {
			s.more = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n parent " + y.root + "\n -----END\n"
		},
		"encoded":          func(s *sheet) { s.more, s.message = "encoding ISO-8859-1\n", "gr\xfc\xdfe\n" },
		"tagged":           func(s *sheet) { s.more = "mergetag object " + y.root + "\n type commit\n tag x\n \n words\n" },
		"unknown header":   func(s *sheet) { s.more = "x-" + strings.Repeat("y", 40_000) + "\n" },
		"escapes":          func(s *sheet) { s.message = "\x1b[2J\u202e\r\n" },
		"no message":       func(s *sheet) { s.message = "" },
		"before 1970":      head("a <b> -1 +0000", "a <b> -99999999999 +0000"),
		"after 2038":       head("a <b> 2147483648 +0000", "a <b> 4294967296 +9959"),
		"after 2106":       head("a <b> 4294967297 +0000", "a <b> 99999999999 +0000"),
		"after everything": head("a <b> 9223372036854775807 +0000", "a <b> 99999999999999999999999 +0000"),
		"no time":          head("a <b>", "a <b> x y"),
		"no author":        head("", "\x1b[2J"),
		"odd author":       head("a <<b>> <c> > 1", who),
		"event in year 1":  func(s *sheet) { s.set("ts", "0001-01-01T00:00:01Z") },
		"event in 9999":    func(s *sheet) { s.set("ts", "9999-12-31T23:59:59.999999999Z") },
		"unknown key":      func(s *sheet) { s.set("later", map[string]any{"x": []any{1.5, nil}}) },
	} {
		s := y.on(y.tip, "three")
		change(s)
		tips[name] = s.made()
	}
	tips["names in two cases"] = y.on(y.tip, "three",
		bundle.Note{Path: "entries/A.md", Data: []byte("A")}, bundle.Note{Path: "entries/a.md", Data: []byte("a")}).made()
	for name, tip := range tips {
		t.Run(name, func(t *testing.T) {
			y.t = t
			if found, err := y.inspect(tip); err != nil || found.Revisions != 1 {
				t.Fatalf("found %+v, %v", found, err)
			}
			if report := verifiedAt(t, y.s, tip); !report.Valid {
				t.Fatalf("report %+v", *report)
			}
			// It can be lived with: read, shown by git, continued.
			git(t, y.dir, "update-ref", testRef, tip)
			git(t, y.dir, "log", "-1", "--format=%ad %cI %s", tip)
			s := openAt(t, y.dir)
			rev := apply(t, s, drift("next"))
			if again, err := s.Read(t.Context(), rev.ID); err != nil || again.Parents[0] != tip {
				t.Errorf("read %v, %v", again, err)
			}
			if _, err := bundle.Canonical(rev.Event.Time.Format(time.RFC3339Nano)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHistoryOfAnotherProjectIsNamedAsSuch(t *testing.T) {
	y := newYard(t)
	other := y.next("", func(s *bundle.State) { s.Rail.North = "another" }).made()
	third := y.next("", func(s *bundle.State) { s.Rail.North = "a third" }).made()
	for name, c := range map[string]struct {
		tip   string
		roots int
		words string
	}{
		"another root":         {y.on(other, "one").made(), 1, "different projects"},
		"an unrelated parent":  {y.merged(y.tip, other).made(), 1, "different projects"},
		"two unrelated roots":  {y.merged(other, third).made(), 2, "joins different projects"},
		"parent of the user's": {y.merged(y.tip, git(t, y.dir, "rev-parse", "HEAD")).made(), 1, "different projects"},
	} {
		found, err := y.inspect(c.tip)
		var roots *RootsError
		if !errors.As(err, &roots) || len(roots.Roots) != c.roots || roots.Want != y.root || found == nil || !slices.Equal(found.Roots, roots.Roots) {
			t.Errorf("%s: %+v, %v", name, found, err)
		} else if !strings.Contains(err.Error(), c.words) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%s: %q", name, err)
		}
	}
	tip := y.merged(other, third).made()
	found, err := y.s.Inspect(t.Context(), Inspection{Tip: tip})
	if err != nil || found.Revisions != 3 || len(found.Roots) != 2 || !slices.Contains(found.Roots, found.Root) {
		t.Errorf("of any root: %+v, %v", found, err)
	}
	// A root that all know does not count again.
	joined := y.merged(y.tip, other).made()
	if _, err := y.s.Inspect(t.Context(), Inspection{Tip: y.on(joined, "x").made(), Known: []string{joined}, Root: y.root}); err != nil {
		t.Errorf("on a joined history: %v", err)
	}
}

func TestMergeByANewerRuleIsNamedAsSuch(t *testing.T) {
	y := newYard(t)
	for _, version := range []string{"2", "10", strings.Repeat("9", 300)} {
		s := y.merged(y.tip, y.on(y.revs[1], "side").made())
		s.message = "merge\n\nChatRail-Event: x\n" + mergeMark + ": " + version + "\n"
		merge := s.made()
		found, err := y.inspect(y.on(merge, "three").made())
		var newer *NewerMergeError
		if !errors.As(err, &newer) || newer.Revision != merge || found != nil {
			t.Errorf("version %.10s: %+v, %v", version, found, err)
		} else if err.Error() != "revision "+short(merge)+" was made by a newer ChatRail: update to read it" {
			t.Errorf("%q", err)
		}
		// Where it is the local tip it is read on.
		if report := verifiedAt(t, y.s, merge); !report.Valid || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "newer ChatRail") {
			t.Errorf("report %+v", *report)
		}
	}
	below := y.on(y.tip, "broken").file("README", "x").made()
	s := y.merged(below, y.on(y.revs[1], "side").made())
	s.message = "merge\n\n" + mergeMark + ": 2\n"
	if _, err := y.inspect(s.made()); asBroken(err) == nil {
		t.Errorf("what is below it was not checked: %v", err)
	}
}

func TestTwoImportsOfOneDirectoryMayDifferInTheirNotes(t *testing.T) {
	dir := newRepo(t)
	events, final, notes := directory(t, 5)
	one := Open(repoAt(t, dir), options())
	first, err := one.Import(t.Context(), events, final, notes)
	if err != nil {
		t.Fatal(err)
	}
	notes[1].Data = []byte("edited in one of two clones\n")
	o := options()
	o.Ref = "refs/chatrail/at/other"
	second, err := Open(repoAt(t, dir), o).Import(t.Context(), events, final, notes)
	if err != nil {
		t.Fatal(err)
	}
	root, err := one.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := one.Inspect(t.Context(), Inspection{Tip: second.ID, Known: []string{first.ID}, Root: root}); err != nil || found.Revisions != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	h := &hand{t: t, dir: dir, s: one}
	merge := h.merged(first.ID, second.ID).made()
	if report := verifiedAt(t, one, merge); !report.Valid {
		t.Errorf("merged: %+v", *report)
	}
	// The same event of one that is no import is another matter.
	s := h.on(first.ID, "x")
	s.set("event_id", events[4].EventID)
	if report := verifiedAt(t, one, s.made()); report.Valid {
		t.Error("an event of the import stands twice")
	}
}

func TestImportNeedsNotesThatAreThere(t *testing.T) {
	y := newYard(t)
	for name, id := range map[string]string{
		"missing": strings.Repeat("ab", 20), "a tree": y.rawTree(y.note("x", "x")), "vast": y.vast(100 << 20),
	} {
		s := y.next("", func(*bundle.State) {})
		s.folder(tasksDir, objects.Entry{Mode: objects.ModeFile, Name: "a.md", ID: id})
		s.message = "words\n\nChatRail-Event: x\n" + importMark + ": 1\n"
		_, err := y.s.Inspect(t.Context(), Inspection{Tip: s.made()})
		if asBroken(err) == nil || !strings.Contains(err.Error(), "has a note that cannot be read") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := y.next("", func(*bundle.State) {})
	s.folder(tasksDir, y.note("a.md", "any"))
	s.message = "words\n\nChatRail-Event: x\n" + importMark + ": 1\n"
	if _, err := y.s.Inspect(t.Context(), Inspection{Tip: s.made()}); err != nil {
		t.Errorf("an import: %v", err)
	}
	s.heads = strings.Replace(s.heads, fixedEmail, "somebody@example.com", 1)
	_, err := y.s.Inspect(t.Context(), Inspection{Tip: s.made()})
	wantRefused(t, nil, err, "has notes that its event does not explain")
}
