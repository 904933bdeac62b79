package dir

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"chatrail/bundle"
)

// edit changes a file of a bundle as somebody else would.
func edit(t *testing.T, s *Store, name string, change func(text string) string) {
	t.Helper()
	writeFile(t, s.file(name), change(readText(t, s.file(name))))
}

func lines(text string) []string { return strings.SplitAfter(text, "\n") }

func TestWhatNoHistoryExplainsIsFrozen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(t *testing.T, s *Store)
		cause  string
	}{
		"conflict in the events": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string {
				l := lines(text)
				return l[0] + l[1] + "<<<<<<< HEAD\n" + l[2] + "=======\n" + l[3] + ">>>>>>> theirs\n"
			})
		}, "orientation.events.jsonl line 3 is a conflict marker of a merge"},
		"conflict at the torn end": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return text + ">>>>>>> theirs" })
		}, "orientation.events.jsonl line 5 is a conflict marker of a merge"},
		"conflict in a live file": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.RailFile, func(text string) string { return text + "<<<<<<< HEAD\n" })
		}, "conversation.rail.yaml line 9 is a conflict marker of a merge"},
		"an event twice": {func(t *testing.T, s *Store) {
			mustApply(t, s, func(present *bundle.Revision) (bundle.Draft, error) {
				d, err := say("three")(present)
				d.Notes = []bundle.Note{note("tasks/a.md", "text")}
				return d, err
			})
			edit(t, s, bundle.EventsFile, func(text string) string {
				l := lines(text)
				return text + l[len(l)-2]
			})
		}, "event 6 has the id of an earlier one"},
		"an unreadable line in the middle": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { l := lines(text); l[1] = "{\"half\":\n"; return strings.Join(l, "") })
		}, "event 2 cannot be read"},
		"an event of a later version": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string {
				return strings.ReplaceAll(text, `"version":1`, `"version":2`)
			})
		}, "event 1 has a version that this chatrail does not know"},
		"an endless line": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return text + strings.Repeat("x", bundle.MaxEventLine+10) })
		}, "event 5 is longer than 4194304 bytes"},
		"the first event gone": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return strings.Join(lines(text)[1:], "") })
		}, "event 1 does not follow the one before it"},
		"the last event gone": {func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return strings.Join(lines(text)[:2], "") })
		}, "working.compass.yaml matches no recorded state"},
		"an older live file": {func(t *testing.T, s *Store) {
			old := readText(t, s.file(bundle.CompassFile))
			mustApply(t, s, say("three"))
			mustApply(t, s, say("four"))
			writeFile(t, s.file(bundle.CompassFile), old)
		}, "working.compass.yaml matches no recorded state"},
		"an empty live file": {func(t *testing.T, s *Store) {
			writeFile(t, s.file(bundle.RailFile), "")
		}, "conversation.rail.yaml is not valid"},
		"a live file gone": {func(t *testing.T, s *Store) {
			os.Remove(s.file(bundle.RailFile))
		}, "conversation.rail.yaml is missing"},
		"the events gone": {func(t *testing.T, s *Store) {
			os.Remove(s.file(bundle.EventsFile))
		}, "orientation.events.jsonl is missing"},
		"a folder in a file's place": {func(t *testing.T, s *Store) {
			os.Remove(s.file(bundle.RailFile))
			os.Mkdir(s.file(bundle.RailFile), 0o777)
		}, "conversation.rail.yaml is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newBundle(t, say("one"), say("two"), say("two and a half"))
			c.damage(t, s)
			s.patience = 0
			fresh := open(s.path, Options{})
			fresh.patience = 0
			mustStayFrozen(t, fresh, c.cause)
			mustStayFrozen(t, s, c.cause) // also where the beginning was verified before
			if report := mustVerify(t, s); report.Valid || report.Frozen != c.cause {
				t.Errorf("report %+v", *report)
			}
		})
	}
}

func TestLinksInsideABundleAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	elsewhere := t.TempDir()
	writeFile(t, elsewhere+"/secret.md", "secret")
	for name, c := range map[string]struct {
		place, target string
		cause         string
	}{
		"compass":      {bundle.CompassFile, "", "working.compass.yaml is a link"},
		"rail":         {bundle.RailFile, "", "conversation.rail.yaml is a link"},
		"events":       {bundle.EventsFile, "", "orientation.events.jsonl is a link"},
		"a note":       {"entries/2026/a.md", "/secret.md", "a file or folder of entries/ is a link"},
		"a new note":   {"entries/2026/b.md", "/secret.md", "a file or folder of entries/ is a link"},
		"a dead link":  {"tasks/b.md", "/nowhere", "a file or folder of tasks/ is a link"},
		"a folder":     {"entries/2027", "/", "a file or folder of entries/ is a link"},
		"all of tasks": {"tasks", "/", "a file or folder of tasks/ is a link"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newBundle(t, say("one", note("entries/2026/a.md", "text")))
			file, target := s.file(c.place), elsewhere+c.target
			if c.target == "" { // the file itself, moved
				target = elsewhere + "/" + c.place
				if err := os.Rename(file, target); err != nil {
					t.Fatal(err)
				}
			}
			os.Remove(file)
			os.MkdirAll(file[:strings.LastIndexByte(file, '/')], 0o777)
			if err := os.Symlink(target, file); err != nil {
				t.Fatal(err)
			}
			s.patience = 0
			mustStayFrozen(t, s, c.cause)
			if data, err := s.Note(t.Context(), mustRoot(t, s), "entries/2026/b.md"); err == nil {
				t.Errorf("read %q through a link", data)
			}
			if got := readText(t, elsewhere+"/secret.md"); got != "secret" {
				t.Errorf("wrote through a link: %q", got)
			}
		})
	}
}

func mustRoot(t *testing.T, s *Store) string {
	t.Helper()
	root, err := s.Root(t.Context())
	var frozen *bundle.FrozenError
	if err != nil && !errors.As(err, &frozen) {
		t.Fatal(err)
	}
	return root
}

func TestPrivateBundleBehindALinkIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	s := newBundle(t)
	link := t.TempDir() + "/link"
	if err := os.Symlink(s.path, link); err != nil {
		t.Fatal(err)
	}
	mustStayFrozen(t, open(link, Options{Private: true}), "the folder is a link")
	var frozen *bundle.FrozenError
	if _, err := open(link, Options{Private: true}).Root(t.Context()); !errors.As(err, &frozen) {
		t.Errorf("root: %v", err)
	}
	mustTip(t, open(link, Options{})) // a project may reach its bundle through one
}

func TestHarmlessDifferencesDoNotFreeze(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *Store){
		"line breaks of Windows": func(t *testing.T, s *Store) {
			for _, name := range files {
				edit(t, s, name, func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") })
			}
		},
		"blank lines": func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return strings.ReplaceAll(text, "\n", "\n \n") })
		},
		"no line break at the end": func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string { return strings.TrimSuffix(text, "\n") })
		},
		"unknown keys": func(t *testing.T, s *Store) {
			edit(t, s, bundle.EventsFile, func(text string) string {
				return strings.ReplaceAll(text, `"version":1`, `"version":1,"x":{"event_id":"no"}`)
			})
		},
		"other files": func(t *testing.T, s *Store) {
			writeFile(t, s.file("README.md"), "mine")
			writeFile(t, s.file("entries/.a.md.swp"), "editor's")
			writeFile(t, s.file("entries/picture.png"), "mine")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newBundle(t, say("one"), say("two"))
			change(t, s)
			var want []string
			for _, store := range []*Store{open(s.path, Options{}), s} {
				if tip := mustTip(t, store); tip.Event.Reason != "two" {
					t.Fatalf("tip is %q", tip.Event.Reason)
				}
				want = nil
				err := store.Walk(t.Context(), "", func(rev *bundle.Revision) (bool, error) {
					want = append(want, rev.Event.Reason)
					return true, nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			mustApply(t, s, say("three"))
			if got := strings.Join(want, ","); got != "two,one,Create ChatRail" {
				t.Errorf("walked %s", got)
			}
			mustBeClean(t, s)
			if report := mustVerify(t, s); report.Events != 4 {
				t.Errorf("report %+v", *report)
			}
		})
	}
}

func TestDuplicateEventIDIsRefusedNotRecorded(t *testing.T) {
	s := newBundle(t, say("one"))
	id := mustTip(t, s).ID
	mustApply(t, s, say("two"))
	_, changed, err := s.Apply(t.Context(), func(present *bundle.Revision) (bundle.Draft, error) {
		d, err := say("three")(present)
		d.Meta.EventID = id
		return d, err
	})
	var rule *bundle.RuleError
	if !errors.As(err, &rule) || changed {
		t.Errorf("got %v, %v", changed, err)
	}
	mustBeClean(t, s)
}
