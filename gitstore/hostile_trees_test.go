package gitstore

import (
	"fmt"
	"strings"

	"chatrail/bundle"
	"chatrail/gitstore/objects"
)

func init() {
	const (
		foreign = "holds a file that is not of a bundle"
		wrong   = "has an entry of the wrong kind"
		noTree  = "has a tree that cannot be read"
		odd     = "has notes at an odd path"
		special = "has a note that is not a plain file"
		many    = "holds more notes than a revision may"
	)
	plain := func(name string) string { return "has a " + name + " that is not a plain file" }

	for _, mode := range []string{"100755", "120000", "100664", "160000", "40000"} {
		hostileTip("Rail of mode "+mode, plain(bundle.RailFile), func(y *yard) string {
			return y.on(y.tip, "three").mode(bundle.RailFile, mode).made()
		})
	}
	hostileTip("events that are a link", plain(bundle.EventsFile), func(y *yard) string {
		s := y.on(y.tip, "three")
		delete(s.tree, bundle.EventsFile)
		s.tree["events"] = objects.Entry{Mode: "120000", Name: bundle.EventsFile, ID: y.blob("/etc/passwd")}
		return s.made()
	})
	hostileTip("no Compass", "has no "+bundle.CompassFile, func(y *yard) string {
		s := y.on(y.tip, "three")
		delete(s.tree, bundle.CompassFile)
		return s.made()
	})
	hostileTip("file of another name", foreign, func(y *yard) string { return y.on(y.tip, "three").file("README", "words").made() })
	hostileTip("notes in capitals", foreign, func(y *yard) string {
		return y.on(y.tip, "three").folder("Tasks", y.note("b.md", "b")).made()
	})
	hostileTip("submodule", foreign, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree["sub"] = objects.Entry{Mode: "160000", Name: "sub", ID: y.tip}
		return s.file(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = -u./payload\n").made()
	})
	hostileTip("submodule in the place of notes", wrong, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[tasksDir] = objects.Entry{Mode: "160000", Name: tasksDir, ID: y.tip}
		return s.made()
	})
	hostileTip("link in the place of notes", wrong, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[tasksDir] = objects.Entry{Mode: "120000", Name: tasksDir, ID: y.blob("/etc")}
		return s.made()
	})
	hostileTip("a thousand files", "holds far more files than a bundle has", func(y *yard) string {
		s := y.on(y.tip, "three")
		for i := range 1000 {
			name := fmt.Sprintf("f%04d", i)
			s.tree[name] = objects.Entry{Mode: objects.ModeFile, Name: name, ID: y.tip}
		}
		return s.made()
	})
	hostileTip("three hundred thousand files", noTree+": it is too large", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.last = wide(y, 300_000)
		return s.made()
	})
	for name, entries := range map[string]func(y *yard) []objects.Entry{
		"one name twice": func(y *yard) []objects.Entry { return []objects.Entry{y.note("x", "1"), y.note("x", "2")} },
		"file and folder in one": func(y *yard) []objects.Entry {
			return []objects.Entry{y.note("x", "1"), {Mode: objects.ModeDir, Name: "x", ID: y.rawTree(y.note("y", "2"))}}
		},
		"out of order": func(y *yard) []objects.Entry { return []objects.Entry{y.note("y", "1"), y.note("x", "2")} },
		"above":        func(y *yard) []objects.Entry { return []objects.Entry{y.note("..", "1")} },
		"here":         func(y *yard) []objects.Entry { return []objects.Entry{y.note(".", "1")} },
		"git's own": func(y *yard) []objects.Entry {
			return []objects.Entry{{Mode: objects.ModeDir, Name: ".git", ID: y.rawTree(y.note("config", "x"))}}
		},
		"git's own in capitals": func(y *yard) []objects.Entry {
			return []objects.Entry{{Mode: objects.ModeDir, Name: ".GIT", ID: y.rawTree(y.note("config", "x"))}}
		},
		"slash":   func(y *yard) []objects.Entry { return []objects.Entry{y.note("x/../../y", "1")} },
		"no name": func(y *yard) []objects.Entry { return []objects.Entry{y.note("", "1")} },
		"no mode": func(y *yard) []objects.Entry { return []objects.Entry{{Mode: "", Name: "x.md", ID: y.blob("1")}} },
		"mode with a zero": func(y *yard) []objects.Entry {
			return []objects.Entry{{Mode: "0100644", Name: "x.md", ID: y.blob("1")}}
		},
		"mode that is no number": func(y *yard) []objects.Entry { return []objects.Entry{{Mode: "abc", Name: "x.md", ID: y.blob("1")}} },
	} {
		hostileTip("top level, "+name, noTree, func(y *yard) string {
			s := y.on(y.tip, "three")
			s.last = entries(y)
			if name == "mode with a zero" || name == "no mode" || name == "mode that is no number" {
				s.last[0].Name = "z"
			}
			return s.made()
		})
		hostileTip("folder of notes, "+name, noTree, func(y *yard) string {
			return y.on(y.tip, "three").folder(entriesDir, entries(y)...).made()
		})
	}
	hostileTip("tree that breaks off", noTree, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree[entriesDir] = objects.Entry{Mode: objects.ModeDir, Name: entriesDir, ID: y.put(objects.Tree, []byte("100644 x\x00short"))}
		return s.made()
	})
	hostileTip("folder that is a file", noTree, func(y *yard) string {
		return y.on(y.tip, "three").folder(entriesDir, objects.Entry{Mode: objects.ModeDir, Name: "x", ID: y.blob("x")}).made()
	})
	hostileTip("folder that is missing", noTree, func(y *yard) string {
		return y.on(y.tip, "three").folder(entriesDir, objects.Entry{Mode: objects.ModeDir, Name: "x", ID: strings.Repeat("56", 20)}).made()
	})
	for name, file := range map[string]string{
		"disguise of git's own": "git~1", "hidden": ".x", "line break": "x\ny.md", "escape": "x\x1b[2J.md", "other direction": "x\u202ey.md",
		"invisible": "x\u200by.md", "no UTF-8": "x\xff.md", "backslash": `..\x.md`, "drive": "c:x.md", "blank at the end": "x ", "dot at the end": "x.",
		"long name": strings.Repeat("x", 256),
	} {
		hostileTip("name of a note, "+name, odd, func(y *yard) string {
			return y.on(y.tip, "three").folder(entriesDir, y.note(file, "x")).made()
		})
	}
	for name, mode := range map[string]string{"link": "120000", "submodule": "160000", "program": "100755", "open to a group": "100664"} {
		hostileTip("note that is a "+name, special, func(y *yard) string {
			return y.on(y.tip, "three").folder(entriesDir, objects.Entry{Mode: mode, Name: "x.md", ID: y.blob("/etc/passwd")}).made()
		})
	}
	hostileTip("folder without a note", "has a folder of notes without any", func(y *yard) string {
		return y.on(y.tip, "three").folder(entriesDir).made()
	})
	hostileTip("folders in folders without a note, of any name", "has a folder of notes without any", func(y *yard) string {
		inner := objects.Entry{Mode: objects.ModeDir, Name: "x\x1b[2J", ID: y.rawTree()}
		old := y.on(y.tip, "three")
		return old.folder(tasksDir, y.note("a.md", "a\n"), objects.Entry{Mode: objects.ModeDir, Name: "b", ID: y.rawTree(inner)}).made()
	})
	hostileTip("folders in folders", odd, func(y *yard) string {
		e := y.note("x.md", "x")
		for range maxNoteDepth + 2 {
			e = objects.Entry{Mode: objects.ModeDir, Name: "d", ID: y.rawTree(e)}
		}
		return y.on(y.tip, "three").folder(entriesDir, e).made()
	})
	hostileTip("folder of a hundred thousand notes", many, func(y *yard) string {
		return y.on(y.tip, "three").folder(entriesDir, wide(y, maxNoteEntries+1)...).made()
	})
	hostileTip("folder of three hundred thousand notes", noTree+": it is too large", func(y *yard) string {
		return y.on(y.tip, "three").folder(entriesDir, wide(y, 300_000)...).made()
	})
	hostileTip("a few folders again and again", many, func(y *yard) string {
		e := y.note("x.md", "x")
		for range 6 {
			var same []objects.Entry
			for i := range 50 {
				same = append(same, objects.Entry{Mode: e.Mode, Name: fmt.Sprintf("d%02d", i), ID: e.ID})
			}
			e = objects.Entry{Mode: objects.ModeDir, ID: y.rawTree(same...)}
		}
		return y.on(y.tip, "three").folder(entriesDir, objects.Entry{Mode: e.Mode, Name: "d", ID: e.ID}).made()
	})
}

// wide are entries of which all hold the same.
func wide(y *yard, n int) []objects.Entry {
	id := y.blob("x")
	entries := make([]objects.Entry, n)
	for i := range entries {
		entries[i] = objects.Entry{Mode: objects.ModeFile, Name: fmt.Sprintf("x%07d", i), ID: id}
	}
	return entries
}
