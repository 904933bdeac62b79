package chronicle_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

// world is what several machines do to one note. Each knows a part of the
// versions, and has the note as those come to; a merge makes no version.
type world struct {
	base     []byte
	versions []chronicle.Version // parents first, by causality
	knows    []map[int]bool      // of each machine
	blocks   map[string]string   // text by id, as it was appended
	lines    []string            // of free text and of hand edits
	ids      int
}

// note is the note as some versions come to, which are listed in any order that
// their causality allows.
func (w *world) note(t *rapid.T, knows map[int]bool) chronicle.United {
	left := slices.Sorted(func(yield func(int) bool) {
		for v := range knows {
			if !yield(v) {
				return
			}
		}
	})
	var versions []chronicle.Version
	place := map[int]int{}
	for len(left) > 0 {
		var ready []int
		for i, v := range left {
			if !slices.ContainsFunc(w.versions[v].Below, func(b int) bool { _, is := place[b]; return !is }) {
				ready = append(ready, i)
			}
		}
		i := rapid.SampledFrom(ready).Draw(t, "listed next")
		v := w.versions[left[i]]
		below := make([]int, len(v.Below))
		for i, b := range v.Below {
			below[i] = place[b]
		}
		place[left[i]] = len(versions)
		v.Below = below
		versions = append(versions, v)
		left = slices.Delete(left, i, i+1)
	}
	u, err := chronicle.Unite(w.base, versions)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// write records what a machine made of the note.
func (w *world) write(t *rapid.T, on int, before, after []byte) {
	if bytes.Equal(before, after) {
		return
	}
	v := chronicle.Version{Before: before, After: after, ID: fmt.Sprintf("%08x", w.number()*2654435761%(1<<32))}
	// The clocks of the machines are wrong, and their times may be equal.
	v.Time = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "clock")) * time.Second)
	for b := range w.knows[on] {
		v.Below = append(v.Below, b)
	}
	slices.Sort(v.Below)
	w.knows[on][len(w.versions)] = true
	w.versions = append(w.versions, v)
}

func (w *world) number() int { w.ids++; return w.ids }

func (w *world) commit() string { return strings.Repeat(fmt.Sprintf("%04x", w.number()), 10) }

// edit does one thing to a note, as a command or a person would.
func (w *world) edit(t *rapid.T, note []byte) []byte {
	m := chronicle.Read(note).Meta
	who := chronicle.Who{Agent: rapid.SampledFrom([]string{"claude", "codex"}).Draw(t, "agent")}
	write := func(after []byte, err error) []byte {
		if err != nil {
			return note
		}
		return after
	}
	carried := map[string]string{}
	known := slices.Clone(m.Hashes)
	for _, b := range chronicle.Blocks(body(note)) {
		known = append(known, b.Covers...)
	}
	if len(known) > 0 {
		carried[rapid.SampledFrom(known).Draw(t, "rewritten")] = w.commit()
	}
	switch rapid.SampledFrom([]string{"append", "append", "stamp", "restamp", "carry", "status", "tag", "untag", "title", "key", "free", "hand", "settle"}).Draw(t, "edit") {
	case "append":
		b := chronicle.Block{ID: fmt.Sprintf("block%d", w.number()), Time: at.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "time")) * time.Second)}
		b.Text = rapid.SampledFrom(awkward).Draw(t, "text") + "\nwritten by " + b.ID
		if rapid.Bool().Draw(t, "covers") {
			b.State, b.Covers = "00ff", []string{w.commit(), w.commit()}
		}
		w.blocks[b.ID] = b.Text
		return write(chronicle.AppendBlock(note, b))
	case "stamp":
		return write(chronicle.Stamp(note, []chronicle.Commit{{ID: w.commit(), Files: 1, Added: w.ids, Deleted: 2}}))
	case "restamp":
		return write(chronicle.Restamp(note, carried))
	case "carry":
		return chronicle.CarryCovers(note, carried)
	case "status":
		switch rapid.IntRange(0, 3).Draw(t, "to") {
		case 0:
			return write(chronicle.Spec(note, "docs/a.md", who, at))
		case 1:
			return write(chronicle.Start(note, who, at))
		case 2:
			return write(chronicle.Finish(note, "tasks/other.md", who, at))
		}
		return write(chronicle.Drop(note, "not needed", who, at))
	case "tag":
		m.Tags = append(slices.Clone(m.Tags), fmt.Sprintf("tag%d", w.number()))
		return write(chronicle.Update(note, m))
	case "untag":
		if len(m.Tags) == 0 {
			return note
		}
		m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool { return tag == m.Tags[0] })
		return write(chronicle.Update(note, m))
	case "title":
		m.Title = fmt.Sprintf("title %d", w.number())
		return write(chronicle.Update(note, m))
	case "key":
		l := bytes.Index(note, []byte("\n---\n")) + 1
		return slices.Concat(note[:l], fmt.Appendf(nil, "key%d: {deep: [1, 2]} # mine\n", w.number()), note[l:])
	case "free":
		text := fmt.Sprintf("free line %d", w.number())
		w.lines = append(w.lines, text)
		if rapid.Bool().Draw(t, "in front") {
			l := bytes.Index(note, []byte("\n---\n")) + len("\n---\n")
			return slices.Concat(note[:l], []byte(text+"\n"), note[l:])
		}
		return append(bytes.Clone(note), text+"\n"...)
	case "hand":
		text := fmt.Sprintf("edited by hand %d", w.number())
		if end := bytes.LastIndex(note, []byte("\nwritten by ")); end >= 0 {
			w.lines = append(w.lines, text)
			return slices.Concat(note[:end+1], []byte(text+"\n"), note[end+1:])
		}
	case "settle":
		// A block that keeps what lost is put away; its lines may be gone then.
		for _, p := range chronicle.Pieces(body(note)) {
			if p.Block != nil && strings.HasPrefix(p.Block.ID, "text.") {
				w.lines = slices.DeleteFunc(w.lines, func(line string) bool { return strings.Contains(p.Block.Text, line) })
				return bytes.Replace(note, p.Raw, nil, 1)
			}
		}
	}
	return note
}

func newWorld(t *rapid.T) *world {
	w := &world{blocks: map[string]string{}}
	w.base = []byte(head("title: a # why\nstatus: todo\ntags: [x, y]\n") + "free\n")
	for range rapid.IntRange(2, 4).Draw(t, "machines") {
		w.knows = append(w.knows, map[int]bool{})
	}
	for range rapid.IntRange(2, 14).Draw(t, "steps") {
		on := rapid.IntRange(0, len(w.knows)-1).Draw(t, "on")
		if rapid.IntRange(0, 2).Draw(t, "merge") == 0 {
			for v := range w.knows[rapid.IntRange(0, len(w.knows)-1).Draw(t, "from")] {
				w.knows[on][v] = true
			}
			continue
		}
		before := w.note(t, w.knows[on]).Data
		after := w.edit(t, before)
		if n := chronicle.Read(after); n.Broken != nil {
			t.Fatalf("%v:\n%s", n.Broken, after)
		}
		w.write(t, on, before, after)
	}
	return w
}

func (w *world) all() map[int]bool {
	all := map[int]bool{}
	for v := range w.versions {
		all[v] = true
	}
	return all
}

func TestMachinesComeToTheSameNoteInWhateverOrderTheyMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		want := w.note(t, w.all())
		for range 2 {
			got := w.note(t, w.all())
			if !bytes.Equal(got.Data, want.Data) || len(got.SetAside) != len(want.SetAside) {
				t.Fatalf("listed in another order the note is\n%s%v\nand was\n%s%v", got.Data, got.SetAside, want.Data, want.SetAside)
			}
		}
	})
}

func TestAMergeOnTopOfAMergeIsTheMergeOfEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		// All machines have met, and go on from there.
		met := w.note(t, w.all()).Data
		lower := len(w.versions)
		for on := range w.knows {
			w.knows[on] = map[int]bool{}
			for v := range lower {
				w.knows[on][v] = true
			}
		}
		upper := &world{base: met, blocks: w.blocks}
		for on := range w.knows {
			before := met
			for range rapid.IntRange(0, 2).Draw(t, "edits") {
				after := w.edit(t, before)
				w.write(t, on, before, after)
				before = after
			}
		}
		for _, v := range w.versions[lower:] {
			v.Below = slices.DeleteFunc(slices.Clone(v.Below), func(b int) bool { return b < lower })
			for i := range v.Below {
				v.Below[i] -= lower
			}
			upper.versions = append(upper.versions, v)
		}
		one, other := w.note(t, w.all()).Data, upper.note(t, upper.all()).Data
		if !bytes.Equal(one, other) {
			t.Fatalf("from the beginning it is\n%s\nfrom where they met\n%s", one, other)
		}
	})
}

func TestNothingThatWasWrittenIsMissingAndNothingStandsTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		u := w.note(t, w.all())
		texts := map[string]string{}
		for _, b := range chronicle.Blocks(body(u.Data)) {
			if _, has := texts[b.ID]; has {
				t.Fatalf("the block %s stands twice:\n%s", b.ID, u.Data)
			}
			texts[b.ID] = b.Text
		}
		for id, text := range w.blocks {
			rest, found := texts[id]
			for _, line := range strings.Split(text, "\n") {
				if found = found && strings.Contains(rest, line); !found {
					t.Fatalf("the line %q of block %s is missing:\n%s", line, id, u.Data)
				}
				rest = rest[strings.Index(rest, line)+len(line):]
			}
		}
		for _, line := range w.lines {
			if !strings.Contains(string(u.Data), line+"\n") {
				t.Fatalf("%q is missing:\n%s", line, u.Data)
			}
		}
		for _, a := range u.SetAside {
			if _, has := texts[a.Kept]; a.Kept != "" && !has {
				t.Fatalf("%+v is not kept:\n%s", a, u.Data)
			}
			if a.Kept == "" && a.Key == "" {
				t.Fatalf("text of the body is told alone: %+v", a)
			}
		}
		if n := chronicle.Read(u.Data); n.Broken != nil || len(n.Problems) > 0 {
			t.Fatalf("%v, %v:\n%s", n.Broken, n.Problems, u.Data)
		}
	})
}

func TestTheFrontMatterOfAMergeHoldsWhatTheVersionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		u := w.note(t, w.all())
		got := chronicle.Read(u.Data).Meta
		// An item is there where it came and no version above took it away. An item
		// comes once here, so one that went is gone.
		came, went := map[string]bool{"x": true, "y": true}, map[string]bool{}
		stat := chronicle.Stat{}
		final := chronicle.Todo
		far := []chronicle.Status{chronicle.Todo, chronicle.Specced, chronicle.Doing, chronicle.Done, chronicle.Cut}
		keys := 0
		for _, v := range w.versions {
			before, after := chronicle.Read(v.Before).Meta, chronicle.Read(v.After).Meta
			was, is := slices.Concat(before.Tags, before.Hashes), slices.Concat(after.Tags, after.Hashes)
			for _, item := range is {
				if came[item] = true; !slices.Contains(was, item) && went[item] {
					t.Skip("came again")
				}
			}
			for _, item := range was {
				if !slices.Contains(is, item) {
					went[item] = true
				}
			}
			stat.Files += after.Stat.Files - before.Stat.Files
			stat.Added += after.Stat.Added - before.Stat.Added
			stat.Deleted += after.Stat.Deleted - before.Stat.Deleted
			if slices.Index(far, after.Status) > slices.Index(far, final) {
				final = after.Status
			}
			keys = max(keys, strings.Count(string(v.After), "# mine\n"))
		}
		has := slices.Concat(got.Tags, got.Hashes)
		for item := range came {
			if slices.Contains(has, item) == went[item] {
				t.Fatalf("%s came and went %v:\n%s", item, went[item], u.Data)
			}
		}
		slices.Sort(has)
		if len(slices.Compact(slices.Clone(has))) != len(has) {
			t.Fatalf("an item stands twice:\n%s", u.Data)
		}
		if got.Stat != stat {
			t.Fatalf("stat is %+v, the versions added %+v:\n%s", got.Stat, stat, u.Data)
		}
		if got.Status != final {
			t.Fatalf("status is %s, one side came to %s:\n%s", got.Status, final, u.Data)
		}
		if n := strings.Count(string(u.Data), "# mine\n"); n < keys {
			t.Fatalf("%d of %d keys are there:\n%s", n, keys, u.Data)
		}
	})
}
