package gitstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"chatrail/gitstore/objects"

	"github.com/google/uuid"
)

const noCommit = "cannot be read: it is not a commit"

func init() {
	hostileTip("tag", noCommit, func(y *yard) string {
		return y.put("tag", []byte("object "+y.tip+"\ntype commit\ntag v1\ntagger a <b> 1 +0000\n\nwords\n"))
	})
	hostileTip("blob", noCommit, func(y *yard) string { return y.blob("words") })
	hostileTip("tree", noCommit, func(y *yard) string { return y.rawTree(y.note("a", "a")) })
	hostileTip("object of a kind that git has not", noCommit, func(y *yard) string { return y.put("wei\x1brd", []byte("words")) })
	hostileTip("nothing", "cannot be read", func(y *yard) string { return strings.Repeat("ab", 20) })
	hostileTip("tip of nothing", "cannot be read", func(y *yard) string { return y.put(objects.Commit, nil) })
	hostileTip("commit of another project on top", "has no orientation.events.jsonl", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree = map[string]objects.Entry{}
		return s.file("README", "words").made()
	})
	hostileTip("parent that is a tag", noCommit, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.parents = []string{y.put("tag", []byte("object "+y.tip+"\ntype commit\ntag v1\n\n"))}
		return s.made()
	})
	hostileTip("parent that is missing", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.parents = []string{strings.Repeat("12", 20)}
		return s.made()
	})
	hostileTip("parent of the other object format", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.parents = []string{strings.Repeat("12", 32)}
		return s.made()
	})
	hostileTip("parent behind the author", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.parents, s.more = nil, "parent "+y.tip+"\n"
		return s.made()
	})
	hostileTip("second tree", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.more = "tree " + s.root() + "\n"
		return s.made()
	})
	hostileTip("no author", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		_, s.heads, _ = strings.Cut(s.heads, "\n")
		return s.made()
	})
	hostileTip("two authors", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.more = "author a <b> 1 +0000\n"
		return s.made()
	})
	hostileTip("mark behind a zero byte", "cannot be read", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.message = "words\x00\n\n" + importMark + ": 1\n"
		return s.made()
	})
	hostileTip("endless message", "cannot be read: it is too large", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.message = strings.Repeat("words\n", objects.MaxCommit/6+1)
		return s.made()
	})
	hostileTip("endless headers", "cannot be read: it is too large", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.more = "gpgsig " + strings.Repeat("x", objects.MaxCommit) + "\n"
		return s.made()
	})
	hostileTip("tree that is a commit", "has a tree that cannot be read", func(y *yard) string {
		return y.put(objects.Commit, []byte("tree "+y.tip+"\nparent "+y.tip+"\nauthor a <b> 1 +0000\ncommitter a <b> 1 +0000\n\nwords\n"))
	})
	hostileTip("tree that is missing", "has a tree that cannot be read", func(y *yard) string {
		return y.put(objects.Commit, []byte("tree "+strings.Repeat("34", 20)+"\nparent "+y.tip+"\nauthor a <b> 1 +0000\ncommitter a <b> 1 +0000\n\nwords\n"))
	})
	hostileTip("empty tree", "has no orientation.events.jsonl", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree = nil
		return s.made()
	})
	hostileTip("broken one below a sound one", "has live files that its event does not explain", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.tree["working.compass.yaml"] = y.on(y.tip, "four").tree["working.compass.yaml"]
		return y.on(y.on(s.made(), "five").made(), "six").made()
	})
	hostileTip("event of the parent again", "has an event that does not follow from its parent", func(y *yard) string {
		s := y.on(y.tip, "three")
		one := s.made()
		again := y.on(one, "four")
		again.tree, again.event = s.tree, s.event
		return again.set("event_id", uuid.NewString()).made()
	})
	hostileTip("event id of the parent", "has the event id of another one", func(y *yard) string {
		s := y.on(y.tip, "three")
		again := y.on(s.made(), "four")
		return again.set("event_id", s.event["event_id"]).made()
	})
	hostileTip("event id of another new one", "has the event id of another one", func(y *yard) string {
		s := y.on(y.tip, "three")
		again := y.on(y.on(s.made(), "four").made(), "five")
		return again.set("event_id", s.event["event_id"]).made()
	})
	hostileTip("event id of a known one", "has the event id of another one", func(y *yard) string {
		l := y.s.loader()
		defer l.Close()
		r, err := l.load(y.t.Context(), y.revs[1])
		if err != nil {
			y.t.Fatal(err)
		}
		return y.on(y.tip, "three").set("event_id", r.event.EventID).made()
	})

	const isNone = "has the mark of a merge that is none"
	for name, mark := range map[string]string{
		"no version": "", "words": "one", "zero": "0", "a zero in front": "01", "below zero": "-1", "two lines": "1\n" + mergeMark + ": 1",
	} {
		hostileTip("mark of a merge: "+name, isNone, func(y *yard) string {
			s := y.merged(y.tip, y.on(y.revs[1], "side").made())
			s.message = "merge\n\n" + mergeMark + ": " + mark + "\n"
			return s.made()
		})
	}
	hostileTip("mark of a merge on none", "has the mark of a merge and is none", func(y *yard) string {
		s := y.on(y.tip, "three")
		s.message = "merge\n\n" + mergeMark + ": 1\n"
		return s.made()
	})
	const notNamed = "has parents that its event does not name"
	hostileTip("merge that names its parents in another order", notNamed, func(y *yard) string {
		side := y.on(y.revs[1], "side").made()
		return y.merged(y.tip, side).set("parents", []string{side, y.tip}).made()
	})
	hostileTip("merge that names one parent", notNamed, func(y *yard) string {
		return y.merged(y.tip, y.on(y.revs[1], "side").made()).set("parents", []string{y.tip}).made()
	})
	hostileTip("parents of a merge on none", notNamed, func(y *yard) string {
		return y.on(y.tip, "three").set("parents", []string{y.tip, y.root}).made()
	})
	hostileTip("second parent that no event names", notNamed, func(y *yard) string {
		s := y.on(y.tip, "three")
		s.parents = append(s.parents, y.revs[0])
		return s.made()
	})
	const tooMany = "has too many parents or one twice"
	hostileTip("merge of one with itself", tooMany, func(y *yard) string { return y.merged(y.tip, y.tip).made() })
	for name, n := range map[string]int{"seventeen parents": maxParents + 1, "a thousand parents": 1000} {
		hostileTip(name, tooMany, func(y *yard) string {
			parents := []string{y.tip}
			side := y.on(y.revs[1], "side")
			for len(parents) < n {
				side.message = fmt.Sprint("side ", len(parents))
				parents = append(parents, side.made())
			}
			return y.merged(parents...).made()
		})
	}
	hostileTip("merge that does not follow from its first parent", "has live files that its event does not explain", func(y *yard) string {
		s := y.merged(y.tip, y.on(y.revs[1], "side").made())
		s.tree["working.compass.yaml"] = y.on(y.tip, "four").tree["working.compass.yaml"]
		return s.made()
	})
	hostileTip("note of a merge that nobody wrote", "has notes that its event does not explain", func(y *yard) string {
		s := y.merged(y.tip, y.on(y.revs[1], "side").made())
		return s.folder("tasks", y.note("a.md", "forged")).made()
	})
	hostileTip("merge of a blob", noCommit, func(y *yard) string { return y.merged(y.tip, y.blob("words")).made() })
}

// A merge may call a note otherwise than its parents do, so only making it again
// tells one that lost a note.
func TestMergeThatLostANoteIsRefused(t *testing.T) {
	y := newYard(t)
	s := y.merged(y.tip, y.on(y.revs[2], "side").made())
	delete(s.tree, "tasks")
	found, err := y.s.Inspect(t.Context(), Inspection{Tip: s.made(), Known: []string{y.tip}, Root: y.root, Merge: y.s.Remake})
	var broken *BrokenRuleError
	if !errors.As(err, &broken) || !strings.Contains(broken.Rule, "is not what its parents make") {
		t.Errorf("%+v, %v", found, err)
	}
}
