package gitstore

import (
	"fmt"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/draft"
	"chatrail/gitstore/objects"
)

func init() {
	const (
		noEvent  = "has an event that cannot be read"
		notOne   = "does not hold exactly one event"
		gap      = "has an event that does not follow from its parent"
		noReason = "has live files that its event does not explain"
		noNotes  = "has notes that its event does not explain"
		unread   = "has a note that cannot be read"
		many     = "holds more notes than a revision may"
	)
	broken := func(name string) string { return "has a " + name + " that cannot be read" }

	for name, line := range map[string]func(line string) string{
		"no event":           func(string) string { return "" },
		"two events":         func(line string) string { return line + line },
		"a blank line":       func(line string) string { return line + "\n" },
		"no end":             func(line string) string { return strings.TrimSuffix(line, "\n") },
		"a hundred thousand": func(line string) string { return strings.Repeat("{}\n", 100_000) },
	} {
		hostileTip("events file with "+name, notOne, func(y *yard) string {
			s := y.on(y.tip, "three")
			text := line(s.line())
			s.events = &text
			return s.made()
		})
	}
	replace := func(old, new string) func(string) string {
		return func(line string) string { return strings.Replace(line, old, new, 1) }
	}
	for name, line := range map[string]func(line string) string{
		"nothing":            func(string) string { return "{}\n" },
		"no JSON":            func(string) string { return "<<<<<<< HEAD\n" },
		"no UTF-8":           replace("by hand", "by \xff"),
		"a key twice":        replace("{", `{"version":1,`),
		"no time":            replace(`"ts":"2`, `"ts":"x`),
		"the year 10000":     replace(`"ts":"`, `"ts":"9999-12-31T23:59:59-01:00","was":"`),
		"the year 0":         replace(`"ts":"`, `"ts":"0000-01-01T00:00:00Z","was":"`),
		"no version":         replace(`"version":1`, `"version":"1"`),
		"an id of two lines": replace(`"event_id":"`, `"event_id":"\n`),
		"a depth of 10000":   replace("{", `{"deep":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+","),
		"5 MiB":              replace("{", `{"long":"`+strings.Repeat("x", 5<<20)+`",`),
		"a truth twice":      replace(`"transitions":[`, `"transitions":[{"target":"compass","before":null,"before_sha256":null,"after":{},"after_sha256":"`+strings.Repeat("0", 64)+`"},`),
		"a thousand parents": replace("{", `{"parents":[`+strings.Repeat("1,", 1000)+`1],`),
	} {
		hostileTip("event with "+name, noEvent, func(y *yard) string {
			s := y.on(y.tip, "three")
			text := line(s.line())
			s.events = &text
			return s.made()
		})
	}
	hostileTip("event of a later version", "has an event of a newer ChatRail: update to read it", func(y *yard) string {
		return y.on(y.tip, "three").set("version", 2).made()
	})
	hostileTip("events file of 100 MB", broken(bundle.EventsFile)+": it is too large", func(y *yard) string {
		s := y.on(y.tip, "three")
		delete(s.tree, bundle.EventsFile)
		s.tree["events"] = objects.Entry{Mode: objects.ModeFile, Name: bundle.EventsFile, ID: y.vast(100_000_000)}
		return s.made()
	})

	sum := strings.Repeat("0", 64)
	for name, forge := range map[string]func(s *sheet){
		"digest after":  func(s *sheet) { s.transition("after_sha256", sum) },
		"digest before": func(s *sheet) { s.transition("before_sha256", sum) },
		"value before":  func(s *sheet) { s.transition("before", map[string]any{}) },
		"value and digest before": func(s *sheet) {
			s.transition("before", map[string]any{}).transition("before_sha256", draft.Digest([]byte("{}")))
		},
		"nothing before": func(s *sheet) { s.transition("before", nil).transition("before_sha256", nil) },
		"value after":    func(s *sheet) { s.transition("after", map[string]any{"schema": 1}) },
		"value after, with digest": func(s *sheet) {
			s.transition("after", map[string]any{"schema": 1}).transition("after_sha256", draft.Digest([]byte(`{"schema":1}`)))
		},
	} {
		hostileTip("forged "+name, gap, func(y *yard) string {
			s := y.on(y.tip, "three")
			forge(s)
			return s.made()
		})
	}
	hostileTip("state that skips a revision", gap, func(y *yard) string {
		s := y.on(y.on(y.tip, "three").made(), "four")
		s.parents = []string{y.tip}
		return s.made()
	})
	hostileTip("change that no event has", noReason, func(y *yard) string {
		return y.on(y.tip, "three").set("transitions", []any{}).made()
	})
	hostileTip("event of a change that is not there", noReason, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[bundle.CompassFile] = y.merged(y.tip).tree[bundle.CompassFile]
		return s.made()
	})
	hostileTip("file written anew by nobody", "has a live file that its event did not write", func(y *yard) string {
		s := y.on(y.tip, "three")
		return s.file(bundle.RailFile, y.read(s, bundle.RailFile)+"# words\n").made()
	})
	for name, text := range map[string]string{
		"nothing":           "",
		"no YAML":           "north: [",
		"a list":            "- a\n",
		"an unknown field":  "{{}}extra: 1\n",
		"an anchor":         "&a\n{{}}",
		"references":        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n{{}}",
		"a tag":             "!!python/object/apply:os.system\n{{}}",
		"two documents":     "{{}}---\n{{}}",
		"a field twice":     "north: x\n{{}}",
		"a great depth":     "open: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n",
		"a depth of braces": strings.Repeat(`{"a":`, 10_000),
		"65 KiB":            "{{}}" + strings.Repeat("#", bundle.MaxFile),
		"no UTF-8":          "{{}}#\xff",
		"zero bytes":        strings.Repeat("\x00", 1000),
	} {
		hostileTip("Rail with "+name, broken(bundle.RailFile), func(y *yard) string {
			s := y.on(y.tip, "three")
			return s.file(bundle.RailFile, strings.ReplaceAll(text, "{{}}", y.read(s, bundle.RailFile))).made()
		})
	}
	hostileTip("Compass of 200 MiB", broken(bundle.CompassFile)+": it is too large", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[bundle.CompassFile] = objects.Entry{Mode: objects.ModeFile, Name: bundle.CompassFile, ID: y.vast(200 << 20)}
		return s.made()
	})
	hostileTip("Compass that is a tree", broken(bundle.CompassFile), func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[bundle.CompassFile] = objects.Entry{Mode: objects.ModeFile, Name: bundle.CompassFile, ID: y.rawTree(y.note("x", "x"))}
		return s.made()
	})
	hostileTip("Compass that is missing", broken(bundle.CompassFile), func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[bundle.CompassFile] = objects.Entry{Mode: objects.ModeFile, Name: bundle.CompassFile, ID: strings.Repeat("78", 20)}
		return s.made()
	})

	hostileTip("note that no event names", noNotes, func(y *yard) string {
		return y.on(y.tip, "three").folder(tasksDir, y.note("a.md", "forged")).made()
	})
	hostileTip("note with another digest", noNotes, func(y *yard) string {
		return y.on(y.tip, "three").folder(tasksDir, y.note("a.md", "forged")).names("tasks/a.md", "other").made()
	})
	hostileTip("note that is gone", noNotes, func(y *yard) string {
		s := y.on(y.tip, "three")
		delete(s.tree, tasksDir)
		return s.made()
	})
	hostileTip("note that was not written", "names a note that it did not write", func(y *yard) string {
		return y.on(y.tip, "three").names("tasks/a.md", "a\n").made()
	})
	hostileTip("note outside of the folders", "names a note that it did not write", func(y *yard) string {
		return y.on(y.tip, "three").names("../../x", "x").made()
	})
	hostileTip("note that is named twice", "names a note twice", func(y *yard) string {
		return y.on(y.tip, "three").folder(tasksDir, y.note("a.md", "new")).names("tasks/a.md", "new", "tasks/a.md", "new").made()
	})
	hostileTip("note of more than 8 MiB", unread+": it is too large", func(y *yard) string {
		text := strings.Repeat("x", objects.MaxSize+1)
		return y.on(y.tip, "three").folder(tasksDir, y.note("a.md", text)).names("tasks/a.md", text).made()
	})
	hostileTip("note that is missing", unread, func(y *yard) string {
		entry := objects.Entry{Mode: objects.ModeFile, Name: "a.md", ID: strings.Repeat("9a", 20)}
		return y.on(y.tip, "three").folder(tasksDir, entry).names("tasks/a.md", "x").made()
	})
	hostileTip("too many notes at once", many, func(y *yard) string {
		var pairs []string
		for i := range maxEventNotes + 1 {
			pairs = append(pairs, fmt.Sprintf("entries/x%07d", i), "x")
		}
		return y.on(y.tip, "three").folder(entriesDir, wide(y, maxEventNotes+1)...).names(pairs...).made()
	})
	imported := func(s *sheet) *sheet {
		s.message = "words\n\nChatRail-Event: x\n" + importMark + ": 1\n"
		return s
	}
	hostileTip("notes under the mark of an import", noNotes, func(y *yard) string {
		return imported(y.on(y.tip, "three")).folder(tasksDir, y.note("a.md", "forged")).made()
	})
	hostileTip("notes under the mark of an import on a revision without notes", noNotes, func(y *yard) string {
		return imported(y.on(y.root, "three")).folder(tasksDir, y.note("a.md", "forged")).made()
	})
	hostileTip("notes under the mark of an import in the middle of a message", noNotes, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.message = "words\n\n" + importMark + ": 1\n\nChatRail-Event: x\n"
		return s.folder(tasksDir, y.note("a.md", "forged")).made()
	})
}

// read is a file of a revision that is not written yet.
func (y *yard) read(s *sheet, name string) string {
	y.t.Helper()
	r := y.s.db.Reader(nil)
	defer r.Close()
	data, err := r.Get(y.t.Context(), s.tree[name].ID, objects.Blob)
	if err != nil {
		y.t.Fatal(err)
	}
	return string(data)
}
